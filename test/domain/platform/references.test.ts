import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { staticWorld, viewOf } from '#control/world.ts'
import { eventControllers } from '#controllers/event.ts'
import { platformControllers } from '#controllers/platform.ts'
import { expirationOf } from '#domain/approval/standing.ts'
import { apiVersionOf, type Kind } from '#domain/kind.ts'
import { Approval, type ApprovalSpec } from '#domain/kinds/approval/approval.ts'
import { ApprovalExpiration } from '#domain/kinds/approval/approval-expiration.ts'
import { ConsumeRoute } from '#domain/kinds/gateway/consume-route.ts'
import { Consumer } from '#domain/kinds/gateway/consumer.ts'
import { Gateway } from '#domain/kinds/gateway/gateway.ts'
import { Route } from '#domain/kinds/gateway/route.ts'
import { Client } from '#domain/kinds/identity/client.ts'
import { IdentityProvider } from '#domain/kinds/identity/identity-provider.ts'
import { Realm } from '#domain/kinds/identity/realm.ts'
import { Notification } from '#domain/kinds/notification/notification.ts'
import { NotificationChannel } from '#domain/kinds/notification/notification-channel.ts'
import { EventStore } from '#domain/kinds/pubsub/event-store.ts'
import { Publisher } from '#domain/kinds/pubsub/publisher.ts'
import { Subscriber } from '#domain/kinds/pubsub/subscriber.ts'
import type { Named, Resource } from '#domain/object.ts'

const planners = new Map(
  [...platformControllers(), ...eventControllers()].map(({ kind, planner }) => [kind.kind, planner]),
)

function made(kind: Kind, ref: Named, spec: object, status: object = {}): Resource {
  const said = {
    type: 'Ready',
    status: 'True' as const,
    reason: 'R',
    message: '',
    lastTransitionTime: '',
    observedGeneration: 1,
  }
  return {
    apiVersion: apiVersionOf(kind),
    kind: kind.kind,
    metadata: { ...ref, uid: `${kind.kind}-${ref.name}`, generation: 1, creationTimestamp: '2026-01-01T00:00:00Z' },
    spec,
    status: { ...status, conditions: [said] },
  }
}

describe('a reference', () => {
  const there = { name: 'x', namespace: 'stage--b' }
  const upstream = { scheme: 'http', hostname: 'x', port: 80, path: '/' }
  const cases: readonly [self: Kind, spec: object, other: Kind, otherSpec: object, field: string][] = [
    [Client, { realm: there, clientId: 'c' }, Realm, {}, 'spec.realm'],
    [Realm, { identityProvider: there, name: 'r' }, IdentityProvider, { url: 'https://i' }, 'spec.identityProvider'],
    [Consumer, { gateway: there, name: 'c' }, Gateway, {}, 'spec.gateway'],
    [
      Route,
      { gatewayRef: there, type: 'PRIMARY', passThrough: true, backend: { upstreams: [upstream] } },
      Gateway,
      {},
      'spec.gatewayRef',
    ],
    [ConsumeRoute, { route: there, consumerName: 'c' }, Route, {}, 'spec.route'],
    [Publisher, { eventStore: there, eventType: 'orders.v1', publisherId: 'p' }, EventStore, {}, 'spec.eventStore'],
    [
      Subscriber,
      { publisher: there, subscriberId: 's', delivery: { type: 'ServerSentEvent', payload: 'Data' } },
      Publisher,
      { eventStore: there, eventType: 'orders.v1', publisherId: 'p' },
      'spec.publisher',
    ],
    [
      Notification,
      { channels: [there], purpose: 'p', sender: { type: 'System', name: 'System' } },
      NotificationChannel,
      { email: { recipients: [] } },
      'spec.channels',
    ],
  ]
  for (const [kind, spec, other, otherSpec, field] of cases)
    it(`does not lead into another environment: the ${other.kind} of a ${kind.kind}`, () => {
      const planned = (namespace: string) => {
        const self = { ...made(kind, { name: 'self', namespace }, spec), status: {} }
        const store = made(EventStore, there, { url: 'https://b', tokenUrl: 'https://t', clientId: 'c' })
        const found = made(other, there, otherSpec, { issuerUrl: 'https://i' })
        const world = staticWorld([self, store, found])
        return planners.get(kind.kind)!(viewOf(self), world)
      }
      const { conditions, outcome, effect } = planned('prod--b')
      assert.deepEqual([outcome, effect], ['waiting', undefined])
      const wrong = `${other.kind} stage--b/x is in environment stage, not prod: let ${field} name one of prod`
      assert.equal(conditions.find((c) => c.type === 'Ready')?.message, wrong)
      assert.equal(planned('stage--b').outcome, 'desired')
    })

  it('does not lead into another environment: the Approval of an ApprovalExpiration', () => {
    const standing = { state: 'Granted', strategy: 'Auto', decisions: [] } as unknown as ApprovalSpec
    const approval = made(Approval, { name: 'x', namespace: 'stage--a--b' }, standing)
    const expiration = expirationOf(standing, approval.metadata.creationTimestamp ?? '')
    const planned = (namespace: string) => {
      const spec = { approval: { name: 'x', namespace: 'stage--a--b' }, expiration }
      const self = made(ApprovalExpiration, { name: 'x', namespace }, spec)
      const world = staticWorld([self, approval], { now: '2030-01-01T00:00:00Z' })
      return planners.get(ApprovalExpiration.kind)!(viewOf(self), world).patches.length
    }
    assert.deepEqual([planned('prod--a--b'), planned('stage--a--b')], [0, 1])
  })
})
