import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, it } from 'node:test'
import { Unreached } from '#controllers/actuators/http-call.ts'
import { EventSubscription } from '#domain/kinds/event/event-subscription.ts'
import { Subscriber } from '#domain/kinds/pubsub/subscriber.ts'
import { application, callbackSubscriber, eventType, exposure, local, subscriptionRef, zone } from './drafts.ts'
import { Story } from './story.ts'

const APP = subscriptionRef('app')
const MESH = [zone('b'), zone('s'), local('b'), local('s'), eventType(), application('shop', 'b')]
const elsewhere = (url: string) => {
  const draft = local('b')
  return { ...draft, spec: { ...draft.spec, local: { ...draft.spec.local, admin: { url } } } }
}

describe('a registration whose end nobody heard of', () => {
  let story: Story
  beforeEach(async () => void (story = await Story.of([...MESH, exposure('b')])))
  afterEach(() => story.end())

  const pending = () => story.get(Subscriber, APP).status?.pending?.map((p) => p.registration.url) ?? []
  const held = () => [...story.backend.subscriptions.keys()]

  for (const [how, lose] of [
    ['the connection broke', () => assert.fail('reset')],
    ['the backend said 504', () => 504],
  ] as const)
    it(`because ${how} is removed with its subscription`, async () => {
      story.backend.lose = lose
      await story.apply(...callbackSubscriber('app', 's'))
      assert.equal(story.ready(Subscriber, APP), 'False/Processing')
      assert.deepEqual([held().length, pending().length], [1, 1])
      story.backend.lose = undefined
      await story.delete(EventSubscription, APP)
      assert.deepEqual(held(), [])
      assert.equal(story.find(Subscriber, APP), undefined)
    })

  it('is remembered through all further attempts, and they write nothing', async () => {
    story.backend.lose = () => 500
    await story.apply(...callbackSubscriber('app', 's'))
    const calls = story.backend.calls.length
    const { resourceVersion } = story.get(Subscriber, APP).metadata
    await story.settle()
    assert.ok(story.backend.calls.length > calls)
    assert.equal(story.get(Subscriber, APP).metadata.resourceVersion, resourceVersion)
    story.backend.lose = undefined
    for (let i = 0; i < 20; i++) await story.settle()
    assert.equal(story.ready(Subscriber, APP), 'True')
    assert.deepEqual(pending(), [])
  })

  it('is removed from where it may be when it moves on', async () => {
    story.backend.lose = () => 500
    await story.apply(...callbackSubscriber('app', 's'))
    story.backend.lose = undefined
    await story.apply(elsewhere('https://new.example/api'))
    assert.deepEqual([held().map((url) => new URL(url).host), pending()], [['new.example'], []])
    assert.equal(story.ready(Subscriber, APP), 'True')
  })

  for (const [what, lose] of [
    ['there is nobody to call', () => Promise.reject(new Unreached('', { cause: { code: 'ENOTFOUND' } }))],
    ['it is refused', () => 403],
    ['the path is wrong', () => 404],
  ] as const)
    it(`is not looked for where ${what}: an address that is corrected is enough`, async () => {
      story.backend.refuse = lose
      await story.apply(elsewhere('https://wrong.example/api'), ...callbackSubscriber('app', 's'))
      assert.equal(story.ready(Subscriber, APP).split('/')[0], 'False')
      assert.deepEqual(pending(), [])
      story.backend.refuse = (url) => (url.startsWith('https://wrong.example/') ? lose() : undefined)
      await story.apply(elsewhere('https://right.example/api'))
      assert.equal(story.ready(Subscriber, APP), 'True')
      await story.delete(EventSubscription, APP)
      assert.deepEqual([held(), story.find(Subscriber, APP)], [[], undefined])
    })

  it('is still looked for when the next attempt finds nobody to call', async () => {
    story.backend.lose = () => 500
    await story.apply(...callbackSubscriber('app', 's'))
    story.backend.refuse = () => Promise.reject(new Unreached('', { cause: { code: 'ECONNREFUSED' } }))
    await story.settle()
    assert.equal(pending().length, 1)
    story.backend.refuse = undefined
    await story.delete(EventSubscription, APP)
    for (let i = 0; i < 20; i++) await story.settle()
    assert.deepEqual([held(), story.find(Subscriber, APP)], [[], undefined])
  })

  it('is remembered while only the place of before cannot be reached', async () => {
    await story.apply(...callbackSubscriber('app', 's'))
    const gone = new URL(held()[0]!).host
    story.backend.refuse = (url) =>
      new URL(url).host === gone ? Promise.reject(new Unreached('', { cause: { code: 'ENOTFOUND' } })) : undefined
    await story.apply(elsewhere('https://new.example/api'))
    assert.deepEqual(pending(), ['https://new.example/api'])
    story.backend.refuse = undefined
    await story.delete(EventSubscription, APP)
    for (let i = 0; i < 20; i++) await story.settle()
    assert.deepEqual([held(), story.find(Subscriber, APP)], [[], undefined])
  })
})
