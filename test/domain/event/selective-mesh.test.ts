import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { EventConfig } from '#domain/kinds/event/event-config.ts'
import { EventSubscription } from '#domain/kinds/event/event-subscription.ts'
import { Subscriber } from '#domain/kinds/pubsub/subscriber.ts'
import { rowOf } from './route-rows.ts'
import { Story } from './story.ts'
import {
  application,
  callbackSubscriber,
  configRef,
  eventType,
  exposure,
  local,
  proxy,
  streamSubscriber,
  subscriptionRef,
  zone,
} from './drafts.ts'

const ZONES = ['b', 'e', 's', 'p']

describe('the selective mesh of event-domain §12.2', () => {
  let story: Story
  before(async () => {
    story = await Story.of([
      ...ZONES.map((z) => zone(z)),
      local('b', { clientId: 'cb-b', mesh: ['e', 's'] }),
      proxy('e', 'b', { clientId: 'cb-e', mesh: ['s', 'p'] }),
      local('s', { clientId: 'cb-s', mesh: [] }),
      proxy('p', 'b', { clientId: 'cb-p', mesh: [] }),
      eventType(),
      application('shop', 'e'),
      exposure('e'),
      ...ZONES.flatMap((z) => callbackSubscriber(`cb-${z}`, z)),
      ...streamSubscriber('sse-p', 'p'),
    ])
  })
  after(() => story.end())

  it('has exactly these callback routes', () => {
    const rows = story
      .eventRoutes()
      .map(rowOf)
      .filter((r) => r.route.startsWith('callback--'))
    const shown = rows.map((r) => [r.zone, r.route, r.type, r.trusted, r.allowed].join(' | ')).toSorted()
    assert.deepEqual(shown, [
      'b | callback--b | PRIMARY | I(b) | cb-b',
      'b | callback--e | PROXY | I(b) | cb-b',
      'b | callback--s | PROXY | I(b) | cb-b',
      'e | callback--e | PRIMARY | I(e), L(b) | cb-e, gateway',
      'p | callback--p | PRIMARY | I(p) | cb-p',
      's | callback--s | PRIMARY | I(s), L(b) | cb-s, gateway',
    ])
  })

  it('projects only what both meshes allow', () => {
    const urls = (z: string) => {
      const { callbackUrl, proxyCallbackUrls } = story.get(EventConfig, configRef(z)).status ?? {}
      return { callbackUrl, proxyCallbackUrls }
    }
    assert.deepEqual(urls('e'), {
      callbackUrl: 'https://b.gw.example/eventbackend-e/callback/v1',
      proxyCallbackUrls: { s: 'https://b.gw.example/eventbackend-s/callback/v1' },
    })
    assert.deepEqual(urls('p'), { callbackUrl: '', proxyCallbackUrls: {} })
    assert.equal(story.ready(EventConfig, configRef('p')), 'True')
  })

  it('delivers where it can and says why it cannot elsewhere', () => {
    const callback = (z: string) =>
      story.find(Subscriber, subscriptionRef(`cb-${z}`))?.spec.delivery.callback?.split('?')[0]
    assert.equal(callback('e'), 'https://b.gw.example/eventbackend-e/callback/v1')
    assert.equal(callback('s'), 'https://b.gw.example/eventbackend-s/callback/v1')
    assert.equal(callback('b'), undefined)
    assert.equal(callback('p'), undefined)
    const message = (z: string) => story.condition(EventSubscription, subscriptionRef(`cb-${z}`), 'Ready').message
    assert.equal(message('b'), 'The mesh of EventConfig prod--e/prod excludes zone b: add it to spec.mesh.zoneNames')
    assert.equal(
      message('p'),
      'EventConfig prod--e/prod has no callback URL for zone p: let the mesh of its backend include that zone',
    )
    for (const z of ['b', 'p'])
      assert.equal(story.ready(EventSubscription, subscriptionRef(`cb-${z}`)), 'False/PreconditionNotMet')
  })

  it('trusts publishers of proxy zones by target, not by mesh, and streams by the mesh of the exposure alone', () => {
    const row = (route: string, z: string) =>
      story
        .eventRoutes()
        .map(rowOf)
        .find((r) => r.route === route && r.zone === z)
    assert.equal(row('publish', 'b')?.trusted, 'I(b), L(e), L(p)')
    assert.equal(row('sse--orders-v1', 'p')?.upstream, 'https://b.gw.example/eventbackend/sse/v1/orders.v1')
    assert.equal(story.ready(EventSubscription, subscriptionRef('sse-p')), 'True')
  })

  it('keeps the Subscriber when only the backend loses the zone (Q20)', async () => {
    await story.apply(local('b', { clientId: 'cb-b', mesh: ['e'] }))
    assert.equal(story.ready(EventSubscription, subscriptionRef('cb-s')), 'False/PreconditionNotMet')
    assert.ok(story.find(Subscriber, subscriptionRef('cb-s')))
    assert.equal(
      story
        .eventRoutes()
        .map(rowOf)
        .some((r) => r.route === 'callback--s' && r.zone === 'b'),
      false,
    )
    await story.apply(local('b', { clientId: 'cb-b', mesh: ['e', 's'] }))
    assert.equal(story.ready(EventSubscription, subscriptionRef('cb-s')), 'True')
  })
})
