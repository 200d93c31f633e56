import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { EventConfig } from '#domain/kinds/event/event-config.ts'
import { EventExposure } from '#domain/kinds/event/event-exposure.ts'
import { EventSubscription } from '#domain/kinds/event/event-subscription.ts'
import { Consumer } from '#domain/kinds/gateway/consumer.ts'
import { Client } from '#domain/kinds/identity/client.ts'
import { Publisher } from '#domain/kinds/pubsub/publisher.ts'
import { Subscriber } from '#domain/kinds/pubsub/subscriber.ts'
import { byZoneAndName, rowOf, type RouteRow } from './route-rows.ts'
import { Story } from './story.ts'
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

/** Event-domain §12.1, word for word: route | zone | kind | label | paths | upstream | trusted | allowed. */
const TABLE = `
callback--b | b | PRIMARY | callback | /eventbackend-b/callback/v1 | http://localhost:8080/proxy dynamic by callback | I(b), L(s) | cb-b, gateway
callback--e | b | PROXY | callback-proxy | /eventbackend-e/callback/v1 | https://e.gw.example/eventbackend-e/callback/v1 | I(b) | cb-b
callback--s | b | PROXY | callback-proxy | /eventbackend-s/callback/v1 | https://s.gw.example/eventbackend-s/callback/v1 | I(b) | cb-b
callback--p | b | PROXY | callback-proxy | /eventbackend-p/callback/v1 | https://p.gw.example/eventbackend-p/callback/v1 | I(b) | cb-b
publish | b | PRIMARY | publish | /eventbackend/events/v1, /eventbackend/publish/v1 | https://b.backend.example/publish | I(b), L(e), L(p) | off
voyager--b | b | PRIMARY | voyager | /eventbackend/voyager/v1, /eventbackend-b/voyager/v1 | https://b.backend.example/voyager | I(b), L(e), L(p), L(s) | off
voyager--s | b | PROXY | voyager-proxy | /eventbackend-s/voyager/v1 | https://s.gw.example/eventbackend-s/voyager/v1 | I(b) | off
sse--orders-v1 | b | PRIMARY | sse | /eventbackend/sse/v1/orders.v1 | https://b.backend.example/sse | I(b), L(e), L(p), L(s) | off
callback--e | e | PRIMARY | callback | /eventbackend-e/callback/v1 | http://localhost:8080/proxy dynamic by callback | I(e), L(b), L(s) | cb-e, gateway
publish | e | PROXY | publish-proxy | /eventbackend/events/v1, /eventbackend/publish/v1 | https://b.gw.example/eventbackend/events/v1 | I(e) | off
voyager--e | e | PROXY | voyager | /eventbackend/voyager/v1, /eventbackend-e/voyager/v1 | https://b.gw.example/eventbackend-b/voyager/v1 | I(e) | off
voyager--b | e | PROXY | voyager-proxy | /eventbackend-b/voyager/v1 | https://b.gw.example/eventbackend-b/voyager/v1 | I(e) | off
voyager--s | e | PROXY | voyager-proxy | /eventbackend-s/voyager/v1 | https://s.gw.example/eventbackend-s/voyager/v1 | I(e) | off
sse--orders-v1 | e | PROXY | sse-proxy | /eventbackend/sse/v1/orders.v1 | https://b.gw.example/eventbackend/sse/v1/orders.v1 | I(e) | off
callback--s | s | PRIMARY | callback | /eventbackend-s/callback/v1 | http://localhost:8080/proxy dynamic by callback | I(s), L(b) | cb-s, gateway
callback--b | s | PROXY | callback-proxy | /eventbackend-b/callback/v1 | https://b.gw.example/eventbackend-b/callback/v1 | I(s) | cb-s
callback--e | s | PROXY | callback-proxy | /eventbackend-e/callback/v1 | https://e.gw.example/eventbackend-e/callback/v1 | I(s) | cb-s
callback--p | s | PROXY | callback-proxy | /eventbackend-p/callback/v1 | https://p.gw.example/eventbackend-p/callback/v1 | I(s) | cb-s
publish | s | PRIMARY | publish | /eventbackend/events/v1, /eventbackend/publish/v1 | https://s.backend.example/publish | I(s) | off
voyager--s | s | PRIMARY | voyager | /eventbackend/voyager/v1, /eventbackend-s/voyager/v1 | https://s.backend.example/voyager | I(s), L(b), L(e), L(p) | off
voyager--b | s | PROXY | voyager-proxy | /eventbackend-b/voyager/v1 | https://b.gw.example/eventbackend-b/voyager/v1 | I(s) | off
sse--orders-v1 | s | PROXY | sse-proxy | /eventbackend/sse/v1/orders.v1 | https://b.gw.example/eventbackend/sse/v1/orders.v1 | I(s) | off
callback--p | p | PRIMARY | callback | /eventbackend-p/callback/v1 | http://localhost:8080/proxy dynamic by callback | I(p), L(b), L(s) | cb-p, gateway
publish | p | PROXY | publish-proxy | /eventbackend/events/v1, /eventbackend/publish/v1 | https://b.gw.example/eventbackend/events/v1 | I(p) | off
voyager--p | p | PROXY | voyager | /eventbackend/voyager/v1, /eventbackend-p/voyager/v1 | https://b.gw.example/eventbackend-b/voyager/v1 | I(p) | off
voyager--b | p | PROXY | voyager-proxy | /eventbackend-b/voyager/v1 | https://b.gw.example/eventbackend-b/voyager/v1 | I(p) | off
voyager--s | p | PROXY | voyager-proxy | /eventbackend-s/voyager/v1 | https://s.gw.example/eventbackend-s/voyager/v1 | I(p) | off
sse--orders-v1 | p | PROXY | sse-proxy | /eventbackend/sse/v1/orders.v1 | https://b.gw.example/eventbackend/sse/v1/orders.v1 | I(p) | off
`

