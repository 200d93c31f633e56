import assert from 'node:assert/strict'
import { test } from 'node:test'
import { staticWorld, viewOf } from '#control/world.ts'
import { apiVersionOf, type Kind } from '#domain/kind.ts'
import { EventStore } from '#domain/kinds/pubsub/event-store.ts'
import { Subscriber, type SubscriberRegistration } from '#domain/kinds/pubsub/subscriber.ts'
import type { Resource } from '#domain/object.ts'
import { planSubscriber } from '#domain/plan/subscriber.ts'

const made = (kind: Kind, name: string, spec: object, status = {}): Resource<any, any> => ({
  apiVersion: apiVersionOf(kind),
  kind: kind.kind,
  metadata: { name, namespace: 'prod--b', uid: name, generation: 1, creationTimestamp: '2026-01-01T00:00:00Z' },
  spec,
  status,
})
const AT: SubscriberRegistration = {
  eventStore: { name: 'prod', namespace: 'prod--b' },
  url: 'https://b/api',
  environment: 'prod',
  eventType: 'orders.v1',
  publisherId: 'p',
  subscriberId: 'app',
  tokenUrl: 'https://old/token',
  clientId: 'old',
  clientSecret: '$<old>',
}
const NOW = { tokenUrl: 'https://new/token', clientId: 'new', clientSecret: '$<new>' }

/** What a Subscriber that waits for its Publisher keeps of what it has, and may have, at the backend. */
function kept(url: string): any {
  const spec = {
    publisher: { name: 'orders.v1', namespace: 'prod--b' },
    subscriberId: 'app',
    delivery: { type: 'ServerSentEvent', payload: 'Data' },
  }
  const self = made(Subscriber, 'app', spec, {
    subscriptionId: 'x',
    registration: AT,
    pending: [{ subscriptionId: 'y', registration: AT }],
  })
  return planSubscriber(viewOf(self), staticWorld([self, made(EventStore, 'prod', { url, ...NOW })])).status
}

test('what is registered, and what may be, is kept with the credentials that remove it today', () => {
  const { registration, pending } = kept(AT.url)
  assert.deepEqual(registration, { ...AT, ...NOW })
  assert.deepEqual(pending, [{ subscriptionId: 'y', registration: { ...AT, ...NOW } }])
})

test('the credentials of a store that is somewhere else now are not sent to where it was', () => {
  const { registration, pending } = kept('https://elsewhere/api')
  assert.deepEqual([registration, pending[0].registration], [AT, AT])
})
