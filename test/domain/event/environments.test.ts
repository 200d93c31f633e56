import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { apiVersionOf, type Kind } from '#domain/kind.ts'
import { Application } from '#domain/kinds/application/application.ts'
import { Approval } from '#domain/kinds/approval/approval.ts'
import { ApprovalRequest } from '#domain/kinds/approval/approval-request.ts'
import { EventConfig } from '#domain/kinds/event/event-config.ts'
import { EventExposure } from '#domain/kinds/event/event-exposure.ts'
import { EventSubscription } from '#domain/kinds/event/event-subscription.ts'
import { EventType } from '#domain/kinds/event/event-type.ts'
import { Consumer } from '#domain/kinds/gateway/consumer.ts'
import { Route } from '#domain/kinds/gateway/route.ts'
import { Client } from '#domain/kinds/identity/client.ts'
import { Team } from '#domain/kinds/organization/team.ts'
import { Subscriber } from '#domain/kinds/pubsub/subscriber.ts'
import type { Named } from '#domain/object.ts'
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
  staged,
  streamSubscriber,
  subscriptionRef,
  TEAM,
  TYPE,
  zone,
  zoneRef,
} from './drafts.ts'
import { type Draft, type Story, told } from './story.ts'

const ENVIRONMENT_LABEL = 'cp.ei.vendor.de/environment'

const stageZone = (name: string): Named => ({ name, namespace: 'stage' })
const SHOP = { name: 'shop', namespace: TEAM }
const PROD = [zone('b'), zone('p'), local('b'), local('p'), eventType(), application('shop', 'b')]
const STAGE = [staged(zone('b')), staged(zone('q'))]

/** Who has an identity in a zone of stage without being of stage. */
const intruders = (story: Story): readonly string[] =>
  [...story.all(Client), ...story.all(Consumer)]
    .filter((o) => !o.metadata.namespace?.startsWith('stage--'))
    .filter((o) => JSON.stringify(o.spec).includes('stage--'))
    .map((o) => `${o.kind} ${o.metadata.namespace}/${o.metadata.name}`)
const clients = (story: Story, namespace: string): readonly string[] =>
  story
    .all(Client)
    .filter((c) => c.metadata.namespace === namespace)
    .map((c) => c.metadata.name)
    .toSorted()
const message = (story: Story, kind: Kind, ref: Named): string => story.condition(kind, ref, 'Ready').message

describe('an application', () => {
  it('is not disturbed by an exposure of others that names it and a zone of another environment (decisions §8.2)', () =>
    told([...PROD, ...STAGE, exposure('b'), ...callbackSubscriber('app', 'p')], async (story) => {
      const evil: Draft = {
        kind: EventExposure,
        metadata: { name: 'evil', namespace: OTHER_TEAM },
        spec: { ...exposure('b', { zone: stageZone('b') }, 'other.v1').spec },
      }
      await story.apply(eventType('other.v1', OTHER_TEAM), evil)
      assert.equal(story.ready(Application, SHOP), 'True')
      assert.equal(story.ready(EventExposure, exposureRef()), 'True')
      assert.equal(story.ready(EventSubscription, subscriptionRef('app')), 'True')
      assert.equal(
        message(story, EventExposure, evil.metadata),
        'Zone stage/b is in environment stage, not prod: let spec.zone name one of prod',
      )
    }))

  it('that names zones of two environments itself is told so', () =>
    told([...PROD, ...STAGE], async (story) => {
      const both = application('both', 'b')
      await story.apply({ ...both, spec: { ...both.spec, failoverZones: [zoneRef('p'), stageZone('b')] } })
      assert.equal(
        message(story, Application, both.metadata),
        'Zone stage/b is in environment stage, not prod: let spec.failoverZones name one of prod',
      )
      assert.deepEqual(clients(story, TEAM), [
        'shop--orders--both--b',
        'shop--orders--both--p',
        'shop--orders--shop--b',
      ])
      await story.apply({ ...both, spec: { ...both.spec, zone: stageZone('q') } })
      assert.equal(
        message(story, Application, both.metadata),
        'Zone stage/q is in environment stage, not prod: let spec.zone name one of prod',
      )
      assert.deepEqual(intruders(story), [])
    }))

  it('gets nothing in the zone of another environment that its subscription names', () =>
    told([...PROD, ...STAGE, exposure('b')], async (story) => {
      const [app, subscription] = callbackSubscriber('app', 'p', { zone: stageZone('q') }) as [Draft, Draft]
      await story.apply(app, subscription)
      assert.deepEqual(intruders(story), [])
      assert.deepEqual(clients(story, OTHER_TEAM), ['shop--billing--app--p'])
      assert.equal(story.ready(Application, app.metadata), 'True')
      assert.equal(
        message(story, EventSubscription, subscription.metadata),
        'Zone stage/q is in environment stage, not prod: let spec.zone name one of prod',
      )
      await story.apply({ ...subscription, spec: { ...subscription.spec, zone: zoneRef('b') } })
      assert.equal(story.ready(EventSubscription, subscription.metadata), 'True')
    }))

  it('is not used from another environment', () =>
    told([...PROD, ...STAGE, staged(eventType())], async (story) => {
      const strange = staged(exposure('b'))
      await story.apply({ ...strange, spec: { ...strange.spec, provider: SHOP, zone: zoneRef('p') } })
      assert.deepEqual(clients(story, TEAM), ['shop--orders--shop--b'])
    }))

  it('has its id in its own environment, whoever wrote it down in another before', () =>
    told([...PROD, ...STAGE], async (story) => {
      const realm = { name: 'stage', namespace: 'stage--q' }
      const gateway = { name: 'gateway', namespace: 'stage--q' }
      const squatter = { name: 'squatter', namespace: TEAM }
      await story.apply(
        { kind: Client, metadata: squatter, spec: { realm, clientId: 'shop--orders--shop' } },
        { kind: Consumer, metadata: squatter, spec: { gateway, name: 'shop--orders--shop' } },
      )
      await story.apply(staged(application('shop', 'q')))
      assert.equal(story.ready(Application, { name: 'shop', namespace: 'stage--shop--orders' }), 'True')
      assert.equal(story.ready(Client, squatter), 'False/PreconditionNotMet')
      assert.equal(story.ready(Consumer, squatter), 'False/PreconditionNotMet')
    }))
})