function parse(table: string): readonly RouteRow[] {
  return table
    .trim()
    .split('\n')
    .map((line) => {
      const [route = '', home = '', type = '', label = '', paths = '', upstream = '', trusted = '', allowed = ''] =
        line.split(' | ')
      return { route, zone: home, type, label, hosts: `${home}.gw.example`, paths, upstream, trusted, allowed }
    })
}

const ZONES = ['b', 'e', 's', 'p']
const ingress = (gateway: string, target: string): string =>
  `https://${gateway}.gw.example/eventbackend-${target}/callback/v1`

describe('the full mesh of event-domain §12.1', () => {
  let story: Story
  before(async () => {
    story = await Story.of([
      ...ZONES.map((z) => zone(z)),
      local('b', { clientId: 'cb-b', replay: true }),
      proxy('e', 'b', { clientId: 'cb-e' }),
      local('s', { clientId: 'cb-s', replay: true }),
      proxy('p', 'b', { clientId: 'cb-p' }),
      eventType(),
      application('shop', 'e'),
      exposure('e'),
      ...ZONES.flatMap((z) => [...streamSubscriber(`sse-${z}`, z), ...callbackSubscriber(`cb-${z}`, z)]),
    ])
  })
  after(() => story.end())
  const status = (z: string) => story.get(EventConfig, configRef(z)).status ?? {}

  it('has exactly these 28 routes, field by field', () => {
    const expected = parse(TABLE)
    assert.equal(expected.length, 28)
    assert.deepEqual(story.eventRoutes().map(rowOf).toSorted(byZoneAndName), expected.toSorted(byZoneAndName))
  })

  it('streams without buffering, and every route belongs to the gateway and realm of its zone', () => {
    for (const { metadata, spec } of story.eventRoutes()) {
      const streams = metadata.name.startsWith('sse--')
      assert.equal(spec.buffering?.disableResponseBuffering === true, streams, metadata.name)
      assert.deepEqual(spec.gatewayRef, { name: 'gateway', namespace: metadata.namespace })
      assert.equal(spec.security?.realmName, 'prod')
      assert.equal(spec.passThrough, false)
    }
  })

  it('is ready everywhere', () => {
    for (const z of ZONES) assert.equal(story.ready(EventConfig, configRef(z)), 'True')
    assert.equal(story.ready(EventExposure, exposureRef()), 'True')
    for (const z of ZONES) {
      assert.equal(story.ready(EventSubscription, subscriptionRef(`sse-${z}`)), 'True')
      assert.equal(story.ready(EventSubscription, subscriptionRef(`cb-${z}`)), 'True')
    }
  })

  it('advertises callback URLs of the backend gateway (§6.2.4, §6.2.5)', () => {
    const gateways: Record<string, string> = { b: 'b', e: 'b', s: 's', p: 'b' }
    for (const z of ZONES) {
      const gateway = gateways[z] ?? ''
      assert.equal(status(z).callbackUrl, ingress(gateway, z))
      const others = ZONES.filter((t) => t !== z)
      assert.deepEqual(status(z).proxyCallbackUrls, Object.fromEntries(others.map((t) => [t, ingress(gateway, t)])))
      assert.deepEqual(status(z).callbackRoute, { name: `callback--${z}`, namespace: at(z) })
    }
  })

  it('has outbound callback routes at local EventConfigs only (§6.2.1)', () => {
    const names = (z: string) => status(z).proxyCallbackRoutes?.map((r) => r.name)
    assert.deepEqual(ZONES.map(names), [
      ['callback--e', 'callback--p', 'callback--s'],
      [],
      ['callback--b', 'callback--e', 'callback--p'],
      [],
    ])
  })

  it('describes publish and replay by its own routes (§6.2.8)', () => {
    for (const z of ZONES) {
      assert.equal(status(z).publishUrl, `https://${z}.gw.example/eventbackend/events/v1`)
      assert.equal(status(z).voyagerUrl, `https://${z}.gw.example/eventbackend/voyager/v1`)
      assert.deepEqual(status(z).publishRoute, { name: 'publish', namespace: at(z) })
      assert.deepEqual(status(z).eventStore, { name: 'prod', namespace: at(z) })
    }
    assert.deepEqual(status('e').proxyVoyagerUrls, {
      b: 'https://e.gw.example/eventbackend-b/voyager/v1',
      s: 'https://e.gw.example/eventbackend-s/voyager/v1',
    })
  })

  it('shows on the exposure where to publish, call back and stream', () => {
    const exposed = story.get(EventExposure, exposureRef()).status
    const { conditions: _, ...rest } = exposed ?? { conditions: [] }
    assert.deepEqual(rest, {
      active: true,
      callbackURL: ingress('b', 'e'),
      publishURL: 'https://e.gw.example/eventbackend/events/v1',
      publisher: { name: 'orders.v1', namespace: at('e') },
      route: { name: 'sse--orders-v1', namespace: at('b') },
      proxyRoutes: ['e', 'p', 's'].map((z) => ({ name: 'sse--orders-v1', namespace: at(z) })),
      sseUrls: Object.fromEntries(ZONES.map((z) => [z, `https://${z}.gw.example/eventbackend/sse/v1/orders.v1`])),
    })
    assert.deepEqual(story.get(Publisher, { name: 'orders.v1', namespace: at('e') }).spec, {
      eventStore: { name: 'prod', namespace: at('e') },
      eventType: 'orders.v1',
      publisherId: 'shop--orders--shop',
    })
  })

  it('gives each subscriber the way in from the backend, and each stream the own gateway (§4.2, §4.3)', () => {
    for (const z of ZONES) {
      const { delivery } = story.get(Subscriber, subscriptionRef(`cb-${z}`)).spec
      assert.equal(delivery.callback, `${ingress('b', z)}?callback=https%3A%2F%2Fconsumer.example%2Fevents`)
      const stream = story.get(EventSubscription, subscriptionRef(`sse-${z}`)).status
      assert.equal(stream?.url, `https://${z}.gw.example/eventbackend/sse/v1/orders.v1/${stream?.subscriptionID}`)
      assert.equal(story.get(Subscriber, subscriptionRef(`sse-${z}`)).spec.delivery.callback, undefined)
    }
  })

  it('leaves the callback of the owner as it was given', () => {
    for (const z of ZONES)
      assert.equal(
        story.get(EventSubscription, subscriptionRef(`cb-${z}`)).spec.delivery.callback,
        'https://consumer.example/events',
      )
  })

  it('has one identity per EventConfig: Client, Consumer and allow-list are one id (§5.2.10)', () => {
    for (const z of ZONES) {
      const ref = { name: `cb-${z}`, namespace: at(z) }
      const owner = story.get(EventConfig, configRef(z)).metadata.uid
      assert.equal(story.get(Client, ref).spec.clientId, `cb-${z}`)
      assert.deepEqual(story.get(Client, ref).spec.realm, { name: 'prod', namespace: at(z) })
      assert.deepEqual(story.get(Consumer, ref).spec, {
        gateway: { name: 'gateway', namespace: at(z) },
        name: `cb-${z}`,
      })
      for (const kind of [Client, Consumer])
        assert.equal(story.get(kind, ref).metadata.ownerReferences?.find((r) => r.controller)?.uid, owner)
    }
  })

  it('moves to the other backend with the exposure, and nothing of the old one stays', async () => {
    await story.apply(exposure('s'))
    for (const z of ZONES) {
      const { delivery } = story.get(Subscriber, subscriptionRef(`cb-${z}`)).spec
      assert.equal(delivery.callback, `${ingress('s', z)}?callback=https%3A%2F%2Fconsumer.example%2Fevents`)
    }
    assert.deepEqual(
      story.all(Publisher).map((p) => p.metadata.namespace),
      [at('s')],
    )
    const streams = story
      .eventRoutes()
      .map(rowOf)
      .filter((r) => r.route.startsWith('sse--'))
      .toSorted(byZoneAndName)
    assert.deepEqual(
      streams.map((r) => [r.zone, r.type, r.trusted]),
      [
        ['b', 'PROXY', 'I(b)'],
        ['e', 'PROXY', 'I(e)'],
        ['p', 'PROXY', 'I(p)'],
        ['s', 'PRIMARY', 'I(s), L(b), L(e), L(p)'],
      ],
    )
    const held = [...story.backend.subscriptions.keys()]
    assert.equal(held.length, 8)
    assert.ok(
      held.every((url) => url.startsWith('https://s.backend.example/')),
      held.join('\n'),
    )
  })
})
