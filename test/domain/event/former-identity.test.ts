import assert from 'node:assert/strict'
import { it } from 'node:test'
import { EventSubscription } from '#domain/kinds/event/event-subscription.ts'
import { Subscriber } from '#domain/kinds/pubsub/subscriber.ts'
import { subscriptionIdOf } from '#domain/plan/subscriber-body.ts'
import { application, callbackSubscriber, ENVIRONMENT, eventType, exposure } from './drafts.ts'
import { local, subscriptionRef, zone } from './drafts.ts'
import { type Draft, told } from './story.ts'

const APP = subscriptionRef('app')
const NEXT = [eventType('next.v1'), exposure('b', {}, 'next.v1')]
const MESH = [zone('b'), zone('s'), local('b'), local('s'), eventType(), application('shop', 'b'), exposure('b')]

/** Another subscription of the same application to the type the first one has left. */
const second = (): Draft => {
  const draft = callbackSubscriber('app', 's').at(-1)!
  return { ...draft, metadata: { ...draft.metadata, name: 'second' } }
}
const SECOND = { ...APP, name: 'second' }

for (const end of ['cleans up', 'is deleted'] as const)
  it(`a registration survives that one who had its id before ${end} late`, () =>
    told([...MESH, ...NEXT, ...callbackSubscriber('app', 's')], async (story) => {
      const id = subscriptionIdOf(ENVIRONMENT, 'orders.v1', 'shop--billing--app')
      const names = () => [...story.backend.subscriptions.values()].map((s) => s.metadata.name)
      assert.deepEqual(names(), [id])
      story.backend.refuse = (url) => (url.endsWith(id) ? 500 : undefined)
      await story.change(EventSubscription, APP, (spec) => ({ ...spec, eventType: 'next.v1' }))
      assert.equal(names().length, 2)
      story.backend.refuse = undefined
      await story.write(second())
      if (end === 'is deleted') await story.drop(EventSubscription, APP)
      for (let i = 0; i < 40; i++) await story.settle()
      assert.equal(story.ready(EventSubscription, SECOND), 'True')
      assert.equal(story.all(Subscriber).length, end === 'is deleted' ? 1 : 2)
      assert.ok(names().includes(id))
    }))
