import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, it } from 'node:test'
import type { SendHttp } from '#controllers/actuators/http-call.ts'
import { eventControllers } from '#controllers/event.ts'
import { platformControllers } from '#controllers/platform.ts'
import type { Kind } from '#domain/kind.ts'
import { Zone } from '#domain/kinds/admin/zone.ts'
import { EventConfig } from '#domain/kinds/event/event-config.ts'
import { EventSubscription } from '#domain/kinds/event/event-subscription.ts'
import { Gateway } from '#domain/kinds/gateway/gateway.ts'
import { Client } from '#domain/kinds/identity/client.ts'
import { KINDS } from '#domain/kinds/index.ts'
import type { Named } from '#domain/object.ts'
import { EventStore } from '#domain/kinds/pubsub/event-store.ts'
import { Subscriber } from '#domain/kinds/pubsub/subscriber.ts'
import { ManualClock } from '#lib/clock.ts'
import { Garden } from '#test/control/fixture.ts'
import { application, at, callbackSubscriber, configRef, eventType, exposure, local, proxy } from './drafts.ts'
import { subscriptionRef, zone, zoneRef } from './drafts.ts'
import type { Draft } from './story.ts'

let garden: Garden
/** Client and secret of each token that was asked for. */
let asked: string[]

beforeEach(() => {
  asked = []
  const clock = new ManualClock(Date.UTC(2026, 0, 1))
  const controllers = [...platformControllers(), ...eventControllers({ send: outside, clock })]
  garden = new Garden({ kinds: KINDS, controllers }).start()
})
afterEach(async () => {
  await garden.stop()
  await garden.registry.close()
})

/** An issuer that accepts the secret the Client has now and no other, and a backend that takes everything. */
const outside: SendHttp = async ({ method, headers }) => {
  if (method !== 'POST') return { status: 200, retryAfter: null, text: '' }
  const pair = Buffer.from(headers['authorization']!.replace('Basic ', ''), 'base64').toString()
  asked.push(pair)
  const [id = '', secret] = pair.split(':')
  const accepted = secret === (await clearSecret(Client, { name: id, namespace: at('b') }))
  return { status: accepted ? 200 : 401, retryAfter: null, text: '{"access_token":"t","expires_in":300}' }
}

const read = (kind: Kind, { name, namespace }: Named): any => garden.find(kind, name, namespace)
const clearSecret = (kind: Kind, ref: Named): Promise<string | undefined> =>
  garden.source.resolveSecret(read(kind, ref).spec.clientSecret)

async function apply(...drafts: readonly Draft[]): Promise<void> {
  for (const { kind, metadata, spec } of drafts)
    await garden.put(kind, metadata.name, spec, { namespace: metadata.namespace })
  for (let i = 0; i < 20; i++) await garden.advance(1000)
}

const ready = (kind: Kind, { name, namespace }: Named): string => garden.condition(kind, name, 'Ready', namespace)

async function assertSilent(): Promise<void> {
  await garden.stop()
  garden.counted()
  garden.start()
  await garden.advance(3_600_000)
  assert.equal(garden.counted().writes, 0, 'a restart writes nothing')
}

const adminClient = { name: 'eventbackend-admin', namespace: at('b') }
const withAdmin = (client?: object): Draft => {
  const { spec, ...rest } = local('b')
  return { ...rest, spec: { ...spec, local: { ...spec.local, admin: { ...spec.local.admin, client } } } }
}
const withMesh = (client?: object): Draft => {
  const { spec, ...rest } = local('b')
  return { ...rest, spec: { ...spec, mesh: { fullMesh: true, client } } }
}
const WORLD = [zone('b'), zone('e'), application('shop', 'b'), eventType(), exposure('b')]