describe('a realm of another environment', () => {
  const REALM = { name: 'stage', namespace: 'stage--b' }
  const withRealm = (field: 'mesh' | 'admin'): Draft => {
    const draft = local('b')
    const client = { clientId: 'strange', realm: REALM }
    if (field === 'mesh') return { ...draft, spec: { ...draft.spec, mesh: { fullMesh: true, client } } }
    const admin = { ...draft.spec.local.admin, client }
    return { ...draft, spec: { ...draft.spec, local: { ...draft.spec.local, admin } } }
  }
  for (const field of ['mesh', 'admin'] as const)
    it(`is no realm for the ${field} client: its EventConfig says so and makes none`, () =>
      told([zone('b'), staged(zone('b')), withRealm(field)], async (story) => {
        const path = field === 'mesh' ? 'spec.mesh.client.realm' : 'spec.local.admin.client.realm'
        assert.equal(
          message(story, EventConfig, configRef('b')),
          `Realm stage--b/stage is in environment stage, not prod: let ${path} name one of prod`,
        )
        assert.deepEqual(intruders(story), [])
        await story.apply(local('b'))
        assert.equal(story.ready(EventConfig, configRef('b')), 'True')
      }))

  it('is none either while it does not exist', () =>
    told([zone('b'), withRealm('mesh')], (story) => {
      assert.match(message(story, EventConfig, configRef('b')), /^Realm stage--b\/stage is in environment stage/)
      assert.deepEqual(intruders(story), [])
    }))
})

describe('a file of another environment', () => {
  it('is none of the type, which says so and counts all the same', () =>
    told([eventType(TYPE, TEAM, { specification: 'stage--shop--orders--secret' })], async (story) => {
      const ref = { name: 'orders-v1', namespace: TEAM }
      assert.equal(story.ready(EventType, ref), 'True')
      assert.deepEqual(story.condition(EventType, ref, 'FileIntegrity'), {
        ...story.condition(EventType, ref, 'FileIntegrity'),
        status: 'False',
        reason: 'FileMissing',
        message:
          'File stage--shop--orders/secret is in environment stage, not prod: let spec.specification name one of prod',
      })
      await story.apply(eventType(TYPE, TEAM, { specification: 'prod--shop--orders--schema' }))
      assert.equal(story.condition(EventType, ref, 'FileIntegrity').status, 'Unknown')
    }))
})

