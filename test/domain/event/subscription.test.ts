import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Application } from '#domain/kinds/application/application.ts'
import { Approval } from '#domain/kinds/approval/approval.ts'
import { ApprovalRequest } from '#domain/kinds/approval/approval-request.ts'
import { EventConfig } from '#domain/kinds/event/event-config.ts'
import { EventExposure } from '#domain/kinds/event/event-exposure.ts'
import { EventSubscription } from '#domain/kinds/event/event-subscription.ts'
import { Subscriber } from '#domain/kinds/pubsub/subscriber.ts'
import type { Named } from '#domain/object.ts'
import { type Draft, Story, told } from './story.ts'
import {
  application,
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

const APP = subscriptionRef('app')
const MESH = [
  zone('b'),
  zone('e'),
  zone('s'),
  local('b'),
  proxy('e', 'b'),
  local('s'),
  eventType(),
  application('shop', 'b'),
]
const ready = (story: Story, ref: Named = APP): string => story.ready(EventSubscription, ref)
const message = (story: Story, ref: Named = APP): string => story.condition(EventSubscription, ref, 'Ready').message
const subscriber = (story: Story, ref: Named = APP) => story.find(Subscriber, ref)
const scopes = (...names: string[]) =>
  names.map((name) => ({ name, trigger: { selectionFilter: { attributes: { kind: name } } } }))
const requests = (story: Story) =>
  story.all(ApprovalRequest).map((r) => [r.spec.state, r.spec.requester.properties?.['scopes']])

async function decide(story: Story, state: string): Promise<void> {
  const [request] = story.all(ApprovalRequest)
  assert.ok(request)
  const ref = { name: request.metadata.name, namespace: OTHER_TEAM }
  await story.change(ApprovalRequest, ref, (spec) => ({
    ...spec,
    state,
    decisions: [...(spec.decisions ?? []), { name: 'ann' }],
  }))
}
const approval = { name: `eventsubscription--${APP.name}`, namespace: OTHER_TEAM }

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

  it('25: ends when the mesh of the exposure excludes its zone, and comes back when it allows it again (§3)', () =>
    told([...MESH, exposure('e'), ...callbackSubscriber('app', 's')], async (story) => {
      assert.equal(story.backend.subscriptions.size, 1)
      await story.apply(proxy('e', 'b', { mesh: ['b'] }))
      assert.equal(subscriber(story), undefined)
      assert.equal(story.backend.subscriptions.size, 0)
      assert.ok(story.backend.calls.at(-1)?.startsWith('DELETE '))
      assert.equal(ready(story), 'False/PreconditionNotMet')
      const { activeScopes, subscriber: ref, subscriptionID, url } = story.get(EventSubscription, APP).status ?? {}
      assert.deepEqual([activeScopes, ref, subscriptionID, url], [undefined, undefined, undefined, undefined])
      await story.settle()
      assert.equal(subscriber(story), undefined)
      await story.apply(proxy('e', 'b', { mesh: ['s'] }))
      assert.equal(ready(story), 'True')
      assert.equal(story.backend.subscriptions.size, 1)
    }))

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
      assert.equal(story.get(EventConfig, configRef('e')).status?.callbackUrl, '')
      assert.equal(ready(story), 'False/PreconditionNotMet')
      assert.equal(subscriber(story)?.metadata.uid, uid)
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

  it('27: needs the callback route of its own zone, not its URL', () =>
    told(
      [
        zone('b'),
        zone('p'),
        local('b', { mesh: ['p'] }),
        proxy('p', 'b', { mesh: [] }),
        eventType(),
        application('shop', 'b'),
        exposure('b'),
        ...callbackSubscriber('app', 'p'),
      ],
      async (story) => {
        assert.equal(
          story.get(EventConfig, configRef('p')).status?.callbackUrl,
          'https://b.gw.example/eventbackend-p/callback/v1',
        )
        assert.equal(ready(story), 'True')
        await story.apply(local('b', { mesh: [] }))
        assert.equal(story.get(EventConfig, configRef('p')).status?.callbackUrl, '')
        await story.apply(exposure('b'))
        assert.equal(
          message(story),
          'The mesh of EventConfig prod--b/prod excludes zone p: add it to spec.mesh.zoneNames',
        )
      },
    ))

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
    told([...MESH, exposure('b'), ...callbackSubscriber('app', 's')], async (story) => {
      assert.equal(story.get(EventSubscription, APP).metadata.generation, 1)
    }))
})

