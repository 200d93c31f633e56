import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { EventConfig } from '#domain/kinds/event/event-config.ts'
import { EventExposure } from '#domain/kinds/event/event-exposure.ts'
import { EventSubscription } from '#domain/kinds/event/event-subscription.ts'
import { Subscriber } from '#domain/kinds/pubsub/subscriber.ts'
import {
  application,
  callbackSubscriber,
  configRef,
  eventType,
  exposure,
  exposureRef,
  local,
  subscriptionRef,
  zone,
} from '#test/domain/event/drafts.ts'
import { EventWorld } from './event-world.ts'

const own = subscriptionRef('app')

/** A backend that has stored the subscription and does not say so until the gate opens. */
async function inFlight(t: TestContext): Promise<{ readonly world: EventWorld; readonly open: () => void }> {
  const world = await EventWorld.start(t)
  await world.create(zone('b'), zone('c'), local('b'), local('c'))
  await world.create(application('shop', 'b'), eventType(), exposure('b'))
  await world.untilReady(EventExposure, exposureRef())
  const gate = Promise.withResolvers<void>()
  world.backend.gate = gate.promise
  const called = world.backend.nextCall()
  await world.create(...callbackSubscriber('app', 'c'))
  await called
  assert.equal(world.backend.registered.size, 1)
  return { world, open: gate.resolve }
}

async function cleared(world: EventWorld): Promise<void> {
  while ((await world.find(Subscriber, own)) !== undefined || world.backend.registered.size > 0)
    assert.equal(world.server.child.exitCode, null)
}

test('a subscription that is deleted while it is being registered is removed from the backend', async (t) => {
  const { world, open } = await inFlight(t)
  await world.delete(EventSubscription, own)
  open()
  await cleared(world)
})

test('so is one that a mesh excludes meanwhile', async (t) => {
  const { world, open } = await inFlight(t)
  await world.patch(EventConfig, configRef('b'), { mesh: { fullMesh: false, zoneNames: ['b'] } })
  await world.untilReady(EventSubscription, own, 'False')
  open()
  await cleared(world)
})

test('so is one whose registration nobody heard of because the server was killed', async (t) => {
  const { world, open } = await inFlight(t)
  await world.server.stop('SIGKILL')
  // The backend does not answer before the subscription is gone: only what was written down tells of it.
  const calls = world.backend.calls.length
  const again = await EventWorld.beside(t, world.backend, world.server.data)
  await again.delete(EventSubscription, own)
  open()
  await cleared(again)
  assert.ok(again.backend.calls.length > calls)
})
