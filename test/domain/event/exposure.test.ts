import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { EventConfig } from '#domain/kinds/event/event-config.ts'
import { EventExposure } from '#domain/kinds/event/event-exposure.ts'
import { EventSubscription } from '#domain/kinds/event/event-subscription.ts'
import { EventType } from '#domain/kinds/event/event-type.ts'
import { Publisher } from '#domain/kinds/pubsub/publisher.ts'
import { Subscriber } from '#domain/kinds/pubsub/subscriber.ts'
import { HYPERION, PANDORA, Town, zoneRef as townZone } from '#test/domain/api/town.ts'
import { rowOf, type RouteRow } from './route-rows.ts'
import { type Draft, type Story, told } from './story.ts'
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
  proxy,
  streamSubscriber,
  subscriptionRef,
  TEAM,
  zone,
} from './drafts.ts'

const streams = (story: Story): readonly RouteRow[] =>
  story
    .eventRoutes()
    .map(rowOf)
    .filter((r) => r.route.startsWith('sse--'))
const stream = (story: Story, z: string): RouteRow | undefined => streams(story).find((r) => r.zone === z)
const SHOP = [eventType(), application('shop', 'b')]

describe('an EventType', () => {
  it('6: is registered by the oldest entry; the next one takes over when it goes', async () => {
    const second = eventType('orders.v1', OTHER_TEAM)
    await told([eventType(), second], async (story) => {
      const first = { name: 'orders-v1', namespace: TEAM }
      const other = { name: 'orders-v1', namespace: OTHER_TEAM }
      const active = (ref: typeof first) => story.find(EventType, ref)?.status?.active
      // Both were created in the same second: the namespace decides.
      assert.deepEqual([active(other), active(first)], [true, false])
      assert.equal(story.ready(EventType, first), 'False/PreconditionNotMet')
      assert.match(
        story.condition(EventType, first, 'Ready').message,
        /EventType prod--shop--billing\/orders-v1 is older/,
      )
      await story.delete(EventType, other)
      assert.equal(active(first), true)
      assert.equal(story.ready(EventType, first), 'True')
    })
  })

  it('6, 22: belongs to who came first, and so does its exposure, whatever their namespaces are called', async () => {
    const town = await Town.open()
    const expose = (namespace: string, app: string): Promise<void> =>
      town.put(EventExposure, namespace, 'orders', {
        eventType: 'orders.v1',
        provider: { name: app, namespace },
        zone: townZone('z1'),
        approval: {},
      })
    const type = (namespace: string) => town.put(EventType, namespace, 'orders', { type: 'orders.v1', version: '1' })
    await type(PANDORA)
    await expose(PANDORA, 'shop')
    await town.garden.advance(2000)
    assert.ok(HYPERION < PANDORA)
    await type(HYPERION)
    await expose(HYPERION, 'foo')
    for (const kind of [EventType, EventExposure]) {
      const active = (namespace: string) => town.get(kind, namespace, 'orders').status?.active
      assert.deepEqual([active(PANDORA), active(HYPERION)], [true, false], kind.kind)
      await town.delete(kind, PANDORA, 'orders')
      assert.equal(active(HYPERION), true, kind.kind)
    }
    await town.close()
  })
})