describe('visibility', () => {
  const world = [
    zone('b'),
    zone('ent'),
    zone('web', { visibility: 'World' }),
    local('b'),
    local('ent'),
    local('web'),
    eventType(),
    application('shop', 'b'),
  ]
  const rows: readonly [visibility: string, exposedIn: string, zone: string, seen: boolean][] = [
    ['World', 'b', 'web', true],
    ['World', 'b', 'ent', true],
    ['Enterprise', 'b', 'ent', true],
    ['Enterprise', 'b', 'web', false],
    ['Enterprise', 'web', 'web', false],
    ['Zone', 'b', 'b', true],
    ['Zone', 'b', 'ent', false],
    ['Zone', 'web', 'web', true],
  ]
  for (const [visibility, exposedIn, home, seen] of rows)
    it(`30: ${visibility} in zone ${exposedIn} is ${seen ? '' : 'not '}seen from ${home}`, () =>
      told([...world, exposure(exposedIn, { visibility }), ...callbackSubscriber('app', home)], async (story) =>
        assert.equal(ready(story), seen ? 'True' : 'False/AccessDenied'),
      ))

  it('that is tightened later blocks but keeps what runs (Q15)', () =>
    told([...world, exposure('b'), ...callbackSubscriber('app', 'ent')], async (story) => {
      await story.apply(exposure('b', { visibility: 'Zone' }))
      assert.equal(ready(story), 'False/AccessDenied')
      assert.ok(subscriber(story))
    }))
})

describe('scopes', () => {
  const offered = { scopes: scopes('read', 'write') }

  it('31: that the exposure does not offer deny access', () =>
    told(
      [...MESH, exposure('b', offered), ...callbackSubscriber('app', 's', { scopes: ['read', 'nope'] })],
      async (story) => {
        assert.equal(ready(story), 'False/AccessDenied')
        assert.equal(
          message(story),
          'EventExposure prod--shop--orders/shop--orders-v1 has no scope "nope": correct spec.scopes',
        )
      },
    ))

  it('31: become the publisher trigger, in the order of the exposure', () =>
    told(
      [...MESH, exposure('b', offered), ...callbackSubscriber('app', 's', { scopes: ['write', 'read'] })],
      async (story) => {
        assert.deepEqual(subscriber(story)?.spec.publisherTrigger, {
          selectionFilter: {
            expression: { or: [{ eq: { field: 'kind', value: 'read' } }, { eq: { field: 'kind', value: 'write' } }] },
          },
        })
        assert.deepEqual(subscriber(story)?.spec.appliedScopes, ['write', 'read'])
        assert.deepEqual(story.get(EventSubscription, APP).status?.activeScopes, ['write', 'read'])
      },
    ))

  it('32: stay in force through a pending and a rejected change, and end with the approval', () =>
    told(
      [
        ...MESH,
        exposure('b', { ...offered, approval: { strategy: 'Simple' }, provider: { name: 'shop', namespace: TEAM } }),
        ...callbackSubscriber('app', 's', { scopes: ['read'] }),
      ],
      async (story) => {
        const active = () => story.get(EventSubscription, APP).status?.activeScopes
        assert.equal(ready(story), 'False/ApprovalPending')
        await decide(story, 'Granted')
        assert.equal(ready(story), 'True')
        assert.deepEqual(active(), ['read'])
        await story.change(EventSubscription, APP, (spec) => ({ ...spec, scopes: ['read', 'write'] }))
        assert.equal(ready(story), 'False/ApprovalPending')
        assert.deepEqual(requests(story), [['Pending', ['read', 'write']]])
        assert.deepEqual(active(), ['read'])
        assert.deepEqual(subscriber(story)?.spec.appliedScopes, ['read'])
        await decide(story, 'Rejected')
        assert.equal(ready(story), 'False/AccessDenied')
        assert.equal(story.condition(EventSubscription, APP, 'ApprovalGranted').reason, 'Rejected')
        assert.deepEqual(active(), ['read'])
        await story.change(Approval, approval, (spec) => ({ ...spec, state: 'Suspended' }))
        assert.equal(subscriber(story), undefined)
        assert.equal(active(), undefined)
        assert.equal(story.get(EventSubscription, APP).status?.subscriber, undefined)
        assert.equal(story.backend.subscriptions.size, 0)
      },
    ))

  it('named default apply to whoever asks for none', () =>
    told(
      [...MESH, exposure('b', { scopes: scopes('default', 'other') }), ...callbackSubscriber('app', 's')],
      async (story) => {
        assert.deepEqual(subscriber(story)?.spec.publisherTrigger, {
          selectionFilter: { expression: { eq: { field: 'kind', value: 'default' } } },
        })
        assert.equal(subscriber(story)?.spec.appliedScopes, undefined)
        assert.equal(story.get(EventSubscription, APP).status?.activeScopes, undefined)
      },
    ))
})

