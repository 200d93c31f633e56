import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Approval } from '#domain/kinds/approval/approval.ts'
import { ApprovalRequest } from '#domain/kinds/approval/approval-request.ts'
import { EventConfig } from '#domain/kinds/event/event-config.ts'
import { EventSubscription } from '#domain/kinds/event/event-subscription.ts'
import {
  application,
  callbackSubscriber,
  configRef,
  eventType,
  exposure,
  local,
  OTHER_TEAM,
  TEAM,
  zone,
} from './drafts.ts'
import { type Story, told } from './story.ts'
import { APP, APPROVAL, MESH, decide, message, ready, subscriber } from './subscriptions.ts'

const scopes = (...names: string[]) =>
  names.map((name) => ({ name, trigger: { selectionFilter: { attributes: { kind: name } } } }))
const requests = (story: Story) =>
  story.all(ApprovalRequest).map((r) => [r.spec.state, r.spec.requester.properties?.['scopes']])

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
        assert.equal(story.condition(EventSubscription, APP, 'Processing').reason, 'Blocked')
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

  it('32: are in force from the grant on, also while the backend does not answer', () =>
    told(
      [
        ...MESH,
        exposure('b', { ...offered, approval: { strategy: 'Simple' } }),
        ...callbackSubscriber('app', 's', { scopes: ['read'] }),
      ],
      async (story) => {
        story.backend.refuse = 500
        await decide(story, 'Granted')
        assert.equal(ready(story), 'False/SubResourceNotReady')
        assert.equal(story.backend.subscriptions.size, 0)
        assert.deepEqual(story.get(EventSubscription, APP).status?.activeScopes, ['read'])
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
        assert.deepEqual(subscriber(story)?.spec.appliedScopes, ['read'])
        await story.change(Approval, APPROVAL, (spec) => ({ ...spec, state: 'Suspended' }))
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
      await story.change(Approval, APPROVAL, (spec) => ({ ...spec, state: 'Suspended' }))
      assert.equal(subscriber(story), undefined)
      assert.equal(ready(story), 'False/AccessDenied')
      assert.equal(story.all(ApprovalRequest).length, 1)
      await story.change(Approval, APPROVAL, (spec) => ({ ...spec, state: 'Granted' }))
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
