import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Kind } from '#domain/kind.ts'
import { Approval } from '#domain/kinds/approval/approval.ts'
import { ApprovalRequest } from '#domain/kinds/approval/approval-request.ts'
import { Namespace } from '#domain/kinds/core/namespace.ts'
import { KINDS } from '#domain/kinds/index.ts'
import type { Named, Resource } from '#domain/object.ts'
import { application, callbackSubscriber, eventType, exposure, local, proxy, streamSubscriber, zone } from './drafts.ts'
import { type Story, told } from './story.ts'

const WORLD = [
  ...['b', 's', 'p'].map((name) => zone(name)),
  ...['b', 's'].map((name) => local(name)),
  proxy('p', 'b'),
  eventType(),
  application('shop', 'b'),
  exposure('b'),
  ...callbackSubscriber('app', 's'),
  ...streamSubscriber('sse', 'p'),
]
const DECLARED = new Set(WORLD.map(({ kind }) => kind.kind))
/** People decide there; what they wrote stays. */
const OF_PEOPLE = new Set([Approval.kind, ApprovalRequest.kind])

/** Without what is different about an object that was made again. */
const scrubbed = (text: string): string =>
  text
    .replaceAll(/\$<[^>]*>/g, '$<…>')
    .replaceAll(/simulated-\d+/g, 'uid')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'time')
    .replaceAll(/"observedGeneration":\d+/g, '')

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, inner]) => [key, sorted(inner)]),
  )
}

const contentOf = ({ metadata: { labels, annotations, finalizers }, spec, status }: Resource): string =>
  scrubbed(JSON.stringify(sorted({ labels, annotations, finalizers, spec, status })))

const contents = (story: Story): Record<string, string> =>
  Object.fromEntries(
    story.resources
      .filter(({ kind }) => kind !== Namespace.kind)
      .map((r) => [`${r.kind} ${r.metadata.namespace}/${r.metadata.name}`, contentOf(r)]),
  )

const without =
  (field: string) =>
  (part: object): object =>
    Object.fromEntries(Object.entries(part).filter(([key]) => key !== field))

/** Takes something away, and says what; false where the server does not let it happen. */
type Vandal = readonly [string, (story: Story, kind: Kind, ref: Named) => Promise<void>]

function vandals({ kind, spec, status }: Resource): readonly Vandal[] {
  const say =
    (change: (status: any) => unknown): Vandal[1] =>
    (story, of, ref) =>
      story.say(of, ref, change)
  const unready = (s: any): object => ({
    ...s,
    conditions: s.conditions.map((c: object) => ({ ...c, status: 'False' })),
  })
  const ofStatus: readonly Vandal[] = [
    ['the status', say(() => undefined)],
    ['the truth of the conditions', say(unready)],
    ...Object.keys(status ?? {}).map((field): Vandal => [`status.${field}`, say(without(field))]),
  ]
  if (DECLARED.has(kind) || OF_PEOPLE.has(kind)) return ofStatus
  const ofSpec = Object.keys(spec as object).map((field): Vandal => [
    `spec.${field}`,
    (story, of, ref) => story.change(of, ref, without(field)),
  ])
  return [...ofStatus, ...ofSpec, ['everything', (story, of, ref) => story.delete(of, ref)]]
}

test('whatever somebody takes away from what the platform has made or said comes back', () =>
  told(WORLD, async (story) => {
    const before = contents(story)
    const kinds = new Map(story.resources.map((r) => [r.kind, r]))
    let damages = 0
    for (const [name, victim] of kinds) {
      const kind = KINDS.find((k) => k.kind === name)!
      if (victim.status === undefined) continue
      const ref = { namespace: victim.metadata.namespace ?? '', name: victim.metadata.name }
      for (const [what, take] of vandals(victim)) {
        const isLetIn = await take(story, kind, ref).then(
          () => true,
          () => false,
        )
        if (isLetIn) assert.deepEqual(contents(story), before, `${what} of ${name} ${ref.namespace}/${ref.name}`)
        damages += Number(isLetIn)
      }
    }
    assert.ok(damages > 80, String(damages))
  }))
