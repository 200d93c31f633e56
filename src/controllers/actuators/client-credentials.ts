import type { Clock } from '#lib/clock.ts'
import { parseJson } from '#lib/json.ts'
import { failureOf, type SendHttp } from './http-call.ts'

/** A client that gets tokens from an issuer; the secret is looked up only when a token is needed. */
export interface Credentials {
  readonly tokenUrl: string
  readonly clientId: string
  /** The secret, or the reference to it. */
  readonly secret: string
  resolve(secret: string): Promise<string | undefined>
}

export type TokenAnswer =
  | { readonly type: 'token'; readonly token: string }
  | { readonly type: 'no-secret'; readonly message: string }
  | { readonly type: 'failed'; readonly message: string; readonly busy: boolean }

/** Tokens are used until this long before their end. */
const MARGIN_MS = 10_000
const DEFAULT_LIFE_S = 60
const MOST_TOKENS = 1000

/** Where the address of a token endpoint comes from. */
const REMEDY = 'start the issuer, or name one in identityProvider.url of the Zone or --issuer-url of the server'

interface Entry {
  readonly token: string
  readonly until: number
}

/** OAuth2 client credentials, one token per client for all who ask, asked for once at a time. */
export class TokenCache {
  readonly #send: SendHttp
  readonly #clock: Pick<Clock, 'now'>
  readonly #timeoutMs: number
  readonly #tokens = new Map<string, Entry>()
  readonly #asked = new Map<string, Promise<TokenAnswer>>()

  constructor(options: { readonly send: SendHttp; readonly clock: Pick<Clock, 'now'>; readonly timeoutMs: number }) {
    this.#send = options.send
    this.#clock = options.clock
    this.#timeoutMs = options.timeoutMs
  }

  async token(credentials: Credentials): Promise<TokenAnswer> {
    const key = keyOf(credentials)
    const known = this.#tokens.get(key)
    if (known !== undefined && known.until > this.#clock.now()) return { type: 'token', token: known.token }
    const asked = this.#asked.get(key) ?? this.#ask(key, credentials)
    this.#asked.set(key, asked)
    return asked
  }

  /** The token was refused: the next one is a new one. */
  forget(credentials: Credentials): void {
    this.#tokens.delete(keyOf(credentials))
  }

  async #ask(key: string, credentials: Credentials): Promise<TokenAnswer> {
    try {
      return await this.#fetch(key, credentials)
    } catch (error) {
      const why = failureOf(error)
      return failed(`The token endpoint ${credentials.tokenUrl} does not answer (${why}): ${REMEDY}`)
    } finally {
      this.#asked.delete(key)
    }
  }

  async #fetch(key: string, credentials: Credentials): Promise<TokenAnswer> {
    const { tokenUrl, clientId } = credentials
    const secret = await credentials.resolve(credentials.secret)
    if (secret === undefined)
      return { type: 'no-secret', message: `The secret of client "${clientId}" cannot be found` }
    const answer = await this.#send({
      method: 'POST',
      url: tokenUrl,
      headers: { authorization: basic(clientId, secret), 'content-type': 'application/x-www-form-urlencoded' },
      body: 'grant_type=client_credentials',
      timeoutMs: this.#timeoutMs,
    })
    if (answer.status !== 200) {
      const message = `The token endpoint ${tokenUrl} answers ${answer.status} to client "${clientId}"`
      return failed(message, answer.status === 429 || answer.status === 503)
    }
    return this.#keep(key, tokenUrl, answer.text)
  }

  #keep(key: string, tokenUrl: string, text: string): TokenAnswer {
    const { access_token: token, expires_in: life } = parseJson(text).value as Record<string, unknown>
    if (typeof token !== 'string' || token === '')
      return failed(`The token endpoint ${tokenUrl} answers without a token`)
    const seconds = typeof life === 'number' && life > 0 ? life : DEFAULT_LIFE_S
    if (this.#tokens.size >= MOST_TOKENS) this.#tokens.clear()
    this.#tokens.set(key, { token, until: this.#clock.now() + seconds * 1000 - Math.min(MARGIN_MS, seconds * 500) })
    return { type: 'token', token }
  }
}

const failed = (message: string, busy = false): TokenAnswer => ({ type: 'failed', message, busy })

const keyOf = ({ tokenUrl, clientId, secret }: Credentials): string => JSON.stringify([tokenUrl, clientId, secret])

/** RFC 6749 §2.3.1: both parts are form-encoded first. */
function basic(clientId: string, secret: string): string {
  const encode = (text: string): string => new URLSearchParams([['', text]]).toString().slice(1)
  return `Basic ${Buffer.from(`${encode(clientId)}:${encode(secret)}`).toString('base64')}`
}
