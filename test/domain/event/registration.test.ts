import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { staticWorld, viewOf } from '#control/world.ts'
import type { Kind } from '#domain/kind.ts'
import { apiVersionOf } from '#domain/kind.ts'
import { Zone } from '#domain/kinds/admin/zone.ts'
import { ApprovalRequest } from '#domain/kinds/approval/approval-request.ts'
import { EventConfig } from '#domain/kinds/event/event-config.ts'
import { EventExposure } from '#domain/kinds/event/event-exposure.ts'
import { EventSubscription } from '#domain/kinds/event/event-subscription.ts'
import { File } from '#domain/kinds/files/file.ts'
import { EventStore } from '#domain/kinds/pubsub/event-store.ts'
import { Publisher } from '#domain/kinds/pubsub/publisher.ts'
import { Subscriber } from '#domain/kinds/pubsub/subscriber.ts'
import type { Resource } from '#domain/object.ts'
import { planSubscriber, type SubscriptionEffect } from '#domain/plan/subscriber.ts'
import { subscriptionIdOf } from '#domain/plan/subscriber-body.ts'
import {
  application,
  at,
  callbackSubscriber,
  configRef,
  ENVIRONMENT,
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
  zoneRef,
} from './drafts.ts'
import { type Draft, Story, told } from './story.ts'

const APP = subscriptionRef('app')
const MESH = [zone('b'), zone('s'), local('b'), local('s'), eventType(), application('shop', 'b')]

