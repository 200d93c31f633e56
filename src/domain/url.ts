/** An absolute HTTP address in its parts; `path` begins with a slash and carries no query. */
export interface HttpUrl {
  readonly scheme: 'http' | 'https'
  readonly hostname: string
  readonly port: number
  readonly path: string
  /** `?…`, or nothing. */
  readonly query: string
}

const HTTP_URL = /^(https?):\/\/([^/?#]*)([^?#]*)(\?[^#]*)?(?:#.*)?$/i
const AUTHORITY = /^(\[[0-9a-f:.]+\]|[^:@[\]\s]+)(?::(\d{1,5}))?$/i

/** Undefined for anything that is no absolute http or https address with a host; user names are not accepted. */
export function parseUrl(text: string): HttpUrl | undefined {
  const [, scheme, authority, path, query] = HTTP_URL.exec(text) ?? []
  const [, host, digits] = AUTHORITY.exec(authority ?? '') ?? []
  if (scheme === undefined || host === undefined) return undefined
  const secure = scheme.toLowerCase() === 'https'
  const port = digits === undefined ? (secure ? 443 : 80) : Number(digits)
  if (port < 1 || port > 65535) return undefined
  return {
    scheme: secure ? 'https' : 'http',
    hostname: host.toLowerCase(),
    port,
    path: path === undefined || path === '' ? '/' : path,
    query: query ?? '',
  }
}

/** What keeps an address from being the base of calls, and what to do, to be put behind it; undefined when nothing does. */
export function baseUrlProblem(text: string): string | undefined {
  const [, scheme, authority = '', , query = ''] = HTTP_URL.exec(text) ?? []
  if (scheme === undefined) return 'is not an http or https URL: correct it'
  if (authority.includes('@')) return 'carries a user name or password, which is never sent: leave it out'
  if (parseUrl(text) === undefined) return 'names no host, or no port from 1 to 65535: correct it'
  return query === '' ? undefined : 'carries a query, which is never sent: leave it out'
}

/** An address as anyone may read it: what can be a password or a token is left out, and of a long one the end. */
export function shownUrl(text: string): string {
  const open = text
    .replace(/^([a-z][a-z0-9+.-]*:(?:\/\/)?)?.*@/isu, '$1…@')
    .replace(/[?#].*$/su, (rest) => `${rest[0]}…`)
  return open.length > LONGEST_SHOWN ? `${open.slice(0, LONGEST_SHOWN)}…` : open
}

const LONGEST_SHOWN = 200

/** Joins with exactly one slash between parts and keeps scheme and host: `https://h/`, `/a/` → `https://h/a`. */
export function joinUrl(base: string, ...parts: readonly string[]): string {
  const cut = base.indexOf('://') + 3
  const [origin, rest] = cut > 2 ? [base.slice(0, cut), base.slice(cut)] : ['', base]
  const joined = [rest, ...parts].join('/').replace(/\/{2,}/g, '/')
  return origin + (joined.endsWith('/') ? joined.slice(0, -1) : joined)
}

/** A host that only reaches the machine itself, whatever the network: never to be advertised (§4.2). */
export function isLoopback(hostname: string): boolean {
  const host = hostname.toLowerCase().replace(/\.$/, '')
  if (host === 'localhost' || host.endsWith('.localhost')) return true
  return /^127(\.\d{1,3}){3}$/.test(host) || host === '[::1]' || host === '::1' || host === '0.0.0.0'
}
