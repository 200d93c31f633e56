import assert from 'node:assert/strict'
import { afterEach, beforeEach, test } from 'node:test'
import { apiControllers } from '#controllers/api.ts'
import { platformControllers } from '#controllers/platform.ts'
import type { Kind } from '#domain/kind.ts'
import { Zone } from '#domain/kinds/admin/zone.ts'
import { Application } from '#domain/kinds/application/application.ts'
import { Client } from '#domain/kinds/identity/client.ts'
import { Rover } from '#domain/kinds/rover/rover.ts'
import type { Named } from '#domain/object.ts'
import type { WriteContext } from '#registry/registry.ts'
import { BASE_PATH, PANDORA, Town, zoneRef } from './town.ts'

let town: Town
beforeEach(async () => {
  town = await Town.open()
  await town.serve()
  await merge(Zone, zoneRef('z2'), { spec: { identityProvider: { secretRotation: { gracePeriod: '2h' } } } })
})
afterEach(() => town.close())

const CLIENT = 'eni--pandora--web--z2'
const PERSON: WriteContext = { user: { name: 'ann', groups: [] } }
async function merge(kind: Kind, ref: Named, value: object, context = PERSON): Promise<void> {
  await town.garden.registry.patch(kind, ref, { type: 'merge', value, duplicates: [] }, context)
  await town.settle()
}
const calling = (more: object = {}): Promise<void> =>
  town.put(Rover, PANDORA, 'web', { zone: 'z2', subscriptions: [{ api: { basePath: BASE_PATH } }], ...more })
const rotate = (): Promise<void> =>
  merge(Application, { namespace: PANDORA, name: 'web' }, { spec: { secret: 'rotate' } })
const ready = (): string => town.condition(Rover, PANDORA, 'web')

/** The secrets of the application, as its client has them: the one in use, and the previous one in its grace period. */
async function secretsInUse() {
  const { spec } = town.get(Client, PANDORA, CLIENT)
  assert.equal(spec.clientSecret, town.get(Application, PANDORA, 'web').spec.secret)
  const clear = (reference: string | undefined) => reference && town.garden.registry.resolveSecret(reference)
  return [await clear(spec.clientSecret), await clear(spec.rotatedClientSecret)]
}
async function assertSilent(): Promise<void> {
  await town.garden.stop()
  town.garden.counted()
  town.garden.start()
  await town.garden.advance(3 * 60_000)
  assert.equal(town.garden.counted().writes, 0, 'a restart writes nothing')
}

test('a secret in the file is the one of the application; one it replaces lives for its grace period', async () => {
  await calling()
  const [generated] = await secretsInUse()
  assert.ok(generated)
  await calling({ clientSecret: 'my-own' })
  assert.deepEqual(await secretsInUse(), ['my-own', generated])
  await calling({ clientSecret: 'another' })
  assert.deepEqual(await secretsInUse(), ['another', 'my-own'])
  await calling({ clientSecret: 'rotate' })
  const [made, previous] = await secretsInUse()
  assert.match(made ?? '', /^trd_/)
  assert.equal(previous, 'another')
  await assertSilent()
  assert.deepEqual(await secretsInUse(), [made, previous])
})

test('a secret that is taken out of the file stays the one of the application', async () => {
  await calling({ clientSecret: 'my-own' })
  await calling()
  await assertSilent()
  assert.deepEqual(await secretsInUse(), ['my-own', undefined])
})

test('a rotation at the application holds, until the file names another secret', async () => {
  await calling({ clientSecret: 'my-own' })
  await rotate()
  const [made, previous] = await secretsInUse()
  assert.match(made ?? '', /^trd_/)
  assert.equal(previous, 'my-own')
  await calling({ clientSecret: 'my-own' })
  await assertSilent()
  assert.deepEqual(await secretsInUse(), [made, 'my-own'])
  await rotate()
  const [next] = await secretsInUse()
  assert.deepEqual(await secretsInUse(), [next, made])
  await calling({ clientSecret: 'another' })
  assert.deepEqual(await secretsInUse(), ['another', next])
  await rotate()
  await calling()
  const [last, before] = await secretsInUse()
  assert.match(last ?? '', /^trd_/)
  assert.equal(before, 'another')
  assert.equal(town.condition(Application, PANDORA, 'web'), 'True/Provisioned')
  assert.equal(ready(), 'True/Provisioned')
  await assertSilent()
})

test('while a rotation is in progress the secret of the file waits', async () => {
  await town.close()
  const others = [...platformControllers(), ...apiControllers()].filter(({ kind }) => kind !== Client)
  town = new Town(others)
  await town.zone('z2')
  await calling({ clientSecret: 'my-own' })
  await calling({ clientSecret: 'another' })
  assert.equal(town.condition(Application, PANDORA, 'web', 'SecretRotation'), 'False/InProgress')
  await calling({ clientSecret: 'a third' })
  assert.deepEqual(await secretsInUse(), ['another', 'my-own'])
  assert.equal(ready(), 'False/SubResourceNotReady')
  await handOver()
  assert.deepEqual(await secretsInUse(), ['a third', 'another'])
  await handOver()
  assert.equal(town.condition(Application, PANDORA, 'web', 'SecretRotation'), 'True/Success')
})

/** What the controller of the Client says once the issuer knows the secret. */
async function handOver(): Promise<void> {
  const { metadata } = town.get(Client, PANDORA, CLIENT)
  const ok = { type: 'Ready', status: 'True', reason: 'Ok', message: '', observedGeneration: metadata.generation }
  const status = { conditions: [{ ...ok, lastTransitionTime: '2026-01-01T00:00:00Z' }] }
  const user = { name: 'p', groups: [], platform: true }
  await merge(Client, { namespace: PANDORA, name: CLIENT }, { status }, { user, subresource: 'status' })
}