describe('a request for approval from another namespace', () => {
  it('grants nothing, and keeps nobody from granting what is asked', () =>
    told(
      [...PROD, exposure('b', { approval: { strategy: 'Simple' } }), ...callbackSubscriber('app', 'p')],
      async (story) => {
        const target = {
          apiVersion: apiVersionOf(EventSubscription),
          kind: EventSubscription.kind,
          ...subscriptionRef('app'),
        }
        const party = { teamName: 'x', teamEmail: 'x@x.example' }
        const stray = { name: 'stray', namespace: 'stage--shop--orders' }
        const parties = { requester: { ...party, reason: 'r' }, decider: party }
        const [asked] = story.all(ApprovalRequest)
        await story.apply({
          kind: ApprovalRequest,
          metadata: stray,
          spec: { action: 'subscribe', target, strategy: 'Simple', state: 'Pending', ...parties },
        })
        assert.equal(story.ready(ApprovalRequest, stray), 'False/ValidationFailed')
        assert.match(message(story, ApprovalRequest, stray), /make it in prod--shop--billing$/)
        for (const name of [stray, { name: asked?.metadata.name ?? '', namespace: OTHER_TEAM }])
          await story.change(ApprovalRequest, name, (spec) => ({
            ...spec,
            state: 'Granted',
            decisions: [{ name: 'ann' }],
          }))
        assert.deepEqual(
          story.all(Approval).map((a) => a.metadata.namespace),
          [OTHER_TEAM],
        )
        assert.equal(story.ready(EventSubscription, subscriptionRef('app')), 'True')
      },
    ))
})

describe('a stream', () => {
  it('follows its zone, though another subscription has gone to a zone of that name elsewhere', () =>
    told([...PROD, ...STAGE, staged(zone('p')), exposure('b'), ...streamSubscriber('app', 'p')], async (story) => {
      const [app, gone] = streamSubscriber('gone', 'p') as [Draft, Draft]
      await story.apply(app, gone)
      await story.apply({ ...gone, spec: { ...gone.spec, zone: stageZone('p') } })
      await story.apply(zone('p', { host: 'new.gw.example' }))
      const relay = story.get(Route, { name: 'sse--orders-v1', namespace: at('p') })
      assert.deepEqual(relay.spec.hostnames, ['new.gw.example'])
    }))
})

describe('in a namespace that names no environment', () => {
  it('everything an object brings about carries the environment of its label, and works', () =>
    told([...PROD, exposure('b')], async (story) => {
      const [app, subscription] = callbackSubscriber('app', 'p') as [Draft, Draft]
      const plain = ({ kind, metadata: { name }, spec }: Draft): Draft => ({
        kind,
        metadata: { name, namespace: 'plain', labels: { [ENVIRONMENT_LABEL]: 'prod' } },
        spec: { ...spec, ...(spec.requestor && { requestor: { name: 'app', namespace: 'plain' } }), team: spec.team },
      })
      await story.apply(plain(app), plain(subscription))
      assert.equal(story.ready(Application, { name: 'app', namespace: 'plain' }), 'True')
      assert.equal(story.ready(EventSubscription, { ...subscription.metadata, namespace: 'plain' }), 'True')
      const there = story.resources.filter((r) => r.metadata.namespace === 'plain')
      const kinds = new Set(there.map((r) => r.kind))
      for (const kind of [Client, Consumer, Subscriber, Approval, ApprovalRequest]) assert.ok(kinds.has(kind.kind))
      assert.deepEqual(
        there.filter((r) => r.metadata.labels?.[ENVIRONMENT_LABEL] !== 'prod').map((r) => r.kind),
        [],
      )
    }))
})

describe('a label', () => {
  for (const environment of ['prod--shop', 'Prod'])
    it(`never opens another environment: ${environment} makes no zone and no team there (decisions §3)`, () => {
      const metadata = { name: 'b', namespace: 'plain', labels: { [ENVIRONMENT_LABEL]: environment } }
      const teamMetadata = { ...metadata, name: 'shop--b' }
      const team = { group: 'shop', email: 'team@shop.example', name: 'b' }
      const drafts: readonly Draft[] = [
        { ...zone('b'), metadata },
        { kind: Team, metadata: teamMetadata, spec: team },
      ]
      return told(drafts, (story) => {
        for (const { kind, metadata: ref } of drafts) {
          assert.equal(story.ready(kind, ref), 'False/ValidationFailed')
          assert.match(message(story, kind, ref), /correct the label cp\.ei\.vendor\.de\/environment/)
        }
        assert.deepEqual(
          story.resources.filter((r) => r.metadata.namespace !== 'plain').map((r) => r.kind),
          [],
        )
      })
    })
})
