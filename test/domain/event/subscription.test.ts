import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { staticWorld, viewOf } from '#control/world.ts'
import { Application } from '#domain/kinds/application/application.ts'
import { EventConfig } from '#domain/kinds/event/event-config.ts'
import { EventExposure } from '#domain/kinds/event/event-exposure.ts'
import { EventSubscription } from '#domain/kinds/event/event-subscription.ts'
import { Subscriber } from '#domain/kinds/pubsub/subscriber.ts'
import type { Resource } from '#domain/object.ts'
import { planEventSubscription } from '#domain/plan/event-subscription.ts'
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
  zone,
} from './drafts.ts'
import { type Draft, Story, told } from './story.ts'
import { APP, MESH, message, ready, subscriber } from './subscriptions.ts'

describe('a callback subscription', () => {
  it('24: follows a change of the URL map although the exposure shows the same callbackURL (§6.2.7)', () =>
    told([...MESH, exposure('e'), ...callbackSubscriber('app', 's')], async (story) => {
      const shown = (): string | undefined => story.get(EventExposure, exposureRef()).status?.callbackURL
      const ingress = (): string | undefined => subscriber(story)?.spec.delivery.callback?.split('?')[0]
      const before = shown()
      assert.equal(ready(story), 'True')
      await story.apply(local('b', { mesh: ['e'] }))
      assert.equal(ready(story), 'False/PreconditionNotMet')
      assert.equal(shown(), before)
      assert.equal(
        ingress(),
        'https://b.gw.example/eventbackend-s/callback/v1',
        'only the backend’s mesh says no (Q20)',
      )
      await story.apply(local('b', { mesh: ['e', 's'] }))
      assert.equal(ready(story), 'True')
      assert.equal(shown(), before)
    }))

  it('24: is called back at another URL as soon as the EventConfig of the exposure names one, and only then', () =>
    told([...MESH, exposure('e'), ...callbackSubscriber('app', 's')], (story) => {
      const self = story.get(EventSubscription, APP)
      const planned = (change: (status: any) => any): string | undefined => {
        const resources = story.resources.map((r: Resource<any, any>) =>
          r.kind === EventConfig.kind && r.metadata.namespace === at('e') ? { ...r, status: change(r.status) } : r,
        )
        const plan = planEventSubscription(viewOf(self), staticWorld(resources))
        return plan.children.find((c) => c.kind === Subscriber)?.spec.delivery.callback?.split('?')[0]
      }
      const url = 'https://b2.gw.example/eventbackend-s/callback/v1'
      const moved = planned((status) => ({ ...status, proxyCallbackUrls: { ...status.proxyCallbackUrls, s: url } }))
      assert.equal(moved, url)
      assert.equal(
        planned((status) => ({ ...status, callbackUrl: url })),
        'https://b.gw.example/eventbackend-s/callback/v1',
        'the URL of the zone of the exposure is not that of another zone',
      )
    }))

  it('25: ends when the mesh of the exposure excludes its zone, and comes back when it allows it again (§3)', async () => {
    const exposed = exposure('e', { scopes: [{ name: 'read', trigger: {} }] })
    await told([...MESH, exposed, ...callbackSubscriber('app', 's', { scopes: ['read'] })], async (story) => {
      assert.equal(story.backend.subscriptions.size, 1)
      assert.deepEqual(story.get(EventSubscription, APP).status?.activeScopes, ['read'])
      await story.apply(proxy('e', 'b', { mesh: ['b'] }))
      assert.equal(subscriber(story), undefined)
      assert.equal(story.backend.subscriptions.size, 0)
      assert.ok(story.backend.calls.at(-1)?.startsWith('DELETE '))
      assert.equal(ready(story), 'False/PreconditionNotMet')
      const { activeScopes, subscriber: ref, subscriptionID, url } = story.get(EventSubscription, APP).status ?? {}
      assert.deepEqual([activeScopes, ref, subscriptionID, url], [undefined, undefined, undefined, undefined])
      const trigger = { selectionFilter: { attributes: { a: 'b' } } }
      await story.change(EventSubscription, APP, (spec) => ({ ...spec, trigger }))
      assert.equal(subscriber(story), undefined, 'planned again, it is still excluded')
      assert.equal(story.backend.subscriptions.size, 0)
      await story.apply(proxy('e', 'b', { mesh: ['s'] }))
      assert.equal(ready(story), 'True')
      assert.deepEqual(subscriber(story)?.spec.trigger, trigger)
      assert.deepEqual(story.get(EventSubscription, APP).status?.activeScopes, ['read'])
      assert.equal(story.backend.subscriptions.size, 1)
    })
  })

  it('25: ends even while the exposure’s EventConfig is not ready (Q18)', () =>
    told([...MESH, exposure('e'), ...callbackSubscriber('app', 's')], async (story) => {
      await story.delete(EventConfig, configRef('b'))
      assert.ok(subscriber(story))
      await story.apply(proxy('e', 'b', { mesh: [] }))
      assert.equal(subscriber(story), undefined)
    }))

  it('26: survives an outage of the backend zone', () =>
    told([...MESH, exposure('e'), ...callbackSubscriber('app', 's')], async (story) => {
      const uid = subscriber(story)?.metadata.uid
      await story.apply(local('b', { clientId: 'gateway' }))
      assert.equal(story.ready(EventConfig, configRef('b')), 'False/PreconditionNotMet')
      const { callbackUrl, proxyCallbackUrls } = story.get(EventConfig, configRef('e')).status ?? {}
      assert.deepEqual([callbackUrl, proxyCallbackUrls], ['', {}])
      assert.equal(ready(story), 'False/PreconditionNotMet')
      assert.equal(story.condition(EventSubscription, APP, 'Processing').reason, 'Blocked')
      assert.equal(subscriber(story)?.metadata.uid, uid)
      assert.equal(story.backend.subscriptions.size, 1)
      assert.deepEqual(story.get(EventSubscription, APP).status?.subscriber, APP)
      await story.apply(local('b'))
      assert.equal(ready(story), 'True')
      assert.equal(subscriber(story)?.metadata.uid, uid)
    }))

  for (const gone of ['b', 'e', 's'])
    it(`26: survives the removal and return of the EventConfig of zone ${gone}, with its registration`, () =>
      told([...MESH, exposure('e'), ...callbackSubscriber('app', 's')], async (story) => {
        const uid = subscriber(story)?.metadata.uid
        await story.delete(EventConfig, configRef(gone))
        assert.equal(ready(story), 'False/PreconditionNotMet')
        assert.equal(subscriber(story)?.metadata.uid, uid)
        assert.equal(story.backend.subscriptions.size, 1)
        await story.apply(gone === 'e' ? proxy('e', 'b') : local(gone))
        assert.equal(ready(story), 'True')
        assert.equal(subscriber(story)?.metadata.uid, uid)
        assert.equal(story.backend.subscriptions.size, 1)
        assert.ok(story.backend.calls.every((call) => call.startsWith('PUT')))
      }))

  it('27: needs the callback route of its own zone, not the URL for that zone (§6.1)', async () => {
    const p = [zone('p'), proxy('p', 'b', { mesh: [] })]
    const world = [zone('b'), zone('x'), ...p, local('b', { mesh: [] }), local('x', { mesh: ['p'] }), eventType()]
    const parties = [application('shop', 'x'), exposure('x'), ...callbackSubscriber('app', 'p')]
    await told([...world, ...parties], (story) => {
      const { callbackRoute, callbackUrl } = story.get(EventConfig, configRef('p')).status ?? {}
      assert.deepEqual([callbackRoute?.name, callbackUrl], ['callback--p', ''])
      assert.equal(ready(story), 'True', 'its own backend cannot reach it, but that of the exposure can')
      assert.equal(
        subscriber(story)?.spec.delivery.callback?.split('?')[0],
        'https://x.gw.example/eventbackend-p/callback/v1',
      )
      const routeless = story.resources.map((r: Resource<any, any>) =>
        r.kind === EventConfig.kind && r.metadata.namespace === at('p')
          ? { ...r, status: { ...r.status, callbackRoute: undefined } }
          : r,
      )
      const plan = planEventSubscription(viewOf(story.get(EventSubscription, APP)), staticWorld(routeless))
      assert.deepEqual([plan.outcome, plan.remove], ['waiting', []])
      const said = plan.conditions.find((c) => c.type === 'Ready')
      assert.equal(said?.reason, 'PreconditionNotMet')
      assert.match(said?.message ?? '', /EventConfig prod--p\/prod has no callback route/)
    })
  })

  it('without an address says so; with one under ServerSentEvent ignores it (Q13)', () =>
    told(
      [...MESH, exposure('b'), ...callbackSubscriber('app', 's', { delivery: { type: 'Callback', payload: 'Data' } })],
      async (story) => {
        assert.equal(ready(story), 'False/ValidationFailed')
        await story.change(EventSubscription, APP, (spec) => ({
          ...spec,
          delivery: { type: 'ServerSentEvent', payload: 'Data', callback: 'https://x.example/y' },
        }))
        assert.equal(ready(story), 'True')
        assert.equal(subscriber(story)?.spec.delivery.callback, undefined)
      },
    ))

  it('35: never changes what its owner wrote', () =>
    told([...MESH, exposure('b'), ...callbackSubscriber('app', 's')], (story) => {
      const [, draft] = callbackSubscriber('app', 's')
      const { metadata, spec } = story.get(EventSubscription, APP)
      assert.equal(ready(story), 'True')
      assert.deepEqual(spec, draft?.spec)
      assert.equal(metadata.generation, 1)
    }))
})

