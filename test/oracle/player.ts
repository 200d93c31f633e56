import { topicOf, type Recording } from './recording.ts'
import { createRequester, type Incoming, type Outgoing, type Requester, type Target } from './requester.ts'

/** A recording and what the server under test answered. */
export interface Played {
  readonly recording: Recording
  readonly answer: Incoming
  /** Parsed when it is JSON; the list of events of a watch. */
  readonly body: unknown
}

export interface PlayOptions {
  readonly recordings: readonly Recording[]
  readonly target: Target
  /** Makes the server forget its history, which nobody can ask for over the API; without it `expired` is left out. */
  readonly forget?: (() => Promise<void>) | undefined
}

/** Plays the recordings in order. Neighbouring watches only read, so they run side by side. */
export async function play({ recordings, target, forget }: PlayOptions): Promise<readonly Played[]> {
  const session = new Session(target)
  const played: Played[] = []
  const list = recordings.filter((r) => forget !== undefined || topicOf(r) !== 'expired')
  for (let i = 0; i < list.length;) {
    const group = nextGroup(list, i)
    if (forget !== undefined && group[0]?.id === 'expired-004') await forget()
    played.push(...(await Promise.all(group.map((recording) => session.play(recording)))))
    i += group.length
  }
  return played
}

function nextGroup(list: readonly Recording[], from: number): readonly Recording[] {
  let to = from
  while (list[to]?.watch === true) to++
  return list.slice(from, Math.max(to, from + 1))
}

class Session {
  readonly #request: Requester
  readonly #token: string
  readonly #values = new Map<string, string>()

  constructor(target: Target) {
    this.#request = createRequester(target)
    this.#token = target.token
  }

  async play(recording: Recording): Promise<Played> {
    const answer = await this.#request(this.#outgoing(recording))
    const body = bodyOf(recording, answer)
    for (const [name, path] of Object.entries(recording.capture ?? {})) {
      const value = valueAt(body, path)
      if (typeof value === 'string') this.#values.set(name, value)
    }
    return { recording, answer, body }
  }

  #outgoing({ request }: Recording): Outgoing {
    const { method, auth } = request
    const body = this.#body(request.body)
    const headers: Record<string, string> = {
      'user-agent': 'oracle/1.0',
      accept: 'application/json',
      ...(body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }),
      ...(auth === 'none' ? {} : { authorization: `Bearer ${auth === 'invalid' ? 'not-a-valid-token' : this.#token}` }),
      ...request.headers,
    }
    return { method, path: this.#fill(request.path, encodeURIComponent), headers, body }
  }

  #body(body: unknown): string | undefined {
    if (body === undefined) return undefined
    const text = typeof body === 'string' ? body : JSON.stringify(body)
    const inside = (value: string): string => JSON.stringify(value).slice(1, -1)
    return this.#fill(text, typeof body === 'string' ? (value) => value : inside)
  }

  /** A value that an earlier answer did not have stays unfilled: the difference was reported there. */
  #fill(text: string, encode: (value: string) => string): string {
    return text.replaceAll(/\{\{(\w+)\}\}/g, (whole, name: string) => {
      const value = this.#values.get(name)
      return encode(value ?? whole)
    })
  }
}

function bodyOf({ watch }: Recording, { status, text, contentType }: Incoming): unknown {
  if (contentType?.includes('json') !== true) return text
  try {
    if (watch !== true || status !== 200) return JSON.parse(text)
    return text
      .split('\n')
      .filter((line) => line !== '')
      .map((line): unknown => JSON.parse(line))
  } catch {
    return text
  }
}

const valueAt = (value: unknown, path: string): unknown =>
  path.split('.').reduce<unknown>((at, key) => (at as Record<string, unknown> | undefined)?.[key], value)
