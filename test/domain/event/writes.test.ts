import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { EventConfig } from '#domain/kinds/event/event-config.ts'
import { EventSubscription } from '#domain/kinds/event/event-subscription.ts'
import { Subscriber } from '#domain/kinds/pubsub/subscriber.ts'
import {
  application,
  at,
  callbackSubscriber,
  configRef,
  eventType,
  exposure,
  exposureRef,
  local,
  proxy,
  streamSubscriber,
  subscriptionRef,
  zone,
} from './drafts.ts'
import { type Draft, told } from './story.ts'

const ZONES = ['b', 'c', 'd', 'e', 'f']
/** Two exposures, one of them in a proxy zone, with a callback subscriber in every zone. */
const WORLD: readonly Draft[] = [
  ...ZONES.map((z) => zone(z)),
  ...ZONES.filter((z) => z !== 'e').map((z) => local(z)),
  proxy('e', 'b'),
  application('shop', 'b'),
  eventType('one.v1'),
  eventType('two.v1'),
  exposure('e', {}, 'one.v1'),
  exposure('c', {}, 'two.v1'),
  ...ZONES.flatMap((z) => callbackSubscriber(`one-${z}`, z, {}, 'one.v1')),
  ...ZONES.flatMap((z) => callbackSubscriber(`two-${z}`, z, {}, 'two.v1')),
]

const written = (writes: ReadonlyMap<string, number>, kind: string): Record<string, number> =>
  Object.fromEntries(
    [...writes].filter(([key]) => key.startsWith(`${kind} `)).map(([key, n]) => [key.split('/')[1] ?? '', n]),
  )

describe('writes follow what changes', () => {
  it('a revoked zone costs the subscriptions there one status write each, and nobody else any', () =>
    told(WORLD, async (story) => {
      const { status, spec } = await story.counting(() => story.apply(proxy('e', 'b', { mesh: ['b', 'c', 'd'] })))
      assert.equal(story.find(Subscriber, subscriptionRef('one-f', 'one.v1')), undefined)
      assert.deepEqual(written(status, 'EventSubscription'), { 'one-f--one-v1': 1 })
      // Its finalizer is taken off.
      assert.deepEqual(written(spec, 'Subscriber'), { 'one-f--one-v1': 1 })
      assert.deepEqual(written(spec, 'Route'), {})
      assert.deepEqual(
        [...status.keys()].filter((key) => key.startsWith('EventConfig ')),
        [`EventConfig ${at('e')}/prod`],
      )
    }))

  it('and granting it again costs the same few', () =>
    told([...WORLD, proxy('e', 'b', { mesh: ['b', 'c', 'd'] })], async (story) => {
      const { status } = await story.counting(() => story.apply(proxy('e', 'b')))
      assert.equal(story.ready(EventSubscription, subscriptionRef('one-f', 'one.v1')), 'True')
      assert.deepEqual(Object.keys(written(status, 'EventSubscription')), ['one-f--one-v1'])
    }))

  it('a new zone touches no subscription, and no condition of an EventConfig flaps', () =>
    told(WORLD, async (story) => {
      const before = ZONES.map((z) => story.get(EventConfig, configRef(z)).status?.conditions)
      const { status, spec } = await story.counting(() => story.apply(zone('g'), local('g')))
      assert.deepEqual(written(status, 'EventSubscription'), {})
      assert.deepEqual(written(status, 'EventExposure'), {})
      assert.deepEqual(written(spec, 'Subscriber'), {})
      assert.deepEqual(
        ZONES.map((z) => story.get(EventConfig, configRef(z)).status?.conditions),
        before,
      )
      for (const z of ZONES) assert.equal(status.get(`EventConfig ${at(z)}/prod`), 1, `status writes of zone ${z}`)
      assert.equal(story.ready(EventConfig, configRef('g')), 'True')
    }))

  it('a new stream subscriber touches its own subscription and the exposure, and no other subscription', () =>
    told([...WORLD, ...streamSubscriber('live', 'c', {}, 'one.v1')], async (story) => {
      const { status, spec } = await story.counting(() => story.apply(...streamSubscriber('more', 'd', {}, 'one.v1')))
      assert.equal(story.ready(EventSubscription, subscriptionRef('more', 'one.v1')), 'True')
      assert.deepEqual(Object.keys(written(status, 'EventSubscription')), ['more--one-v1'])
      assert.deepEqual(written(status, 'EventExposure'), { [exposureRef('one.v1').name]: 1 })
      assert.deepEqual(written(status, 'EventConfig'), {})
      assert.deepEqual(Object.keys(written(spec, 'Subscriber')), ['more--one-v1'])
    }))

  it('a new Subscriber is written once: the finalizer its registration needs comes with it', () =>
    told(WORLD, async (story) => {
      const { spec } = await story.counting(() => story.apply(...callbackSubscriber('new', 'c', {}, 'one.v1')))
      const ref = subscriptionRef('new', 'one.v1')
      assert.equal(story.ready(EventSubscription, ref), 'True')
      assert.deepEqual(story.get(Subscriber, ref).metadata.finalizers, ['cp.ei.vendor.de/finalizer'])
      assert.deepEqual(written(spec, 'Subscriber'), { [ref.name]: 1 })
    }))

  it('a second stream subscriber in a zone does not concern the exposure', () =>
    told([...WORLD, ...streamSubscriber('live', 'c', {}, 'one.v1')], async (story) => {
      const { status, spec } = await story.counting(() => story.apply(...streamSubscriber('more', 'c', {}, 'one.v1')))
      assert.deepEqual(written(status, 'EventExposure'), {})
      assert.deepEqual(written(spec, 'Route'), {})
    }))

  it('a mesh that only concerns others leaves a zone alone', () =>
    told(WORLD, async (story) => {
      const { spec } = await story.counting(() => story.apply(local('d', { mesh: ['b', 'c', 'e'] })))
      // d no longer calls back into f: f trusts one issuer less, and the route in d is gone.
      assert.deepEqual(
        [...spec.keys()].filter((key) => key.startsWith('Route ')),
        [`Route ${at('f')}/callback--f`],
      )
    }))
})