describe('a registration', () => {
  it('37: keeps its id when the environment is renamed; the body says the new name', () =>
    told([...MESH, exposure('b'), ...callbackSubscriber('app', 's')], async (story) => {
      const id = story.get(Subscriber, APP).status?.subscriptionId
      assert.equal(id, subscriptionIdOf(ENVIRONMENT, 'orders.v1', 'shop--billing--app'))
      assert.equal(story.get(EventSubscription, APP).status?.subscriptionID, id)
      await story.apply(local('b', { environment: 'legacy' }))
      assert.equal(story.get(Subscriber, APP).status?.subscriptionId, id)
      const [held, ...others] = [...story.backend.subscriptions.values()]
      assert.deepEqual([held.spec.environment, held.metadata.name, others.length], ['legacy', id, 0])
    }))

  it('37: is hashed with the environment the backend knows', () =>
    told(
      [
        zone('b'),
        local('b', { environment: 'legacy' }),
        eventType(),
        application('shop', 'b'),
        exposure('b'),
        ...callbackSubscriber('app', 'b'),
      ],
      async (story) => {
        assert.equal(
          story.get(Subscriber, APP).status?.subscriptionId,
          subscriptionIdOf('legacy', 'orders.v1', 'shop--billing--app'),
        )
      },
    ))

  it('gets another id with another type, and the old one is removed', async () => {
    const types = [eventType('next.v1'), exposure('b', {}, 'next.v1')]
    await told([...MESH, exposure('b'), ...types, ...callbackSubscriber('app', 's')], async (story) => {
      await story.change(EventSubscription, APP, (spec) => ({ ...spec, eventType: 'next.v1' }))
      const id = subscriptionIdOf(ENVIRONMENT, 'next.v1', 'shop--billing--app')
      assert.equal(story.get(Subscriber, APP).status?.subscriptionId, id)
      assert.deepEqual(
        [...story.backend.subscriptions.values()].map((s) => s.metadata.name),
        [id],
      )
    })
  })

  it('carries integers beyond doubles, and attributes with any name, as they were given', async () => {
    const selectionFilter = {
      expression: { eq: { field: 'x', value: 9007199254740993n } },
      attributes: JSON.parse('{"__proto__":"a","constructor":"b"}') as object,
    }
    await told(
      [...MESH, exposure('b'), ...callbackSubscriber('app', 's', { trigger: { selectionFilter } })],
      async (story) => {
        assert.equal(story.ready(EventSubscription, APP), 'True')
        assert.match(story.backend.bodies.at(-1) ?? '', /"value":9007199254740993\}/)
        assert.match(story.backend.bodies.at(-1) ?? '', /"selectionFilter":\{"__proto__":"a","constructor":"b"\}/)
      },
    )
  })

  it('whose status somebody wrote is made again and told again', () =>
    told([...MESH, exposure('b'), ...callbackSubscriber('app', 's')], async (story) => {
      const { subscriptionId, registration } = story.get(Subscriber, APP).status!
      for (const change of [
        () => undefined,
        (status: any) => ({ ...status, conditions: [] }),
        (status: any) => ({ ...status, conditions: status.conditions.map((c: any) => ({ ...c, status: 'False' })) }),
      ]) {
        const calls = story.backend.calls.length
        await story.say(Subscriber, APP, change)
        assert.equal(story.ready(Subscriber, APP), 'True')
        assert.equal(story.ready(EventSubscription, APP), 'True')
        const { status } = story.get(Subscriber, APP)
        assert.deepEqual([status?.subscriptionId, status?.registration], [subscriptionId, registration])
        assert.equal(story.backend.calls.length, calls + 1)
      }
      assert.equal(story.backend.subscriptions.size, 1)
    }))

  it('39: is removed with its subscription; while the backend fails, the Subscriber stays and it is tried again', () =>
    told([...MESH, exposure('b'), ...callbackSubscriber('app', 's')], async (story) => {
      story.backend.refuse = 500
      await story.delete(EventSubscription, APP)
      assert.ok(story.find(Subscriber, APP)?.metadata.deletionTimestamp)
      assert.equal(story.backend.subscriptions.size, 1)
      story.backend.refuse = undefined
      for (let i = 0; i < 20; i++) await story.settle()
      assert.equal(story.find(Subscriber, APP), undefined)
      assert.equal(story.backend.subscriptions.size, 0)
    }))

  it('that is asked for again waits for the one of before, and says why that does not go', () =>
    told([...MESH, exposure('b'), ...callbackSubscriber('app', 's')], async (story) => {
      const { uid } = story.get(Subscriber, APP).metadata
      story.backend.refuse = 500
      await story.delete(EventSubscription, APP)
      for (const subscriber of [callbackSubscriber, streamSubscriber]) {
        await story.apply(...subscriber('app', 's'))
        const { status, reason, message } = story.condition(EventSubscription, APP, 'Ready')
        assert.deepEqual([status, reason], ['False', 'SubResourceNotReady'])
        assert.match(
          message,
          /^Subscriber prod--shop--billing\/app--orders-v1 has to be removed before .*answers 500 to/,
        )
      }
      story.backend.refuse = undefined
      for (let i = 0; i < 20; i++) await story.settle()
      assert.equal(story.ready(EventSubscription, APP), 'True')
      assert.notEqual(story.get(Subscriber, APP).metadata.uid, uid)
    }))

  it('that a stream waits for blocks it until it has an id', async () => {
    const story = await Story.of([...MESH, exposure('b')])
    story.backend.refuse = 500
    await story.apply(...streamSubscriber('app', 's'))
    assert.equal(story.ready(EventSubscription, APP), 'False/SubResourceNotReady')
    const { status, reason } = story.condition(EventSubscription, APP, 'Processing')
    assert.deepEqual([status, reason], ['False', 'Blocked'], '§7.2 row 21')
    await story.end()
  })

  it('40: that the backend refuses is shown on the Subscriber, and the subscription waits for it', async () => {
    const story = await Story.of([...MESH, exposure('b')])
    story.backend.refuse = 400
    await story.apply(...callbackSubscriber('app', 's'))
    assert.equal(story.ready(Subscriber, APP), 'False/Blocked')
    assert.equal(story.ready(EventSubscription, APP), 'False/SubResourceNotReady')
    const calls = story.backend.calls.length
    for (let i = 0; i < 5; i++) await story.settle()
    assert.equal(story.backend.calls.length, calls, 'what is refused for good is not asked again and again')
    await story.end()
  })

  it('that is refused, or not answered, is told on the subscription in the words of its Subscriber', async () => {
    const story = await Story.of([...MESH, exposure('b')])
    for (const [refuse, said] of [
      [400, /^Subscriber prod--shop--billing\/app--orders-v1 is not ready: .*answers 400 to PUT of subscription/],
      [500, /^Subscriber prod--shop--billing\/app--orders-v1 is not ready: .*answers 500 to PUT of subscription/],
    ] as const) {
      story.backend.refuse = refuse
      await story.apply(...callbackSubscriber('app', 's'))
      const { status, reason, message } = story.condition(EventSubscription, APP, 'Ready')
      assert.deepEqual([status, reason], ['False', 'SubResourceNotReady'])
      assert.match(message, said)
      assert.ok(message.endsWith(story.condition(Subscriber, APP, 'Ready').message))
      const processing = story.condition(EventSubscription, APP, 'Processing')
      assert.deepEqual([processing.status, processing.reason], ['True', 'SubResourceNotReady'], '§7.2 row 23')
      await story.delete(EventSubscription, APP)
      story.backend.refuse = undefined
      for (let i = 0; i < 20; i++) await story.settle()
      assert.equal(story.find(Subscriber, APP), undefined)
    }
    await story.end()
  })

  it('40: that the backend is too busy for is made again by itself', async () => {
    const story = await Story.of([...MESH, exposure('b')])
    story.backend.refuse = 503
    await story.apply(...callbackSubscriber('app', 's'))
    assert.match(story.condition(Subscriber, APP, 'Ready').message, /answers 503 to PUT/)
    assert.ok(story.backend.calls.length > 1)
    story.backend.refuse = undefined
    await story.settle()
    assert.equal(story.ready(EventSubscription, APP), 'True')
    await story.end()
  })
})

