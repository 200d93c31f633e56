/** One call to a service outside, and what came back. */
export interface HttpCall {
  readonly method: 'PUT' | 'DELETE' | 'POST'
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  /** Ends the call when it aborts. */
  readonly signal?: AbortSignal | undefined
  readonly timeoutMs: number
}

export interface HttpAnswer {
  readonly status: number
  readonly retryAfter: string | null
  /** The beginning of it, if it is long. */
  readonly text: string
}

/** Nothing was sent: there was nobody to send it to. The cause says why. */
export class Unreached extends Error {
  override readonly name = 'Unreached'
}

/** Injected so that an installation can dial names its own way. @throws Unreached, or whatever kept an answer from coming */
export type SendHttp = (call: HttpCall) => Promise<HttpAnswer>

/** Why a call failed, in words for a condition. Without details that change from try to try. */
export function failureOf(error: unknown): string {
  const cause = error instanceof Error && error.cause !== undefined ? error.cause : error
  if (cause instanceof Error && cause.name === 'TimeoutError') return 'no answer in time'
  const code = (cause as { readonly code?: unknown } | undefined)?.code
  if (typeof code === 'string') return code
  return cause instanceof Error ? cause.message : String(cause)
}
