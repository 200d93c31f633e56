import type { Kind } from '#domain/kind.ts'
import type { Random } from './random.ts'

/** One hostile request, and what is known about its answer. */
export interface Case {
  /** What is tried, in a few words: the same words for the same idea. */
  readonly what: string
  readonly method: string
  /** As it goes over the wire, with the query. */
  readonly path: string
  readonly headers?: Headers | undefined
  readonly body?: Buffer | undefined
  /** The whole request instead of all of the above; sent over a connection of its own. */
  readonly raw?: Buffer | undefined
  /** Nonsense beyond doubt: an answer below 400 is a fault. */
  readonly refused?: boolean | undefined
  /** Broken HTTP: no answer at all is bearable, though a 400 is better. */
  readonly mayClose?: boolean | undefined
}

export type Headers = readonly (readonly [name: string, value: string])[]

/** What a family of cases draws from. */
export interface World {
  readonly kinds: readonly Kind[]
  readonly token: string
  readonly host: string
  /** Continue tokens and versions the server gave out. */
  readonly tokens: readonly string[]
  readonly revision: number
}

export type Family = (random: Random, world: World) => Case

export const NAMESPACE = 'prod--eni--fuzz'
/** Here things may be deleted. */
export const DOOMED = 'prod--eni--doomed'
/** The object every kind begins with, made again when it is gone. */
export const BASE_NAME = 'fuzz-base'

/** Where the base object of a kind is. A team's name has two parts. */
export const basePath = (kind: Kind): string => `${collectionPath(kind)}/${nameFor(kind, BASE_NAME)}`

export const nameFor = (kind: Kind, name: string): string => (kind.kind === 'Team' ? `eni--${name}` : name)

export function collectionPath(kind: Kind, namespace = NAMESPACE): string {
  const root = kind.group === '' ? `/api/${kind.version}` : `/apis/${kind.group}/${kind.version}`
  return kind.scope === 'Cluster' ? `${root}/${kind.plural}` : `${root}/namespaces/${namespace}/${kind.plural}`
}

/** The bytes of a case, and how many of them are its head. */
export function requestBytes({ raw, method, path, headers = [], body }: Case, { host, token }: World): Buffer {
  if (raw !== undefined) return raw
  const names = new Set(headers.map(([name]) => name.toLowerCase()))
  const own: [string, string][] = [...(headers as [string, string][])]
  if (!names.has('host')) own.push(['Host', host])
  if (!names.has('authorization')) own.push(['Authorization', `Bearer ${token}`])
  if (body !== undefined && !names.has('content-type')) own.push(['Content-Type', 'application/json'])
  if (body !== undefined && !names.has('content-length') && !names.has('transfer-encoding'))
    own.push(['Content-Length', String(body.length)])
  const head = `${method} ${path} HTTP/1.1\r\n${own.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`
  return Buffer.concat([Buffer.from(head, 'latin1'), body ?? Buffer.alloc(0)])
}
