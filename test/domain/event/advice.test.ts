import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Kind } from '#domain/kind.ts'
import { EventConfig } from '#domain/kinds/event/event-config.ts'
import { EventExposure } from '#domain/kinds/event/event-exposure.ts'
import { EventSubscription } from '#domain/kinds/event/event-subscription.ts'
import { EventType } from '#domain/kinds/event/event-type.ts'
import type { Condition, Named } from '#domain/object.ts'
import { application, callbackSubscriber, configRef, eventType, exposure, exposureRef, local } from './drafts.ts'
import { streamSubscriber, subscriptionRef, TEAM, TYPE, zone } from './drafts.ts'
import { type Story, told } from './story.ts'

const WORLD = [zone('b'), local('b'), application('shop', 'b'), eventType(), exposure('b')]
const APP = subscriptionRef('app')

const adviceAt = (story: Story, kind: Kind, ref: Named): Condition | undefined =>
  (story.get(kind, ref).status?.conditions ?? []).find((c: Condition) => c.type === 'Advice')

const delivery = (more: object) => (spec: any) => ({ ...spec, delivery: { ...spec.delivery, ...more } })
const scoped =
  (...names: string[]) =>
  (spec: any) => ({
    ...spec,
    scopes: names.map((name) => ({ name, trigger: { responseFilter: { paths: ['a'] } } })),
  })

const CASES: readonly (readonly [string, Kind, Named, (spec: any) => any, RegExp])[] = [
  [
    'a retention nobody knows',
    EventSubscription,
    APP,
    delivery({ eventRetentionTime: '2w' }),
    /"2w" is not known and means 7d/,
  ],
  ['a limit that is none', EventSubscription, APP, delivery({ redeliveriesPerSecond: -1 }), /-1 sets no limit/],
  [
    'a code no answer has',
    EventSubscription,
    APP,
    delivery({ retryableStatusCodes: [9999] }),
    /code outside 100 to 599/,
  ],
  ['scopes of one name', EventExposure, exposureRef(), scoped('a', 'a'), /^spec\.scopes names "a" more than once/],
  [
    'a type of another major version',
    EventType,
    { name: TYPE.replaceAll('.', '-'), namespace: TEAM },
    (spec) => ({ ...spec, version: '2.0.0' }),
    /ends in \.v1 but the major version of spec\.version is "2"/,
  ],
  [
    'a mesh that is full and selective',
    EventConfig,
    configRef('b'),
    (spec) => ({ ...spec, mesh: { fullMesh: true, zoneNames: ['b'] } }),
    /^spec\.mesh\.zoneNames has no effect/,
  ],
]

describe('what is accepted and does not work as written (decisions §1.1)', () => {
  for (const [what, kind, ref, change, expected] of CASES)
    it(`is said by the object as long as it is so, and stops nothing: ${what}`, () =>
      told([...WORLD, ...callbackSubscriber('app', 'b')], async (story) => {
        const good = story.get(kind, ref).spec
        assert.equal(adviceAt(story, kind, ref), undefined)
        await story.change(kind, ref, change)
        const said = adviceAt(story, kind, ref)
        assert.deepEqual([said?.status, said?.reason], ['True', 'NotAsWritten'])
        assert.match(said?.message ?? '', expected)
        assert.equal(story.ready(kind, ref), 'True')
        assert.equal(story.ready(EventSubscription, APP), 'True')
        const { object, warnings } = kind.admit!({
          operation: 'update',
          object: story.get(kind, ref),
          old: undefined,
          user: { name: 'ann', groups: [] },
          now: '2026-01-01T00:00:00Z',
        })
        assert.equal(warnings?.join('; '), said?.message, 'in the words of the warning')
        assert.equal(object.spec, story.get(kind, ref).spec)
        await story.change(kind, ref, () => good)
        assert.equal(adviceAt(story, kind, ref), undefined)
      }))

  it('is said several times in one, and beside what is in the way', () =>
    told([...WORLD.slice(0, -1), ...streamSubscriber('app', 'b')], async (story) => {
      await story.change(EventSubscription, APP, delivery({ callback: 'https://x.example', eventRetentionTime: '2w' }))
      assert.equal(story.ready(EventSubscription, APP), 'False/PreconditionNotMet')
      assert.match(
        adviceAt(story, EventSubscription, APP)?.message ?? '',
        /^spec\.delivery\.callback has no effect .*; spec\.delivery\.eventRetentionTime "2w"/,
      )
      await story.apply(exposure('b'))
      assert.equal(story.ready(EventSubscription, APP), 'True')
      assert.ok(adviceAt(story, EventSubscription, APP))
    }))
})