describe('two subscriptions of one application to one type', () => {
  const twin = (): Draft => {
    const [, second] = callbackSubscriber('app', 's')
    assert.ok(second)
    return { ...second, metadata: { name: 'z-second', namespace: OTHER_TEAM } }
  }
  it('count once; when the elder goes, the younger ends up registered (decisions §8.13)', () =>
    told([...MESH, exposure('b'), ...callbackSubscriber('app', 's'), twin()], async (story) => {
      const second = { name: 'z-second', namespace: OTHER_TEAM }
      assert.equal(ready(story), 'True')
      assert.equal(ready(story, second), 'False/PreconditionNotMet')
      assert.equal(subscriber(story, second), undefined)
      await story.delete(EventSubscription, APP)
      assert.equal(ready(story, second), 'True')
      assert.equal(story.backend.subscriptions.size, 1)
    }))

  it('that become twins later leave the registration of the elder', () =>
    told([...MESH, exposure('b'), ...callbackSubscriber('zapp', 's')], async (story) => {
      const [, elder] = callbackSubscriber('app', 's', { requestor: { name: 'zapp', namespace: OTHER_TEAM } })
      assert.ok(elder)
      await story.apply(elder)
      assert.equal(ready(story), 'True')
      assert.equal(subscriber(story, subscriptionRef('zapp')), undefined)
      assert.equal(story.backend.subscriptions.size, 1)
      assert.equal(story.backend.calls.at(-1)?.split(' ')[0], 'PUT')
    }))
})