describe('a Subscriber', () => {
  const made = (kind: Kind, metadata: object, spec: object, status: object = {}): Resource<any, any> => ({
    apiVersion: apiVersionOf(kind),
    kind: kind.kind,
    metadata: { name: '', generation: 1, creationTimestamp: '2026-01-01T00:00:00Z', ...metadata },
    spec,
    status: {
      ...status,
      conditions: [
        {
          type: 'Ready',
          status: 'True',
          reason: 'R',
          message: '',
          observedGeneration: 1,
          lastTransitionTime: '2026-01-01T00:00:00Z',
        },
      ],
    },
  })
  const store = made(
    EventStore,
    { name: 'prod', namespace: at('b') },
    { url: 'https://b/api', tokenUrl: 'https://t', clientId: 'admin', clientSecret: '$<s>' },
  )
  const publisher = made(
    Publisher,
    { name: 'orders.v1', namespace: at('b') },
    { eventStore: { name: 'prod', namespace: at('b') }, eventType: 'orders.v1', publisherId: 'p' },
  )
  const subscriber = (name: string, more: object = {}, status: object = {}): Resource<any, any> =>
    made(
      Subscriber,
      { name, namespace: OTHER_TEAM, uid: name, ...more },
      {
        publisher: { name: 'orders.v1', namespace: at('b') },
        subscriberId: 'shop--billing--app',
        delivery: { type: 'ServerSentEvent', payload: 'Data' },
      },
      status,
    )
  const plan = (self: Resource<any, any>, ...others: Resource[]) =>
    planSubscriber(viewOf(self), staticWorld([store, publisher, self, ...others]))
  const registered = {
    subscriptionId: 'x',
    registration: {
      eventStore: { name: 'prod', namespace: at('b') },
      url: 'https://b/api',
      environment: 'prod',
      eventType: 'orders.v1',
      publisherId: 'p',
      subscriberId: 'shop--billing--app',
    },
  }
  const leaving = { deletionTimestamp: '2026-01-02T00:00:00Z', finalizers: ['x'] }

  it('waits for its Publisher and its EventStore, and keeps what is registered', () => {
    const self = subscriber('a', {}, registered)
    const alone = planSubscriber(viewOf(self), staticWorld([self]))
    assert.deepEqual([alone.outcome, alone.effect, alone.status], ['waiting', undefined, registered])
    assert.match(alone.conditions[0]?.message ?? '', /^Publisher prod--b\/orders\.v1 does not exist/)
    const storeless = planSubscriber(viewOf(self), staticWorld([self, publisher]))
    assert.match(storeless.conditions[0]?.message ?? '', /^EventStore prod--b\/prod does not exist/)
  })
  it('carries the schema of its type along, if it is a stored JSON file, and notices a new version', () => {
    const id = 'prod--shop--orders--schema'
    const typed = { ...publisher, spec: { ...publisher.spec, jsonSchema: id } }
    const file = (contentType: string, checksum: string): Resource =>
      made(File, { name: 'schema', namespace: TEAM }, { contentType, checksum, size: 2 })
    const planned = (...files: Resource[]) =>
      planSubscriber(viewOf(subscriber('a')), staticWorld([store, typed, subscriber('a'), ...files]))
    const schemaIn = (...files: Resource[]): unknown => (planned(...files).effect as SubscriptionEffect).jsonSchema
    assert.equal(schemaIn(), undefined, 'not stored here: nothing to send')
    assert.deepEqual(schemaIn(file('application/json', 'one')), { file: id, checksum: 'one' })
    assert.deepEqual(schemaIn(file('application/json; charset=utf-8', 'two')), { file: id, checksum: 'two' })
    const yaml = planned(file('application/yaml', 'one'))
    assert.equal(yaml.outcome, 'waiting')
    assert.match(yaml.conditions[0]?.message ?? '', /has to be application\/json$/)
  })
  it('never carries a file of another environment along (event-domain §0.2)', () => {
    const typed = { ...publisher, spec: { ...publisher.spec, jsonSchema: 'stage--shop--orders--secret' } }
    const content = { contentType: 'application/json', checksum: 'one', size: 2 }
    const file = made(File, { name: 'secret', namespace: 'stage--shop--orders' }, content)
    const self = subscriber('a')
    const { outcome, effect } = planSubscriber(viewOf(self), staticWorld([store, typed, self, file]))
    assert.equal(outcome, 'desired')
    assert.equal((effect as SubscriptionEffect).jsonSchema, undefined)
  })
  it('with an older twin leaves the registration to it', () => {
    assert.equal(plan(subscriber('b'), subscriber('a')).outcome, 'waiting')
    assert.equal(plan(subscriber('a'), subscriber('b')).outcome, 'desired')
  })
  it('that is new waits until a leaving twin is gone', () => {
    assert.equal(plan(subscriber('a'), subscriber('b', leaving)).outcome, 'waiting')
    assert.equal(plan(subscriber('a', {}, registered), subscriber('b', leaving)).outcome, 'desired')
  })
  it('whose twin goes is registered again afterwards: the twin takes the registration with it', () => {
    const self = subscriber('a', {}, registered)
    const during = plan(self, subscriber('b', leaving)).effect as SubscriptionEffect
    const afterwards = plan(self).effect as SubscriptionEffect
    assert.notDeepEqual(during, afterwards)
    assert.deepEqual(during.subscription, afterwards.subscription)
  })
})

