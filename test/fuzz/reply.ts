import { ChunkDecoder } from '#test/support/chunk-decoder.ts'

/** An answer as it came over the wire. */
export interface Reply {
  readonly status: number
  readonly headers: ReadonlyMap<string, string>
  readonly body: Buffer
  /** A stream without an announced end: only its beginning was read. */
  readonly streaming: boolean
}

const LAST_CHUNK = '0\r\n\r\n'

/**
 * The first answer in these bytes, or undefined when it is not complete; that of a watch never is. Interim answers are
 * passed over.
 */
export function parseReply(bytes: Buffer, method: string, ended: boolean, watches = false): Reply | undefined {
  const end = bytes.indexOf('\r\n\r\n')
  if (end < 0) return undefined
  const [line = '', ...lines] = bytes.toString('latin1', 0, end).split('\r\n')
  const status = Number(/^HTTP\/1\.[01] (\d{3})/.exec(line)?.[1] ?? 0)
  const rest = bytes.subarray(end + 4)
  if (status >= 100 && status < 200 && status !== 101) return parseReply(rest, method, ended, watches)
  const headers = new Map(lines.map((text) => splitHeader(text)))
  const done = (body: Buffer, streaming = false): Reply => ({ status, headers, body, streaming })
  if (method === 'HEAD' || status === 204 || status === 304 || status === 101) return done(Buffer.alloc(0))
  const length = headers.get('content-length')
  if (length !== undefined) return rest.length >= Number(length) ? done(rest.subarray(0, Number(length))) : undefined
  if (headers.get('transfer-encoding') === 'chunked') {
    const complete = watches || rest.subarray(-LAST_CHUNK.length).equals(Buffer.from(LAST_CHUNK))
    return complete ? done(Buffer.concat(new ChunkDecoder().decode(rest)), watches) : undefined
  }
  return ended ? done(rest) : undefined
}

function splitHeader(text: string): [string, string] {
  const colon = text.indexOf(':')
  return [text.slice(0, colon).trim().toLowerCase(), text.slice(colon + 1).trim()]
}