describe('a requestor', () => {
  it('that is no Application is refused (decisions §8.12)', () =>
    told(
      [
        ...MESH,
        exposure('b'),
        ...callbackSubscriber('app', 's', { requestor: { kind: 'Team', name: 'app', namespace: OTHER_TEAM } }),
      ],
      async (story) => assert.equal(ready(story), 'False/ValidationFailed'),
    ))

  it('of another environment does not exist here', () =>
    told(
      [
        ...MESH,
        exposure('b'),
        { ...application('app', 's'), metadata: { name: 'app', namespace: 'test--shop--billing' } },
        ...callbackSubscriber('app', 's', { requestor: { name: 'app', namespace: 'test--shop--billing' } }),
      ],
      async (story) =>
        assert.match(message(story), /^Application test--shop--billing\/app is in environment test, not prod: /),
    ))

  it('that appears later is noticed', () =>
    told([...MESH, exposure('b'), ...callbackSubscriber('app', 's').slice(1)], async (story) => {
      assert.equal(
        message(story),
        'Application prod--shop--billing/app does not exist: create it or correct spec.requestor',
      )
      await story.apply(application('app', 's', OTHER_TEAM))
      assert.equal(ready(story), 'True')
      await story.delete(Application, { name: 'app', namespace: OTHER_TEAM })
      assert.equal(ready(story), 'False/PreconditionNotMet')
      assert.ok(subscriber(story))
    }))
})

describe('a settled world', () => {
  it('41: writes nothing when nothing changes', () =>
    told(
      [...MESH, exposure('e'), ...callbackSubscriber('app', 's'), ...streamSubscriber('live', 's')],
      async (story) => {
        const again = new Story(story.resources)
        const { status, spec } = await again.counting(() => again.settle())
        await again.end()
        assert.deepEqual([...status, ...spec], [])
        assert.deepEqual(again.backend.calls, [])
      },
    ))
})