describe('an EventExposure', () => {
  it('waits and says so while no EventConfig exists (§1.4)', () =>
    told([zone('b'), ...SHOP, exposure('b'), ...callbackSubscriber('app', 'b')], async (story) => {
      const message = 'Zone prod/b has no EventConfig: create one in namespace prod--b'
      assert.equal(story.condition(EventExposure, exposureRef(), 'Ready').message, message)
      assert.equal(story.ready(EventSubscription, subscriptionRef('app')), 'False/PreconditionNotMet')
      assert.deepEqual(story.eventRoutes(), [])
      await story.apply(local('b'))
      assert.equal(story.ready(EventExposure, exposureRef()), 'True')
      assert.equal(story.ready(EventSubscription, subscriptionRef('app')), 'True')
    }))

  it('21: waits for its type, as its subscriptions do', () =>
    told(
      [zone('b'), local('b'), application('shop', 'b'), exposure('b'), ...callbackSubscriber('app', 'b')],
      async (story) => {
        assert.equal(
          story.condition(EventExposure, exposureRef(), 'Ready').message,
          'No EventType registers "orders.v1": create one',
        )
        assert.equal(story.get(EventExposure, exposureRef()).status?.active, false)
        for (const [kind, ref] of [
          [EventExposure, exposureRef()],
          [EventSubscription, subscriptionRef('app')],
        ] as const) {
          assert.equal(story.ready(kind, ref), 'False/PreconditionNotMet')
          assert.equal(story.condition(kind, ref, 'Processing').reason, 'Blocked')
        }
        await story.apply(eventType())
        assert.equal(story.ready(EventExposure, exposureRef()), 'True')
        assert.equal(story.ready(EventSubscription, subscriptionRef('app')), 'True')
      },
    ))

  it('keeps its place and its subscribers through a gap in the registry of types (decisions §4.5)', () =>
    told([zone('b'), local('b'), ...SHOP, exposure('b'), ...callbackSubscriber('app', 'b')], async (story) => {
      await story.delete(EventType, { name: 'orders-v1', namespace: TEAM })
      assert.equal(story.get(EventExposure, exposureRef()).status?.active, true)
      assert.equal(story.ready(EventExposure, exposureRef()), 'False/PreconditionNotMet')
      assert.equal(story.all(Publisher).length, 1)
      assert.ok(story.find(Subscriber, subscriptionRef('app')))
      assert.equal(streams(story).length, 1)
    }))

  it('22: is in force once per type; the next one takes over with one Publisher', async () => {
    const second: Draft = {
      ...exposure('s', { provider: { name: 'rival', namespace: OTHER_TEAM } }),
      metadata: { name: 'z-rival', namespace: OTHER_TEAM },
    }
    const first: Draft = { ...exposure('b'), metadata: { name: 'a-shop', namespace: OTHER_TEAM } }
    await told(
      [zone('b'), zone('s'), local('b'), local('s'), ...SHOP, application('rival', 's', OTHER_TEAM), first, second],
      async (story) => {
        assert.equal(story.ready(EventExposure, first.metadata), 'True')
        assert.equal(story.ready(EventExposure, second.metadata), 'False/PreconditionNotMet')
        assert.equal(story.get(EventExposure, second.metadata).status?.active, false)
        assert.match(
          story.condition(EventExposure, second.metadata, 'Ready').message,
          /EventExposure prod--shop--billing\/a-shop of prod--shop--orders is older/,
        )
        await story.apply(...callbackSubscriber('app', 'b'))
        await story.delete(EventExposure, first.metadata)
        assert.equal(story.ready(EventExposure, second.metadata), 'True')
        assert.deepEqual(
          story.all(Publisher).map((p) => [p.metadata.namespace, p.spec.publisherId]),
          [[at('s'), 'shop--billing--rival']],
        )
        assert.deepEqual(
          streams(story).map((r) => [r.zone, r.type]),
          [['s', 'PRIMARY']],
        )
        assert.equal(story.get(Subscriber, subscriptionRef('app')).spec.publisher.namespace, at('s'))
      },
    )
  })

  it('leaves nothing behind when it is deleted', () =>
    told(
      [zone('b'), zone('s'), local('b'), local('s'), ...SHOP, exposure('b'), ...streamSubscriber('app', 's')],
      async (story) => {
        assert.equal(streams(story).length, 2)
        await story.delete(EventExposure, exposureRef())
        assert.deepEqual(streams(story), [])
        assert.deepEqual(story.all(Publisher), [])
        assert.deepEqual(story.all(Subscriber), [])
        assert.equal(story.backend.subscriptions.size, 0)
      },
    ))

  it('hands further publishers and the schema of its type on, each once', async () => {
    const typed = eventType('orders.v1', TEAM, { specification: 'file-1' })
    const exposed = exposure('b', { additionalPublisherIds: ['x--y--z', 'a--b--c', 'x--y--z'] })
    await told([zone('b'), local('b'), typed, application('shop', 'b'), exposed], async (story) => {
      const [publisher] = story.all(Publisher)
      assert.deepEqual(publisher?.spec.additionalPublisherIds, ['x--y--z', 'a--b--c'])
      assert.equal(publisher?.spec.jsonSchema, 'file-1')
    })
  })

  it('refuses a provider that is no Application (decisions §8.12)', () =>
    told(
      [zone('b'), local('b'), ...SHOP, exposure('b', { provider: { kind: 'Team', name: 'shop', namespace: TEAM } })],
      async (story) => {
        assert.equal(story.ready(EventExposure, exposureRef()), 'False/ValidationFailed')
      },
    ))

  it('keeps apart types that would share a name (Q14)', async () => {
    const types = ['a.b', 'a-b']
    const drafts = types.flatMap((type) => [
      { ...eventType(type), metadata: { name: `type-${type}`, namespace: TEAM } },
      { ...exposure('b', {}, type), metadata: { name: `exposure-${type}`, namespace: TEAM } },
    ])
    await told([zone('b'), local('b'), application('shop', 'b'), ...drafts], async (story) => {
      const shown = streams(story)
        .map((r) => `${r.route} ${r.paths}`)
        .toSorted((a, b) => a.length - b.length)
      assert.equal(shown.length, 2)
      assert.equal(shown[0], 'sse--a-b /eventbackend/sse/v1/a.b')
      assert.match(shown[1] ?? '', /^sse--a-b--[0-9a-f]{8} \/eventbackend\/sse\/v1\/a-b$/)
      assert.equal(new Set(story.all(Publisher).map((p) => p.metadata.name)).size, 2)
    })
  })
})

