import type { Difference } from './compare.ts'

/** Where this server deliberately answers differently from kube-apiserver, and why. */
export interface IntendedDifference {
  /** Recordings, or any of them. */
  readonly ids: readonly string[] | 'any'
  readonly at: string | RegExp
  /** What else must be true of the difference to be the intended one. */
  readonly when?: (difference: Difference) => boolean
  readonly why: string
}

/** What the server under test answered in place of kube-apiserver's status. */
const answered =
  (status: number, reason?: string) =>
  ({ actual }: Difference): boolean => {
    const [code, name] = actual as readonly [number, string | undefined]
    return code === status && name === reason
  }

const refused = answered(400, 'BadRequest')
const invalid = answered(422, 'Invalid')

/** kube-apiserver's mistakes (`knownDefect`): each entry says which right answer replaces them. */
const DEFECTS: readonly IntendedDifference[] = [
  {
    ids: ['get-014', 'list-051', 'list-052', 'update-007', 'watch-027', 'create-026'],
    at: 'status',
    when: refused,
    why: 'a resourceVersion that cannot be read, or has no place in a create, is the mistake of the client: 400, not 500',
  },
  {
    ids: ['list-054'],
    at: 'status',
    when: answered(504, 'Timeout'),
    why: 'a version of the future is answered the same way with Exact as without: 504 with ResourceVersionTooLarge, not 500',
  },
  {
    ids: ['apply-019', 'apply-020', 'apply-028', 'apply-029', 'delete-013', 'delete-015'],
    at: 'status',
    when: refused,
    why: 'a body that is not what the path wants is the mistake of the client: 400, not 500',
  },
  {
    ids: ['apply-027', 'apply-036'],
    at: 'status',
    when: invalid,
    why: 'an applied configuration that breaks the schema is invalid: 422 with causes, not 500',
  },
  {
    ids: ['create-054'],
    at: 'status',
    when: invalid,
    why: 'a list is refused where a formatted string belongs: checks of addresses must not be skipped',
  },
  {
    ids: ['create-076'],
    at: 'status',
    when: answered(415, 'UnsupportedMediaType'),
    why: 'a protobuf body of a kind we have no message for gets an answer, not a closed connection',
  },
  {
    ids: ['patch-010', 'patch-013'],
    at: 'status',
    when: invalid,
    why: 'RFC 6902 wants the target of replace to exist, RFC 6901 a leading slash',
  },
  {
    ids: ['routing-011'],
    at: 'status',
    when: answered(404, 'NotFound'),
    why: 'a path below /status addresses nothing',
  },
  {
    ids: ['routing-024'],
    at: 'status',
    when: answered(405, 'MethodNotAllowed'),
    why: 'a group can be read, nothing else',
  },
]

/** Promises of our own that a cluster does not make. */
const OWN_RULES: readonly IntendedDifference[] = [
  {
    ids: ['create-015'],
    at: 'status',
    when: answered(201),
    why: 'a namespace is created when something is first written into it',
  },
  { ids: ['list-063'], at: 'items.length', why: 'follows from create-015: the namespace is there by now' },
  {
    ids: ['create-038', 'update-032'],
    at: 'status',
    when: invalid,
    why: 'a resource without a spec says nothing: our kinds require it',
  },
  {
    ids: ['get-012'],
    at: 'status',
    when: answered(404, 'NotFound'),
    why: 'follows from create-038: it was not created',
  },
  {
    ids: 'any',
    at: 'warning',
    when: addsAdvice,
    why: 'our kinds advise on what is allowed but likely a mistake; warnings of Kubernetes stay and come first',
  },
  {
    ids: ['create-011'],
    at: 'warning',
    why: 'a body of another version is refused as a whole; kube-apiserver also warns about fields it then does not read',
  },
  {
    ids: ['create-005'],
    at: /^metadata\.(labels|managedFields\[0\]\.fieldsV1\.f:metadata)$/,
    why: 'an ApiSubscription gets the labels that follow from its spec: base path, zone and application',
  },
  {
    ids: ['create-087'],
    at: 'status',
    when: answered(405, 'MethodNotAllowed'),
    why: 'POST to an object would create one of another name than its path says',
  },
  {
    ids: ['routing-026'],
    at: 'details',
    why: 'an encoded slash is never a separator: the path means nothing here and in front of us',
  },
  {
    ids: ['watch-028'],
    at: '.length',
    why: 'our log keeps the history that the watch cache lost: an old version can be resumed',
  },
  {
    ids: ['watch-029'],
    at: 'status',
    when: answered(504, 'Timeout'),
    why: 'whoever has seen a version we have not (a restored backup) must hear of it; a silent stream would hide it',
  },
  {
    ids: ['delete-030', 'delete-035', 'watch-010'],
    at: 'metadata.resourceVersion',
    why: 'whoever removes the last finalizer gets the version at which the object went, and can wait for it in a watch',
  },
  {
    ids: ['list-012'],
    at: /^(metadata\.(continue|remainingItemCount)|items\.length)$/,
    why: 'a limit is kept whatever version was asked for; only the watch cache cannot',
  },
]

