/** What a server said when it refused: the fields of its Status. */
export class ApiFailure extends Error {
  override readonly name = 'ApiFailure'
  readonly code: number
  readonly reason: string
  readonly causes: readonly string[]

  constructor(code: number, status: unknown) {
    const { message, reason, details } = (status ?? {}) as Partial<Status>
    super(typeof message === 'string' ? message : `the server answered ${code}`)
    this.code = code
    this.reason = typeof reason === 'string' ? reason : ''
    this.causes = (details?.causes ?? []).flatMap((cause) => cause.reason ?? [])
  }

  /** The version asked for is no longer retained: list again, from the newest state. */
  get expired(): boolean {
    return this.code === 410
  }

  /** The server knows less than one asked before: list again without a version. */
  get tooLarge(): boolean {
    return this.causes.includes('ResourceVersionTooLarge')
  }
}

interface Status {
  readonly message: string
  readonly reason: string
  readonly details: { readonly causes?: readonly { readonly reason?: string }[] }
}
