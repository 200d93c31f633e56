import assert from 'node:assert/strict'
import { afterEach, beforeEach, test } from 'node:test'
import { platformControllers } from '#controllers/platform.ts'
import { isStatus } from '#domain/errors.ts'
import { Environment } from '#domain/kinds/admin/environment.ts'
import { Zone } from '#domain/kinds/admin/zone.ts'
import { Application } from '#domain/kinds/application/application.ts'
import { EventSubscription } from '#domain/kinds/event/event-subscription.ts'
import { Consumer } from '#domain/kinds/gateway/consumer.ts'
import { Gateway } from '#domain/kinds/gateway/gateway.ts'
import { Route } from '#domain/kinds/gateway/route.ts'
import { Client } from '#domain/kinds/identity/client.ts'
import { Realm } from '#domain/kinds/identity/realm.ts'
import { KINDS } from '#domain/kinds/index.ts'
import { secretKey } from '#registry/keys.ts'
import { Garden } from '#test/control/fixture.ts'

const NS = 'poc--eni--pandora'
const HOUR = 3_600_000
let garden: Garden
beforeEach(() => {
  garden = new Garden({ kinds: KINDS, controllers: platformControllers() }).start()
})
afterEach(async () => {
  await garden.stop()
  await garden.registry.close()
})

const zoneSpec = (name: string, more: object = {}): object => ({
  visibility: 'Enterprise',
  gateway: { presets: [{ name: 'default', default: true, urls: [{ hostname: `gw.${name}.example.com` }] }] },
  ...more,
})
async function zone(name: string, more: object = {}): Promise<void> {
  await garden.put(Zone, name, zoneSpec(name, more), { namespace: 'poc' })
  await garden.settle()
}
async function application(name: string, more: object = {}): Promise<void> {
  const spec = { team: 'eni--pandora', teamEmail: 'p@example.com', zone: { name: 'z1', namespace: 'poc' }, ...more }
  await garden.put(Application, name, spec, { namespace: NS })
  await garden.settle()
}
const appReady = (name = 'shop'): string => garden.condition(Application, name, 'Ready', NS)

test('a zone and an application become ready with all their children, in any order', async () => {
  await application('shop')
  assert.equal(appReady(), 'False/PreconditionNotMet')
  await zone('z1')
  assert.equal(garden.condition(Zone, 'z1', 'Ready', 'poc'), 'True/Provisioned')
  assert.equal(appReady(), 'True/Provisioned')
  const unready = (await garden.resources()).filter(
    (r) => r.kind !== 'Namespace' && !r.status?.conditions?.some((c) => c.type === 'Ready' && c.status === 'True'),
  )
  assert.deepEqual(
    unready.map((r) => `${r.kind}/${r.metadata.name}`),
    [],
  )
  assert.equal(
    garden.find(Client, 'eni--pandora--shop--z1', NS)?.status.tokenUrl,
    'https://issuer.example/zones/z1/auth/realms/poc/protocol/openid-connect/token',
  )
})

test('a converged world is silent, also after a restart', async () => {
  await zone('z1')
  await application('shop')
  garden.counted()
  await garden.stop()
  garden.start()
  await garden.settle()
  assert.equal(garden.counted().writes, 0)
})

