import assert from 'node:assert/strict'
import { afterEach, beforeEach, test } from 'node:test'
import { Zone } from '#domain/kinds/admin/zone.ts'
import { ApiExposure } from '#domain/kinds/api/api-exposure.ts'
import { ApiSubscription } from '#domain/kinds/api/api-subscription.ts'
import { Application } from '#domain/kinds/application/application.ts'
import { Consumer } from '#domain/kinds/gateway/consumer.ts'
import { Client } from '#domain/kinds/identity/client.ts'
import { ApiSpecification } from '#domain/kinds/rover/api-specification.ts'
import { HYPERION, PANDORA, Town, zoneRef } from './town.ts'

const SUB = 'shop--eni-foo-v1'
const STRANGE = { name: 'z2', namespace: 'test' }
let town: Town
/** Zone z2 is there twice, in environments poc and test. */
beforeEach(async () => {
  town = await Town.open()
  const urls = [{ hostname: 'gw.test.example.com' }]
  await town.put(Zone, 'test', 'z2', {
    visibility: 'Enterprise',
    gateway: { presets: [{ name: 'default', default: true, urls }] },
  })
  await town.serve()
})
afterEach(() => town.close())

const intruders = async (): Promise<readonly string[]> =>
  [...(await town.all(Client)), ...(await town.all(Consumer))]
    .filter((o) => o.metadata.namespace?.startsWith('poc--') && JSON.stringify(o.spec).includes('test--'))
    .map((o) => `${o.kind} ${o.metadata.name}`)

const inPlaceOf = (field: string): string =>
  `Zone test/z2 is in environment test, not poc: let ${field} name one of poc`

test('a subscription in a zone of another environment says so, and brings nothing there', async () => {
  await town.subscribe({ zone: STRANGE })
  assert.equal(town.message(ApiSubscription, PANDORA, SUB), inPlaceOf('spec.zone'))
  assert.deepEqual(await intruders(), [])
  assert.equal(town.condition(Application, PANDORA, 'shop'), 'True/Provisioned')
})

test('a subscription does not fail over to a zone of another environment, though one of its name has a route', async () => {
  await town.subscribe({ zone: zoneRef('z1'), traffic: { failover: { zone: [STRANGE] } } })
  await town.application('other', PANDORA, 'z2')
  await town.subscribe({}, 'other')
  assert.ok(town.route('z2'))
  assert.equal(town.message(ApiSubscription, PANDORA, SUB), inPlaceOf('spec.traffic.failover.zone'))
  assert.equal(town.consumeRoute('z2'), undefined)
  assert.deepEqual(await intruders(), [])
})

test('an exposure in a zone of another environment says so', async () => {
  await town.expose({ zone: STRANGE })
  assert.equal(town.message(ApiExposure, HYPERION, 'foo--eni-foo-v1'), inPlaceOf('spec.zone'))
  assert.deepEqual(await intruders(), [])
  assert.equal(town.condition(Application, HYPERION, 'foo'), 'True/Provisioned')
})

test('a zone of another environment that should stand in does not, says so, and takes nobody the route', async () => {
  await town.expose({ traffic: { failover: { zones: [STRANGE] } } })
  await town.subscribe()
  assert.equal(town.subscription(), 'True/Provisioned')
  assert.equal(town.route('z2')?.spec.type, 'PROXY')
  assert.equal(town.exposure('ZonesServed'), 'False/ZoneNotServed')
  assert.equal(
    town.message(ApiExposure, HYPERION, 'foo--eni-foo-v1', 'ZonesServed'),
    inPlaceOf('spec.traffic.failover.zones'),
  )
})

test('an application of another environment cannot be used', async () => {
  const there = 'test--eni--pandora'
  await town.put(Application, there, 'shop', { team: 'eni--pandora', teamEmail: 'x@example.com', zone: STRANGE })
  await town.subscribe({ requestor: { application: { name: 'shop', namespace: there } } })
  assert.equal(
    town.message(ApiSubscription, PANDORA, SUB),
    'Application test--eni--pandora/shop is in environment test, not poc: let spec.requestor.application name one of poc',
  )
  assert.deepEqual(
    (await town.all(Client)).map((c) => c.metadata.namespace).filter((namespace) => namespace === there).length,
    1,
  )
})

test('a file of another environment is none of the specification', async () => {
  await town.register({ specification: 'test--eni--hyperion--foo' })
  assert.equal(town.condition(ApiSpecification, HYPERION, 'eni-foo-v1', 'FileIntegrity'), 'False/FileMissing')
  assert.equal(
    town.message(ApiSpecification, HYPERION, 'eni-foo-v1', 'FileIntegrity'),
    'File test--eni--hyperion/foo is in environment test, not poc: let spec.specification name one of poc',
  )
})