describe('§2.5: a client secret that is no longer given is made by the server', () => {
  it('and the backend is configured with it, through proxies too, also for who comes later', async () => {
    await apply(...WORLD, withAdmin({ clientSecret: 'hugo' }), ...callbackSubscriber('early', 'b'))
    assert.deepEqual([...new Set(asked)], ['eventbackend-admin:hugo'])

    await apply(withAdmin())
    const made = await clearSecret(Client, adminClient)
    assert.ok(made !== undefined && made !== 'hugo' && made.length > 20, 'the Client has a new secret')
    assert.equal(await clearSecret(EventStore, configRef('b')), made)

    await apply(proxy('e', 'b'), ...callbackSubscriber('late', 'b'))
    for (const z of ['b', 'e']) assert.equal(ready(EventConfig, configRef(z)), 'True/Provisioned')
    for (const app of ['early', 'late']) {
      assert.equal(ready(EventSubscription, subscriptionRef(app)), 'True/Provisioned')
      const { registration } = read(Subscriber, subscriptionRef(app)).status
      assert.equal(await garden.source.resolveSecret(registration.clientSecret), made)
    }
    assert.equal(await clearSecret(EventStore, configRef('e')), made)
    assert.equal(asked.at(-1), `eventbackend-admin:${made}`)
    await assertSilent()
    assert.equal(await clearSecret(Client, adminClient), made, 'it is made once')
  })

  for (const [what, client] of [
    ['a client of nothing', {}],
    ['a client in a realm that does not exist', { realm: { name: 'nope', namespace: at('b') } }],
  ] as const)
    it(`after ${what}, which made one of its own`, async () => {
      await apply(...WORLD, withAdmin(), ...callbackSubscriber('early', 'b'))
      await apply(withAdmin(client))
      await apply(withAdmin())
      assert.equal(ready(EventConfig, configRef('b')), 'True/Provisioned')
      assert.equal(ready(EventSubscription, subscriptionRef('early')), 'True/Provisioned')
      const made = await clearSecret(Client, adminClient)
      assert.ok(made)
      assert.equal(await clearSecret(EventStore, configRef('b')), made)
      await assertSilent()
    })

  it('also when it was left out while nobody was looking', async () => {
    await apply(...WORLD, withAdmin({ clientSecret: 'hugo' }), ...callbackSubscriber('early', 'b'))
    await garden.stop()
    const { name, namespace } = configRef('b')
    await garden.put(EventConfig, name, withAdmin().spec, { namespace })
    garden.start()
    await apply(...callbackSubscriber('late', 'b'))
    for (const app of ['early', 'late'])
      assert.equal(ready(EventSubscription, subscriptionRef(app)), 'True/Provisioned')
    assert.equal(asked.at(-1), `eventbackend-admin:${await clearSecret(Client, adminClient)}`)
  })

  it('as that of the mesh client', async () => {
    const ref = { name: 'eventstore', namespace: at('b') }
    await apply(...WORLD, withMesh({ clientSecret: 'hugo' }))
    assert.equal(await clearSecret(Client, ref), 'hugo')
    await apply(withMesh())
    const made = await clearSecret(Client, ref)
    assert.ok(made && made !== 'hugo')
    assert.equal(ready(EventConfig, configRef('b')), 'True/Provisioned')
    await assertSilent()
    assert.equal(await clearSecret(Client, ref), made)
  })

  it('as that of the client which administers the gateway of a zone', async () => {
    const ref = { name: 'rover', namespace: at('b') }
    const withGateway = (clientSecret?: string): Draft => {
      const { spec, ...rest } = zone('b')
      const admin = { url: 'https://gateway.example', clientSecret }
      return { ...rest, spec: { ...spec, gateway: { ...spec.gateway, admin } } }
    }
    const ofGateway = () =>
      garden.source.resolveSecret(read(Gateway, { name: 'gateway', namespace: at('b') }).spec.admin.clientSecret)
    for (const none of [undefined, '']) {
      await apply(withGateway('hugo'))
      assert.deepEqual([await clearSecret(Client, ref), await ofGateway()], ['hugo', 'hugo'])
      // platform §7.2: left out of an update it stays, so only who removes the whole of it has given it up
      await apply(withGateway(none))
      assert.deepEqual([await clearSecret(Client, ref), await ofGateway()], ['hugo', 'hugo'])
      await apply(zone('b'))
      await apply(withGateway(none))
      const made = await clearSecret(Client, ref)
      assert.ok(made && made !== 'hugo')
      assert.equal(await ofGateway(), made)
      assert.equal(ready(Zone, zoneRef('b')), 'True/Provisioned')
      await assertSilent()
      assert.equal(await clearSecret(Client, ref), made)
    }
  })
})
