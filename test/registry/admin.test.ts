import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Environment, type EnvironmentSpec } from '#domain/kinds/admin/environment.ts'
import { Zone, type ZoneSpec } from '#domain/kinds/admin/zone.ts'
import type { PatchBody } from '#registry/registry.ts'
import { asAlice, body, fixture, refusal, type Fixture } from './fixture.ts'

const merge = (value: unknown): PatchBody => ({ type: 'merge', value, duplicates: [] })

describe('the realm name of an environment', () => {
  const key = { namespace: 'poc', name: 'poc' }
  const environment = (spec: object): object => ({
    apiVersion: 'admin.cp.ei.vendor.de/v1',
    kind: 'Environment',
    metadata: { name: 'poc' },
    spec,
  })
  const realmIn = ({ registry }: Fixture): string | undefined =>
    (registry.get(Environment, key).resource.spec as EnvironmentSpec).realmName
  const start = async (spec: object): Promise<Fixture> => {
    const made = fixture()
    await made.registry.create(Environment, 'poc', body(environment(spec)), asAlice)
    return made
  }

  it('can be set later, and written again as it is', async () => {
    const made = await start({})
    const { registry } = made
    await registry.patch(Environment, key, merge({ spec: { realmName: 'live' } }), asAlice)
    await registry.patch(Environment, key, merge({ spec: { realmName: 'live' } }), asAlice)
    await registry.patch(Environment, key, merge({ metadata: { labels: { a: 'b' } } }), asAlice)
    assert.equal(realmIn(made), 'live')
  })

  for (const [what, realmName, told] of [
    ['changed', 'other', /Invalid value: "other": cannot be changed once set: keep "live", or delete the Environment/],
    ['removed', null, /Required value: cannot be removed once set: keep "live", or delete the Environment/],
  ] as const)
    it(`cannot be ${what} once set`, async () => {
      const made = await start({ realmName: 'live' })
      const failure = await refusal(made.registry.patch(Environment, key, merge({ spec: { realmName } }), asAlice))
      assert.equal(failure.code, 422)
      assert.equal(failure.details?.causes?.[0]?.field, 'spec.realmName')
      assert.match(failure.message, told)
      assert.equal(realmIn(made), 'live')
    })
})

describe('secrets of a zone', () => {
  const key = { namespace: 'poc', name: 'z' }
  const SECRETS = { gateway: 'gateway-secret', provider: 'provider-secret', redis: 'redis-secret' }
  const secret = (field: string, text: string | undefined): object => (text === undefined ? {} : { [field]: text })
  const zone = (secrets: Partial<typeof SECRETS>): object => ({
    apiVersion: 'admin.cp.ei.vendor.de/v1',
    kind: 'Zone',
    metadata: { name: 'z' },
    spec: {
      visibility: 'Enterprise',
      gateway: {
        presets: [{ name: 'a', default: true, urls: [{ hostname: 'gw.example.com' }] }],
        admin: { url: 'https://admin.example.com', ...secret('clientSecret', secrets.gateway) },
      },
      identityProvider: {
        url: 'https://idp.example.com',
        admin: { clientId: 'c', userName: 'u', ...secret('password', secrets.provider) },
      },
      redis: { host: 'r', ...secret('password', secrets.redis) },
    },
  })
  const start = async (): Promise<Fixture> => {
    const made = fixture()
    await made.registry.create(Zone, 'poc', body(zone(SECRETS)), asAlice)
    return made
  }
  const put = ({ registry }: Fixture, secrets: Partial<typeof SECRETS>) => {
    const { resourceVersion } = registry.get(Zone, key).resource.metadata
    const object = zone(secrets) as { metadata: object }
    return registry.update(Zone, key, body({ ...object, metadata: { name: 'z', resourceVersion } }), asAlice)
  }
  const clear = async ({ registry }: Fixture): Promise<unknown> => {
    const { gateway, identityProvider, redis } = registry.get(Zone, key).resource.spec as ZoneSpec
    return {
      gateway: await registry.resolveSecret(gateway.admin?.clientSecret ?? ''),
      provider: await registry.resolveSecret(identityProvider?.admin?.password ?? ''),
      redis: await registry.resolveSecret(redis?.password ?? ''),
    }
  }

  it('stay when an update leaves them out', async () => {
    const made = await start()
    await put(made, {})
    assert.deepEqual(await clear(made), SECRETS)
  })

  it('stay when an update has them empty', async () => {
    const made = await start()
    await put(made, { gateway: '', provider: '', redis: '' })
    assert.deepEqual(await clear(made), SECRETS)
  })

  it('are replaced one by one', async () => {
    const made = await start()
    await put(made, { redis: 'another' })
    assert.deepEqual(await clear(made), { ...SECRETS, redis: 'another' })
  })

  it('go with what they belong to', async () => {
    const made = await start()
    await made.registry.patch(Zone, key, merge({ spec: { identityProvider: null, redis: null } }), asAlice)
    assert.deepEqual(await clear(made), { gateway: SECRETS.gateway, provider: undefined, redis: undefined })
  })
})
