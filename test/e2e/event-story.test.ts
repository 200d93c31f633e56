import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { EventConfig } from '#domain/kinds/event/event-config.ts'
import { EventExposure } from '#domain/kinds/event/event-exposure.ts'
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
  OTHER_TEAM,
  streamSubscriber,
  subscriptionRef,
  TEAM,
  zone,
} from '#test/domain/event/drafts.ts'
import { EventWorld, ready, type Watch } from './event-world.ts'

/** One world in a server process of its own; the steps build on each other. */
describe('the event domain through the API', () => {
  const own = subscriptionRef('app')
  const ends: (() => unknown)[] = []
  let world: EventWorld

  after(async () => {
    for (const end of ends.toReversed()) await end()
  })

  before(async () => {
    world = await EventWorld.start({ after: (end) => void ends.push(end as () => unknown) })
    await world.create(zone('b'), zone('c'), local('b'), local('c'))
    await world.create(application('shop', 'b'), eventType(), exposure('b'), ...callbackSubscriber('app', 'c'))
  })

  it('a declared subscription becomes Ready and is registered at the backend', async () => {
    const subscription = await world.untilReady(EventSubscription, own)
    assert.equal(world.backend.registered.size, 1)
    assert.match([...world.backend.registered][0]!, new RegExp(`${subscription.status.subscriptionID}$`))
    const statuses = subscription.status.conditions.map((c: any) => c.message)
    assert.deepEqual(
      statuses.filter((message: string) => message.endsWith('.')),
      [],
    )
  })

  it('a revoked mesh removes the registration, and a restored one makes it again', async () => {
    await world.patch(EventConfig, configRef('b'), { mesh: { fullMesh: false, zoneNames: ['b'] } })
    const stopped = await world.untilReady(EventSubscription, own, 'False')
    assert.match(ready(stopped).message, /excludes zone c/)
    await gone(world)
    assert.deepEqual([world.backend.removals, world.backend.registered.size], [1, 0])
    await world.patch(EventConfig, configRef('b'), { mesh: { fullMesh: true, zoneNames: null } })
    await world.untilReady(EventSubscription, own)
    assert.equal(world.backend.registered.size, 1)
  })

  for (const [whose, name] of [
    ['exposure', 'b'],
    ['subscriber', 'c'],
  ] as const) {
    it(`removing the EventConfig of the ${whose}'s zone and making it again loses nothing`, async () => {
      const former = await world.find(Subscriber, own)
      const removals = world.backend.removals
      await world.delete(EventConfig, configRef(name))
      const waits = await world.untilReady(EventSubscription, own, 'False')
      assert.match(ready(waits).message, /EventConfig|EventExposure/)
      await world.create(local(name))
      await world.untilReady(EventSubscription, own)
      assert.equal((await world.find(Subscriber, own)).metadata.uid, former.metadata.uid)
      assert.deepEqual([world.backend.removals, world.backend.registered.size], [removals, 1])
    })
  }

  it('no condition flaps while a zone and a stream subscriber are added', async () => {
    await Promise.all(['b', 'c'].map((z) => world.untilReady(EventConfig, configRef(z))))
    await world.untilReady(EventExposure, exposureRef())
    const watches = await Promise.all([
      world.watch(EventConfig, at('b')),
      world.watch(EventConfig, at('c')),
      world.watch(EventExposure, TEAM),
      world.watch(EventSubscription, OTHER_TEAM),
    ])
    for (const watch of watches) await watch.first(() => true)
    await world.create(zone('d'), local('d'), ...streamSubscriber('live', 'd'))
    await world.untilReady(EventConfig, configRef('d'))
    const streamed = await world.untilReady(EventSubscription, subscriptionRef('live'))
    assert.match(streamed.status.url, /\/sse\//)
    const old = new Set([own.name, exposureRef().name, configRef('b').name])
    for (const watch of watches) assert.deepEqual(unready(watch, old), [])
    const rewritten = watches[3].seen.filter((e) => e.type === 'MODIFIED' && e.object.metadata.name === own.name)
    assert.equal(rewritten.length, 0, 'writes to the subscription nobody changed')
    for (const watch of watches) watch.close()
  })
})

/** The Subscriber goes once the backend has forgotten it. */
async function gone(world: EventWorld): Promise<void> {
  while ((await world.find(Subscriber, subscriptionRef('app'))) !== undefined) continue
}

const unready = (watch: Watch, names: ReadonlySet<string>): readonly string[] =>
  watch.seen
    .filter(({ type, object }) => type === 'MODIFIED' && names.has(object.metadata.name))
    .filter(({ object }) => ready(object)?.status !== 'True')
    .map(({ object }) => `${object.kind} ${object.metadata.name}: ${ready(object)?.message}`)