test('secrets are references, and one per application', async () => {
  await zone('z1')
  await application('shop')
  await application('other')
  const secretOf = (name: string): string => garden.find(Client, `eni--pandora--${name}--z1`, NS)?.spec.clientSecret
  assert.match(secretOf('shop'), /^\$<Application\/poc--eni--pandora\/shop\//)
  const [a, b] = [
    await garden.registry.resolveSecret(secretOf('shop')),
    await garden.registry.resolveSecret(secretOf('other')),
  ]
  assert.ok(a && b && a !== b)
  assert.ok(!JSON.stringify(await garden.resources()).includes(a))
})

test('a rotated secret is replaced everywhere, and the old one lives for its grace period', async () => {
  await zone('z1', { identityProvider: { secretRotation: { gracePeriod: '2h' } } })
  await application('shop')
  const client = () => garden.find(Client, 'eni--pandora--shop--z1', NS)
  const old: string = client()?.spec.clientSecret
  await application('shop', { secret: 'rotate' })
  assert.notEqual(client()?.spec.clientSecret, old)
  assert.equal(client()?.spec.rotatedClientSecret, old)
  assert.ok(await garden.registry.resolveSecret(old))
  assert.equal(garden.condition(Application, 'shop', 'SecretRotation', NS), 'True/Success')
  assert.equal(garden.condition(Client, 'eni--pandora--shop--z1', 'SecretRotation', NS), 'True/Rotated')
  await garden.advance(2 * HOUR - 1000)
  assert.equal(client()?.spec.rotatedClientSecret, old)
  await garden.advance(1000)
  assert.equal(client()?.spec.rotatedClientSecret, undefined)
  assert.equal(garden.find(Application, 'shop', NS)?.status.rotatedClientSecret, undefined)
  await application('shop', { secret: 'rotate' })
  for (let minute = 0; minute < 3; minute++) await garden.advance(60_000)
  await garden.registry.settled()
  assert.equal(await garden.registry.resolveSecret(old), undefined)
})

test('a previous secret that is lost holds nothing up, and nothing is written again and again', async () => {
  await zone('z1', { identityProvider: { secretRotation: { gracePeriod: '2h' } } })
  await application('shop')
  const old: string = garden.find(Application, 'shop', NS)?.spec.secret
  await garden.stop()
  await application('shop', { secret: 'rotate' })
  const lost = { type: 'delete', key: secretKey(old.slice(-23, -1)), expect: 'any' } as const
  await garden.store.transact([lost])
  assert.equal(await garden.registry.resolveSecret(old), undefined)
  garden.start()
  await garden.settle()
  const { spec, status } = garden.find(Application, 'shop', NS)!
  const client = garden.find(Client, 'eni--pandora--shop--z1', NS)!
  assert.equal(garden.condition(Application, 'shop', 'Ready', NS), 'True/Provisioned')
  assert.equal(garden.condition(Application, 'shop', 'SecretRotation', NS), 'True/Success')
  assert.equal(client.spec.clientSecret, spec.secret)
  assert.deepEqual([client.spec.rotatedClientSecret, status.rotatedClientSecret], [undefined, undefined])
  await garden.stop()
  garden.counted()
  garden.start()
  await garden.advance(60_000)
  assert.equal(garden.counted().writes, 0, 'a restart writes nothing')
})

test('a reference to the secret of another application is refused', async () => {
  await zone('z1')
  await application('shop')
  const foreign: string = garden.find(Application, 'shop', NS)?.spec.secret
  await assert.rejects(application('thief', { secret: foreign }), (e) => isStatus(e, 'Invalid'))
})

test('a subscription in another zone brings a client and a consumer there, and takes them when it goes', async () => {
  await zone('z1')
  await zone('z2')
  await application('shop')
  const spec = {
    eventType: 'orders.v1',
    zone: { name: 'z2', namespace: 'poc' },
    requestor: { name: 'shop', namespace: NS },
    delivery: {},
  }
  await garden.put(EventSubscription, 's', spec, { namespace: NS })
  await garden.settle()
  assert.equal(garden.condition(Consumer, 'eni--pandora--shop--z2', 'Ready', NS), 'True/ConsumerReady')
  await garden.delete(EventSubscription, 's', NS)
  await garden.settle()
  assert.equal(garden.find(Consumer, 'eni--pandora--shop--z2', NS), undefined)
  assert.equal(garden.find(Client, 'eni--pandora--shop--z2', NS), undefined)
})

test('waiting never deletes: a zone that breaks keeps everything, also of its applications', async () => {
  await zone('z1')
  await application('shop')
  await zone('z1', { gateway: { presets: [{ name: 'default', default: true, urls: [{ hostname: 'localhost' }] }] } })
  assert.equal(garden.condition(Zone, 'z1', 'Ready', 'poc'), 'False/ValidationFailed')
  assert.equal(appReady(), 'False/PreconditionNotMet')
  assert.ok(garden.find(Gateway, 'gateway', 'poc--z1') && garden.find(Client, 'eni--pandora--shop--z1', NS))
  await zone('z1')
  assert.equal(appReady(), 'True/Provisioned')
})

test('a changed realm name replaces the realm once the new one is ready', async () => {
  await zone('z1')
  await application('shop')
  await garden.put(Environment, 'poc', { realmName: 'acme' }, { namespace: 'poc' })
  await garden.settle()
  assert.equal(garden.find(Realm, 'poc', 'poc--z1'), undefined)
  assert.equal(garden.condition(Realm, 'acme', 'Ready', 'poc--z1'), 'True/Provisioned')
  assert.equal(garden.find(Route, 'gateway--poc--certs', 'poc--z1'), undefined)
  assert.equal(garden.find(Client, 'eni--pandora--shop--z1', NS)?.spec.realm.name, 'acme')
  assert.equal(appReady(), 'True/Provisioned')
})

test('an object somebody else made is never taken over', async () => {
  const theirs = { gateway: { name: 'other', namespace: 'x' }, name: 'theirs' }
  await garden.put(Consumer, 'gateway', theirs, { namespace: 'poc--z1' })
  await zone('z1')
  assert.equal(garden.condition(Zone, 'z1', 'Ready', 'poc'), 'False/Blocked')
  assert.deepEqual(garden.find(Consumer, 'gateway', 'poc--z1')?.spec, theirs)
})

test('of two zones with one provider the younger takes over when the older goes', async () => {
  const shared = { identityProvider: { url: 'https://idp.example.com' } }
  await zone('z1', shared)
  garden.clock.advance(2000)
  await zone('z2', shared)
  assert.equal(garden.condition(Zone, 'z2', 'Ready', 'poc'), 'False/ValidationFailed')
  await garden.delete(Zone, 'z1', 'poc')
  await garden.settle()
  assert.equal(garden.condition(Zone, 'z2', 'Ready', 'poc'), 'True/Provisioned')
})

test('a change of a zone that applications do not look at wakes none of them', async () => {
  await zone('z1')
  for (let i = 0; i < 20; i++) await application(`app${i}`)
  garden.counted()
  await zone('z1', { permissions: { apiBasePath: '/permissions' } })
  const planned = [...garden.counted().runs.keys()].filter((key) => key.startsWith('Application'))
  assert.deepEqual(planned, [])
  await zone('z1', { identityProvider: { secretRotation: { gracePeriod: '1h' } } })
  const after = [...garden.counted().runs.keys()].filter((key) => key.startsWith('Application'))
  assert.equal(after.length, 20)
})
