import { StatusError } from '#domain/errors.ts'

export type View = 'Object' | 'Table' | 'PartialObjectMetadata' | 'PartialObjectMetadataList' | 'APIGroupDiscoveryList'

/** What the caller wants to read: an encoding, and the object itself or something made of it. */
export interface Accepted {
  /** `pretty` is JSON for people. */
  readonly encoding: 'json' | 'pretty' | 'yaml'
  readonly as: View
  /** Version of the view: v1 or v1beta1 for Table, v2 or v2beta1 for discovery. */
  readonly version: string
}

interface MediaRange {
  readonly type: string
  readonly parameters: ReadonlyMap<string, string>
}

const AS_IS: Accepted = { encoding: 'json', as: 'Object', version: 'v1' }
const known = new Map<string, readonly Accepted[]>()
const MOST_KNOWN = 200

/**
 * The first of the caller's wishes (by q, then by order) that `offered` contains.
 * @throws StatusError NotAcceptable
 */
export function negotiate(accept: string | undefined, offered: ReadonlySet<View>): Accepted {
  if (accept === undefined || accept === '' || accept === 'application/json') return AS_IS
  const wish = wishes(accept).find((w) => offered.has(w.as))
  if (wish !== undefined) return wish
  throw new StatusError(
    'NotAcceptable',
    'only the following media types are accepted: application/json, application/yaml' +
      ([...offered].length > 1 ? `, application/json;as=${[...offered].slice(1).join('|')}` : ''),
  )
}

/** Whether a compressed answer can be read; `gzip;q=0` says it cannot. */
export function acceptsGzip(header: string | undefined): boolean {
  if (header === undefined) return false
  return (
    header === 'gzip' ||
    header
      .split(',', 20)
      .map(mediaRange)
      .some((r) => r.type === 'gzip' && quality(r) > 0)
  )
}

function wishes(accept: string): readonly Accepted[] {
  const cached = known.get(accept)
  if (cached !== undefined) return cached
  const ranges = accept.slice(0, 2000).split(',', 50).map(mediaRange)
  const sorted = ranges.toSorted((a, b) => quality(b) - quality(a)).filter((r) => quality(r) > 0)
  const found = sorted.flatMap((range) => accepted(range) ?? [])
  if (known.size < MOST_KNOWN) known.set(accept, found)
  return found
}

export function mediaRange(text: string): MediaRange {
  const [type = '', ...rest] = text.split(';')
  const parameters = rest.map((p): [string, string] => {
    const [name = '', value = ''] = p.split('=')
    return [name.trim().toLowerCase(), value.trim().replace(/^"(.*)"$/, '$1')]
  })
  return { type: type.trim().toLowerCase(), parameters: new Map(parameters) }
}

function quality(range: MediaRange): number {
  const q = Number(range.parameters.get('q') ?? 1)
  return Number.isNaN(q) ? 1 : q
}

const ENCODINGS = new Map<string, Accepted['encoding']>([
  ['application/json', 'json'],
  ['*/*', 'json'],
  ['application/*', 'json'],
  ['application/yaml', 'yaml'],
])
const GROUP_OF: Readonly<Record<string, string>> = {
  Table: 'meta.k8s.io',
  PartialObjectMetadata: 'meta.k8s.io',
  PartialObjectMetadataList: 'meta.k8s.io',
  APIGroupDiscoveryList: 'apidiscovery.k8s.io',
}
const VERSIONS_OF: Readonly<Record<string, readonly string[]>> = {
  'meta.k8s.io': ['v1', 'v1beta1'],
  'apidiscovery.k8s.io': ['v2', 'v2beta1'],
}

function accepted({ type, parameters }: MediaRange): Accepted | undefined {
  const encoding = ENCODINGS.get(type)
  if (encoding === undefined) return undefined
  const as = parameters.get('as')
  if (as === undefined) return { encoding, as: 'Object', version: 'v1' }
  const group = Object.hasOwn(GROUP_OF, as) ? GROUP_OF[as] : undefined
  const version = parameters.get('v') ?? ''
  if (group === undefined || parameters.get('g') !== group || !VERSIONS_OF[group]?.includes(version)) return undefined
  return { encoding, as: as as View, version }
}