describe('approval', () => {
  it('33: is not asked again for another trigger', () =>
    told(
      [...MESH, exposure('b', { approval: { strategy: 'Simple' } }), ...callbackSubscriber('app', 's')],
      async (story) => {
        await decide(story, 'Granted')
        const [before] = story.all(ApprovalRequest).map((r) => r.metadata.uid)
        const trigger = { selectionFilter: { attributes: { a: 'b' } } }
        await story.change(EventSubscription, APP, (spec) => ({ ...spec, trigger }))
        assert.equal(ready(story), 'True')
        assert.deepEqual(subscriber(story)?.spec.trigger, trigger)
        assert.deepEqual(
          story.all(ApprovalRequest).map((r) => r.metadata.uid),
          [before],
        )
      },
    ))

  const granted: Record<string, object> = {
    'of strategy Auto': { approval: { strategy: 'Auto' } },
    'for a trusted team, whatever the case': { approval: { strategy: 'FourEyes', trustedTeams: ['SHOP--Billing'] } },
    'within one team': { approval: { strategy: 'Simple' }, provider: { name: 'own', namespace: OTHER_TEAM } },
  }
  for (const [what, spec] of Object.entries(granted))
    it(`34: ${what} needs nobody`, () =>
      told(
        [...MESH, application('own', 'b', OTHER_TEAM), exposure('b', spec), ...callbackSubscriber('app', 's')],
        async (story) => assert.equal(ready(story), 'True'),
      ))

  it('34: with four eyes is still pending after the first', () =>
    told(
      [...MESH, exposure('b', { approval: { strategy: 'FourEyes' } }), ...callbackSubscriber('app', 's')],
      async (story) => {
        assert.equal(ready(story), 'False/ApprovalPending')
        await decide(story, 'Semigranted')
        assert.equal(ready(story), 'False/ApprovalPending')
        await decide(story, 'Granted')
        assert.equal(ready(story), 'True')
      },
    ))

  it('that was suspended ends delivery even while something else is in the way (decisions §4.6)', () =>
    told([...MESH, exposure('b'), ...callbackSubscriber('app', 's')], async (story) => {
      await story.delete(EventConfig, configRef('s'))
      assert.ok(subscriber(story))
      await story.change(Approval, approval, (spec) => ({ ...spec, state: 'Suspended' }))
      assert.equal(subscriber(story), undefined)
      assert.equal(ready(story), 'False/AccessDenied')
      assert.equal(story.all(ApprovalRequest).length, 1)
      await story.change(Approval, approval, (spec) => ({ ...spec, state: 'Granted' }))
      assert.equal(ready(story), 'False/PreconditionNotMet')
      await story.apply(local('s'))
      assert.equal(ready(story), 'True')
    }))

  it('does not cross over to another team that takes the type over (decisions §8.22)', () =>
    told(
      [...MESH, exposure('b', { approval: { strategy: 'Simple' } }), ...callbackSubscriber('app', 's')],
      async (story) => {
        await decide(story, 'Granted')
        assert.equal(ready(story), 'True')
        await story.apply(
          application('next', 'b', 'prod--shop--next'),
          exposure('b', {
            approval: { strategy: 'Simple' },
            provider: { name: 'next', namespace: 'prod--shop--next' },
          }),
        )
        assert.equal(ready(story), 'False/ApprovalPending')
        assert.match(message(story), /waits for a decision by team shop--next$/)
        assert.equal(subscriber(story), undefined, 'delivery ended with the owner it was granted by')
        await decide(story, 'Granted')
        assert.equal(ready(story), 'True')
      },
    ))

  it('does not pass to another team with the requesting application', () =>
    told(
      [...MESH, exposure('b', { approval: { strategy: 'Simple' } }), ...callbackSubscriber('app', 's')],
      async (story) => {
        await decide(story, 'Granted')
        const other = application('spy', 's', 'prod--shop--spy')
        const [, subscription] = callbackSubscriber('app', 's')
        assert.ok(subscription)
        const requestor = { name: 'spy', namespace: 'prod--shop--spy' }
        await story.apply(other, { ...subscription, spec: { ...(subscription.spec as object), requestor } })
        assert.equal(ready(story), 'False/ApprovalPending')
        assert.equal(subscriber(story), undefined)
      },
    ))
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
      async (story) => assert.match(message(story), /^Application test--shop--billing\/app does not exist/),
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