describe('what is blocked', () => {
  const unserved = (z: string): Draft => {
    const draft = zone(z)
    draft.spec.gateway.presets[0].default = false
    return draft
  }
  it('shows what it last had when it is local, and no callback URLs when it is a proxy (decisions §8.15)', () =>
    told([zone('b'), zone('e'), local('b'), proxy('e', 'b')], async (story) => {
      const before = story.get(EventConfig, configRef('b')).status?.callbackUrl
      await story.apply(unserved('b'), unserved('e'))
      assert.equal(story.ready(EventConfig, configRef('b')), 'False/PreconditionNotMet')
      assert.equal(story.get(EventConfig, configRef('b')).status?.callbackUrl, before)
      const { callbackUrl, proxyCallbackUrls, publishRoute } = story.get(EventConfig, configRef('e')).status ?? {}
      assert.deepEqual(
        [callbackUrl, proxyCallbackUrls, publishRoute],
        ['', {}, { name: 'publish', namespace: at('e') }],
      )
    }))

  it('keeps a running stream through a pending change of scopes (§4.3)', async () => {
    const scopes = ['read', 'write'].map((name) => ({ name, trigger: {} }))
    const exposed = exposure('b', { scopes, approval: { strategy: 'Simple' } })
    await told([...MESH, exposed, ...streamSubscriber('app', 's', { scopes: ['read'] })], async (story) => {
      const [request] = story.all(ApprovalRequest)
      await story.change(ApprovalRequest, { name: request?.metadata.name ?? '', namespace: OTHER_TEAM }, (spec) => ({
        ...spec,
        state: 'Granted',
        decisions: [{ name: 'ann' }],
      }))
      const url = story.get(EventSubscription, APP).status?.url
      assert.ok(url)
      await story.change(EventSubscription, APP, (spec) => ({ ...spec, scopes: ['write'] }))
      assert.equal(story.ready(EventSubscription, APP), 'False/ApprovalPending')
      assert.ok(
        story.eventRoutes().some((r) => r.metadata.namespace === at('s') && r.metadata.name === 'sse--orders-v1'),
      )
      assert.equal(story.get(EventSubscription, APP).status?.url, url)
    })
  })

  it('loses its place to an older exposure that comes to the type, with everything it made elsewhere', async () => {
    const elder: Draft = { ...exposure('s', { eventType: 'other.v1' }), metadata: { name: 'a-elder', namespace: TEAM } }
    await told([...MESH, eventType('other.v1'), elder, exposure('b')], async (story) => {
      assert.equal(story.ready(EventExposure, exposureRef()), 'True')
      await story.change(EventExposure, elder.metadata, (spec) => ({ ...spec, eventType: 'orders.v1' }))
      assert.equal(story.ready(EventExposure, elder.metadata), 'True')
      assert.equal(story.get(EventExposure, exposureRef()).status?.active, false)
      assert.deepEqual(
        story.all(Publisher).map((p) => `${p.metadata.namespace} ${p.metadata.name}`),
        [`${at('s')} orders.v1`],
      )
      assert.deepEqual(
        story
          .eventRoutes()
          .filter((r) => r.metadata.name.startsWith('sse'))
          .map((r) => r.metadata.namespace),
        [at('s')],
      )
    })
  })

  it('cannot use a Zone of another environment', async () => {
    const foreign: Draft = { ...zone('x'), metadata: { name: 'x', namespace: 'test' } }
    await told([...MESH, foreign, exposure('b', { zone: { name: 'x', namespace: 'test' } })], async (story) => {
      assert.equal(story.ready(Zone, { name: 'x', namespace: 'test' }), 'True')
      assert.equal(
        story.condition(EventExposure, exposureRef(), 'Ready').message,
        'Zone test/x is in environment test, not prod: let spec.zone name one of prod',
      )
      assert.equal(story.ready(Zone, zoneRef('b')), 'True')
    })
  })
})