describe('a stream', () => {
  const WORLD = [
    zone('b'),
    zone('e'),
    zone('s'),
    zone('p'),
    local('b'),
    proxy('e', 'b'),
    local('s'),
    proxy('p', 'b'),
    ...SHOP,
    exposure('e'),
  ]

  it('28: reaches a zone while someone there is granted it, and leaves with the last one', () =>
    told(WORLD, async (story) => {
      assert.deepEqual(
        streams(story)
          .map((r) => r.zone)
          .toSorted(),
        ['b', 'e'],
      )
      await story.apply(
        ...streamSubscriber('one', 's'),
        ...streamSubscriber('two', 's'),
        ...streamSubscriber('three', 'p'),
      )
      assert.equal(stream(story, 's')?.upstream, 'https://b.gw.example/eventbackend/sse/v1/orders.v1')
      assert.equal(stream(story, 'p')?.upstream, 'https://b.gw.example/eventbackend/sse/v1/orders.v1')
      assert.equal(stream(story, 'b')?.trusted, 'I(b), L(e), L(p), L(s)')
      const { url, subscriptionID } = story.get(EventSubscription, subscriptionRef('one')).status ?? {}
      assert.equal(url, `https://s.gw.example/eventbackend/sse/v1/orders.v1/${subscriptionID}`)
      await story.delete(EventSubscription, subscriptionRef('one'))
      assert.ok(stream(story, 's'))
      await story.delete(EventSubscription, subscriptionRef('two'))
      assert.equal(stream(story, 's'), undefined)
      assert.equal(stream(story, 'b')?.trusted, 'I(b), L(e), L(p)')
    }))

  it('29: needs the EventConfig of its own zone, ready (§6.1)', () =>
    told([...WORLD, zone('x'), ...streamSubscriber('app', 'x')], async (story) => {
      assert.equal(
        story.condition(EventSubscription, subscriptionRef('app'), 'Ready').message,
        'Zone x has no EventConfig: create one in namespace prod--x',
      )
      assert.equal(stream(story, 'x'), undefined)
      await story.apply(local('x', { clientId: 'gateway' }))
      assert.equal(
        story.condition(EventSubscription, subscriptionRef('app'), 'Ready').message,
        'EventConfig prod--x/prod is not ready: see its conditions',
      )
      assert.equal(stream(story, 'x'), undefined)
      await story.apply(local('x'))
      assert.equal(story.ready(EventSubscription, subscriptionRef('app')), 'True')
      assert.ok(stream(story, 'x'))
    }))

  it('loses its route but not its Subscriber when the mesh excludes the zone (decisions §8.9)', () =>
    told([...WORLD, ...streamSubscriber('app', 's')], async (story) => {
      await story.apply(proxy('e', 'b', { mesh: ['p'] }))
      assert.equal(stream(story, 's'), undefined)
      assert.ok(story.find(Subscriber, subscriptionRef('app')))
      assert.equal(story.ready(EventSubscription, subscriptionRef('app')), 'False/PreconditionNotMet')
      await story.apply(proxy('e', 'b'))
      assert.ok(stream(story, 's'))
      assert.equal(story.ready(EventSubscription, subscriptionRef('app')), 'True')
    }))

  it('has no route before anyone is granted it', () =>
    told(
      [
        ...WORLD.filter((d) => d.kind !== EventExposure),
        exposure('e', { approval: { strategy: 'Simple' } }),
        ...streamSubscriber('app', 's'),
      ],
      async (story) => {
        assert.equal(story.ready(EventSubscription, subscriptionRef('app')), 'False/ApprovalPending')
        assert.equal(stream(story, 's'), undefined)
      },
    ))
})

describe('a zone that turns from backend to proxy', () => {
  it('moves the registrations to the new backend and leaves none behind (decisions §8.6)', () =>
    told(
      [zone('b'), zone('s'), local('b'), local('s'), ...SHOP, exposure('b'), ...callbackSubscriber('app', 's')],
      async (story) => {
        assert.ok([...story.backend.subscriptions.keys()].every((url) => url.startsWith('https://b.backend.example/')))
        await story.apply(proxy('b', 's'))
        assert.equal(story.ready(EventConfig, configRef('b')), 'True')
        assert.equal(story.ready(EventSubscription, subscriptionRef('app')), 'True')
        const held = [...story.backend.subscriptions.keys()]
        assert.equal(held.length, 1)
        assert.ok(held[0]?.startsWith('https://s.backend.example/'), held[0])
        assert.equal(
          story.get(Subscriber, subscriptionRef('app')).spec.delivery.callback?.split('?')[0],
          'https://s.gw.example/eventbackend-s/callback/v1',
        )
      },
    ))
})
