/** One call to a service outside, and what came back. */
export interface HttpCall {
  readonly method: 'PUT' | 'DELETE' | 'POST'
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  readonly signal: AbortSignal
}

export interface HttpAnswer {
  readonly status: number
  readonly retryAfter: string | null
  /** At most `LONGEST_ANSWER` bytes of it. */
  readonly text: string
}

/** Injected so that an installation can dial names its own way. @throws when no answer comes */
export type SendHttp = (call: HttpCall) => Promise<HttpAnswer>

const LONGEST_ANSWER = 64 * 1024

/** Redirects are answers, not instructions: credentials never follow one. */
export const sendWithFetch: SendHttp = async ({ url, ...call }) => {
  const response = await fetch(url, { ...call, redirect: 'manual' })
  return { status: response.status, retryAfter: response.headers.get('retry-after'), text: await readText(response) }
}

async function readText(response: Response): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  let size = 0
  for await (const chunk of response.body ?? []) {
    size += chunk.byteLength
    if (size > LONGEST_ANSWER) break
    text += decoder.decode(chunk, { stream: true })
  }
  return text
}

/** Why a call failed, in words for a condition. Without details that change from try to try. */
export function failureOf(error: unknown): string {
  const cause = error instanceof Error && error.cause !== undefined ? error.cause : error
  if (error instanceof Error && error.name === 'TimeoutError') return 'no answer in time'
  const code = (cause as { readonly code?: unknown } | undefined)?.code
  if (typeof code === 'string') return code
  return cause instanceof Error ? cause.message : String(cause)
}
