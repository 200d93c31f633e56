import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { Zone } from '#domain/kinds/admin/zone.ts'
import { ApiExposure } from '#domain/kinds/api/api-exposure.ts'
import { ApiSubscription } from '#domain/kinds/api/api-subscription.ts'
import { ApiSpecification } from '#domain/kinds/rover/api-specification.ts'
import { HYPERION, PANDORA, Town, zoneRef } from './town.ts'

const APIS = 12
const ZONES = 5
const SUBSCRIBERS = 120
const OF_ONE_API = SUBSCRIBERS / APIS
const ON_ONE_ROUTE = OF_ONE_API / ZONES
let town: Town

const path = (i: number): string => `/eni/api${i}/v1`
const subscription = (i: number, zone = `z${1 + (i % ZONES)}`): object => ({
  apiBasePath: path(i % APIS),
  zone: zoneRef(zone),
  requestor: { application: { name: 'shop', namespace: PANDORA } },
  traffic: {},
})

before(async () => {
  town = new Town()
  for (let i = 1; i <= ZONES + 1; i++) await town.zone(`z${i}`)
  await town.application('foo', HYPERION, 'z1')
  await town.application('shop', PANDORA, 'z1')
  for (let i = 0; i < APIS; i++) {
    const spec = { basepath: path(i), version: '1.0.0', hash: 'x', specification: 'x' }
    await town.garden.put(ApiSpecification, `eni-api${i}-v1`, spec, { namespace: HYPERION })
    await town.garden.put(ApiExposure, `foo--${i}`, exposure(i), { namespace: HYPERION })
  }
  for (let i = 0; i < SUBSCRIBERS; i++)
    await town.garden.put(ApiSubscription, `s${i}`, subscription(i), { namespace: PANDORA })
  await town.settle()
  assert.equal(town.subscription('Ready', `s${SUBSCRIBERS - 1}`), 'True/Provisioned')
})
after(() => town.close())

const exposure = (i: number, upstream = 'https://up.example.com'): object => ({
  apiBasePath: path(i),
  upstreams: [{ url: upstream }],
  visibility: 'World',
  approval: { strategy: 'Auto' },
  zone: zoneRef('z1'),
  provider: { name: 'foo', namespace: HYPERION },
})

/** How often which kind was planned because of this. */
async function planned(work: () => Promise<unknown>): Promise<Readonly<Record<string, number>>> {
  town.garden.counted()
  await work()
  await town.settle()
  const runs = Map.groupBy(town.garden.counted().runs, ([key]) => key.split(' ')[0] ?? '')
  return Object.fromEntries([...runs].map(([kind, all]) => [kind, all.reduce((sum, [, n]) => sum + n, 0)]))
}

test('another subscriber in a zone that is served concerns nobody else', async () => {
  const runs = await planned(() => town.put(ApiSubscription, PANDORA, 'more', subscription(0)))
  assert.equal(runs['ApiExposure'], undefined)
  assert.equal(runs['Route'], undefined)
  assert.ok((runs['ApiSubscription'] ?? 0) <= 8, JSON.stringify(runs))
  assert.equal((await planned(() => town.delete(ApiSubscription, PANDORA, 'more')))['ApiExposure'], undefined)
})

test('the first subscriber of a zone concerns the exposure, and of others only who calls the route that changed', async () => {
  const runs = await planned(() => town.put(ApiSubscription, PANDORA, 'first', subscription(0, `z${ZONES + 1}`)))
  assert.ok((runs['ApiExposure'] ?? 0) <= 4, JSON.stringify(runs))
  assert.ok((runs['Route'] ?? 0) <= 4, JSON.stringify(runs))
  assert.ok((runs['ApiSubscription'] ?? 0) <= 8 + 2 * ON_ONE_ROUTE, JSON.stringify(runs))
  await town.delete(ApiSubscription, PANDORA, 'first')
})

test('another upstream concerns one exposure, one route and who calls that', async () => {
  const runs = await planned(() => town.put(ApiExposure, HYPERION, 'foo--0', exposure(0, 'https://new.example.com')))
  assert.ok((runs['ApiExposure'] ?? 0) <= 3, JSON.stringify(runs))
  assert.ok((runs['Route'] ?? 0) <= 2, JSON.stringify(runs))
  assert.ok((runs['ApiSubscription'] ?? 0) <= 2 * (OF_ONE_API + ON_ONE_ROUTE), JSON.stringify(runs))
})

test('a changed file or version concerns no subscriber', async () => {
  const spec = { basepath: path(0), version: '1.9.0', hash: 'y', specification: 'y' }
  const runs = await planned(() => town.put(ApiSpecification, HYPERION, 'eni-api0-v1', spec))
  assert.equal(runs['ApiSubscription'], undefined)
  assert.equal(runs['ApiExposure'], undefined)
})

test('a zone that is reached otherwise concerns its own routes, and those who call there', async () => {
  const { spec } = town.get(Zone, 'poc', 'z2')
  const runs = await planned(() => town.put(Zone, 'poc', 'z2', { ...spec, redis: { host: 'r.example.com' } }))
  assert.ok((runs['Route'] ?? 0) <= 2 * (APIS + 4), JSON.stringify(runs))
  assert.ok((runs['ApiSubscription'] ?? 0) <= 6 * (SUBSCRIBERS / ZONES), JSON.stringify(runs))
})