/** Who may ask. */
const ACCESS: readonly IntendedDifference[] = [
  {
    ids: ['auth-001', 'auth-002', 'auth-003', 'auth-005', 'auth-006', 'auth-009', 'auth-010'],
    at: 'status',
    when: answered(401, 'Unauthorized'),
    why: 'there is no anonymous user: no token, no name, 401 (as kube-apiserver answers with --anonymous-auth=false)',
  },
  {
    ids: ['auth-008', 'alt-002'],
    at: 'status',
    when: answered(200),
    why: '/version is public, whatever else a request carries: kubectl asks for it first',
  },
  {
    ids: ['auth-011', 'auth-012', 'auth-013', 'auth-014'],
    at: 'details',
    why: 'impersonation itself is refused, before a resource is looked at',
  },
]

/** The same said in other words. */
const WORDS: readonly IntendedDifference[] = [
  {
    ids: ['setup-001', 'setup-002', 'setup-003'],
    at: 'metadata.generation',
    why: 'every object counts its generations here, namespaces too',
  },
  {
    ids: ['create-046', 'create-055', 'create-060'],
    at: 'causes',
    when: ({ expected, actual }) => without(expected, 'FieldValueInvalid <nil>') === JSON.stringify(actual),
    why: 'kube-apiserver adds a cause without a field, saying that rules were not evaluated',
  },
  {
    ids: ['update-021', 'patch-033', 'delete-026'],
    at: 'causes',
    when: ({ expected, actual }) => JSON.stringify([...new Set(expected as string[])]) === JSON.stringify(actual),
    why: 'kube-apiserver validates metadata twice and reports the same cause twice',
  },
  {
    ids: ['update-005', 'update-006', 'delete-005', 'delete-006'],
    at: 'details',
    why: 'details.kind of an invalid object is its kind and of a conflict its plural; kube-apiserver is not consistent here',
  },
  {
    ids: ['list-027', 'list-028', 'list-030', 'list-034', 'list-038'],
    at: 'items',
    when: ({ actual }) => JSON.stringify(actual) === '[]',
    why: 'nothing is an empty list, not null',
  },
  {
    ids: ['002', '003', '005', '006', '007', '008', '009', '010', '015', '016'].map((number) => `status-${number}`),
    at: /^metadata\.managedFields/,
    why: 'whoever writes the status owns the status; kube-apiserver also notes the labels it ignored in the same body',
  },
]

/** What the kinds bring with them, and what came after 1.26. */
const NEWER: readonly IntendedDifference[] = [
  {
    ids: ['get-004', 'get-006', 'list-013', 'list-056', 'list-057', 'list-058', 'list-066', 'watch-023'],
    at: /(columnDefinitions|cells)\.length$/,
    why: 'our kinds have columns; the recorded ones had none',
  },
  {
    ids: ['watch-030'],
    at: 'status',
    when: answered(200),
    why: 'sendInitialEvents is supported (Kubernetes 1.27 and later)',
  },
  {
    ids: ['watch-031'],
    at: 'status',
    when: invalid,
    why: 'sendInitialEvents alone is refused, as in the versions that know it',
  },
  {
    ids: ['discovery-003'],
    at: /^(kind|apiVersion|groups)$/,
    why: 'aggregated discovery is served to whoever asks for it (Kubernetes 1.27 and later)',
  },
  { ids: ['discovery-004'], at: 'status', when: answered(200), why: 'as discovery-003' },
  {
    ids: ['discovery-008'],
    at: /^resources\[\d+\]\.(storageVersionHash|shortNames|categories)$/,
    why: 'our kinds have short names and a category, and one stored version',
  },
  { ids: ['discovery-010', 'discovery-012'], at: 'resources.length', why: 'we serve more kinds than were recorded' },
  { ids: ['discovery-013', 'discovery-014'], at: 'type', why: 'JSON is labelled as JSON' },
  { ids: ['discovery-013'], at: 'paths.version', why: 'OpenAPI describes resources; /version is no resource' },
  {
    ids: ['discovery-014'],
    at: /^(schemaNames\[io\.k8s|schema\..*(description|metadata\.allOf))/,
    why: 'the document holds the schemas of our kinds; descriptions are in our words',
  },
]

export const INTENDED: readonly IntendedDifference[] = [...DEFECTS, ...OWN_RULES, ...ACCESS, ...WORDS, ...NEWER]

function addsAdvice({ expected, actual }: Difference): boolean {
  const before = (expected ?? []) as readonly string[]
  const now = (actual ?? []) as readonly string[]
  const same = before.every((warning, i) => warning === now[i])
  return same && now.slice(before.length).every((warning) => warning.startsWith('299 - "spec.'))
}

const without = (list: unknown, item: string): string => JSON.stringify((list as string[]).filter((i) => i !== item))
