import type { FieldType, MessageType } from './read-message.ts'

/** `[name, type]` from field 1 on; undefined for a number we do not read. */
type Row = readonly [name: string, type: FieldType['type'], repeated?: 'repeated'] | undefined

const message = (...rows: readonly Row[]): MessageType =>
  new Map(
    rows.flatMap((row, i) =>
      row === undefined ? [] : [[i + 1, { name: row[0], type: row[1], repeated: row[2] !== undefined }] as const],
    ),
  )

/** What a client may set of a new object; times, owners and managed fields are the server's or sent as JSON. */
const METADATA = message(
  ['name', 'text'],
  ['generateName', 'text'],
  ['namespace', 'text'],
  undefined,
  ['uid', 'text'],
  ['resourceVersion', 'text'],
  undefined,
  undefined,
  undefined,
  undefined,
  ['labels', 'map'],
  ['annotations', 'map'],
  undefined,
  ['finalizers', 'text', 'repeated'],
)

const RESOURCE_ATTRIBUTES = message(
  ['namespace', 'text'],
  ['verb', 'text'],
  ['group', 'text'],
  ['version', 'text'],
  ['resource', 'text'],
  ['subresource', 'text'],
  ['name', 'text'],
)

const NAMESPACE = message(['metadata', METADATA], ['spec', message(['finalizers', 'text', 'repeated'])])

const DELETE_OPTIONS = message(
  ['gracePeriodSeconds', 'integer'],
  ['preconditions', message(['uid', 'text'], ['resourceVersion', 'text'])],
  ['orphanDependents', 'flag'],
  ['propagationPolicy', 'text'],
  ['dryRun', 'text', 'repeated'],
)

const ACCESS_REVIEW = message(
  ['metadata', METADATA],
  [
    'spec',
    message(
      ['resourceAttributes', RESOURCE_ATTRIBUTES],
      ['nonResourceAttributes', message(['path', 'text'], ['verb', 'text'])],
    ),
  ],
)

const RULES_REVIEW = message(['metadata', METADATA], ['spec', message(['namespace', 'text'])])

/** The bodies kubectl sends in this encoding and cannot be talked out of (a 415 is not tried again as JSON). */
const MESSAGES: ReadonlyMap<string, MessageType> = new Map([
  ['v1 Namespace', NAMESPACE],
  ['authorization.k8s.io/v1 SelfSubjectAccessReview', ACCESS_REVIEW],
  ['authorization.k8s.io/v1 SelfSubjectRulesReview', RULES_REVIEW],
  ['authentication.k8s.io/v1 SelfSubjectReview', message(['metadata', METADATA])],
  ['authentication.k8s.io/v1beta1 SelfSubjectReview', message(['metadata', METADATA])],
])

/** DeleteOptions are sent under the version of whatever is deleted. */
export const messageType = (apiVersion: string, kind: string): MessageType | undefined =>
  kind === 'DeleteOptions' ? DELETE_OPTIONS : MESSAGES.get(`${apiVersion} ${kind}`)

/** The envelope: which message it is, and its bytes. */
export const ENVELOPE = { typeMeta: 1, raw: 2 } as const
export const TYPE_META = message(['apiVersion', 'text'], ['kind', 'text'])
