import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ApiExposure } from '#domain/kinds/api/api-exposure.ts'
import { ConsumeRoute } from '#domain/kinds/gateway/consume-route.ts'
import { Route } from '#domain/kinds/gateway/route.ts'
import { ApiSpecification } from '#domain/kinds/rover/api-specification.ts'
import { Rover } from '#domain/kinds/rover/rover.ts'
import { PANDORA, Town } from './town.ts'

const exposureOf = (basePath: string) => ({
  api: {
    basePath,
    upstreams: [{ url: 'https://up.example.com/x' }],
    visibility: 'World',
    approval: { strategy: 'Auto' },
  },
})
const subscriptionOf = (basePath: string) => ({ api: { basePath } })

test('150 exposures and 150 subscriptions apply, converge and shrink', { timeout: 60_000 }, async (t) => {
  const town = await Town.open()
  t.after(() => town.close())
  const rover = (exposures: readonly object[], subscriptions: readonly object[]): Promise<void> =>
    town.put(Rover, PANDORA, 'web', { zone: 'z1', exposures, subscriptions })
  const paths = Array.from({ length: 150 }, (_, i) => `/eni/own${i}/v1`)
  for (const path of paths) {
    const name = path.slice(1).replaceAll('/', '-')
    const spec = { basepath: path, version: '1.0.0', hash: 'x', specification: `${PANDORA}--${name}` }
    await town.garden.put(ApiSpecification, name, spec, { namespace: PANDORA })
  }
  await rover(paths.map(exposureOf), paths.map(subscriptionOf))
  assert.equal(town.condition(Rover, PANDORA, 'web'), 'True/Provisioned')
  assert.equal((await town.all(ConsumeRoute)).length, 150)
  assert.equal(town.get(Rover, PANDORA, 'web').status?.parts?.length, 301)
  await rover([exposureOf('/eni/own0/v1')], [])
  assert.equal(town.condition(Rover, PANDORA, 'web'), 'True/Provisioned')
  assert.deepEqual(await town.all(ConsumeRoute), [])
  assert.equal((await town.all(ApiExposure)).length, 1)
  const left = (await town.all(Route)).filter((r) => r.metadata.labels?.['cp.ei.vendor.de/domain'] === 'api')
  assert.deepEqual(
    left.map((r) => r.metadata.name),
    ['eni-own0-v1'],
  )
})
