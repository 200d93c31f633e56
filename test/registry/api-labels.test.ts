import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { ApiSubscription } from '#domain/kinds/api/api-subscription.ts'
import type { PatchBody } from '#registry/registry.ts'
import { asAlice, body, fixture, type Fixture } from './fixture.ts'

const key = { namespace: 'poc--eni--pandora', name: 's' }
const merge = (value: unknown): PatchBody => ({ type: 'merge', value, duplicates: [] })
const prefixed = (labels: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(labels).map(([name, value]) => [`cp.ei.vendor.de/${name}`, value]))

async function start(labels: Readonly<Record<string, string>>, spec?: object): Promise<Fixture> {
  const made = fixture()
  const subscription = {
    apiVersion: 'api.cp.ei.vendor.de/v1',
    kind: 'ApiSubscription',
    metadata: { name: 's', labels: prefixed(labels) },
    spec: {
      apiBasePath: '/Eni/my_api/v1',
      requestor: { application: { name: 'pan', namespace: key.namespace } },
      traffic: {},
      zone: { name: 'z2', namespace: 'poc' },
      ...spec,
    },
  }
  await made.registry.create(ApiSubscription, key.namespace, body(subscription), asAlice)
  return made
}

const labelsIn = ({ registry }: Fixture): unknown => registry.get(ApiSubscription, key).resource.metadata.labels

const derived = { environment: 'poc', basepath: 'eni-my-api-v1', zone: 'z2', application: 'pan' }

describe('labels of an ApiSubscription (platform D-13)', () => {
  it('are filled from the spec', async () => {
    assert.deepEqual(labelsIn(await start({})), prefixed(derived))
  })

  it('stay as given, except that the base path follows the spec', async () => {
    const given = { basepath: 'bogus', zone: 'own', application: 'own', other: 'x' }
    const made = await start(given)
    assert.deepEqual(labelsIn(made), prefixed({ ...derived, ...given, basepath: derived.basepath }))
  })

  it('that repeat the spec follow it when it changes, and come back when removed', async () => {
    const made = await start({ application: 'own' })
    const spec = { apiBasePath: '/eni/b/v2', zone: { name: 'z3' }, requestor: { application: { name: 'hyp' } } }
    const { resource } = await made.registry.patch(ApiSubscription, key, merge({ spec }), asAlice)
    const next = { environment: 'poc', basepath: 'eni-b-v2', zone: 'z3' }
    assert.deepEqual(resource.metadata.labels, prefixed({ ...next, application: 'own' }))
    await made.registry.patch(ApiSubscription, key, merge({ metadata: { labels: null } }), asAlice)
    assert.deepEqual(labelsIn(made), prefixed({ ...next, application: 'hyp' }))
  })

  it('are labels whatever the spec says', async () => {
    const spec = { apiBasePath: `/${'ä'.repeat(200)}/__proto__`, zone: { name: 'Z 2!', namespace: 'poc' } }
    for (const value of Object.values(labelsIn(await start({}, spec)) as Record<string, string>))
      assert.match(value, /^[a-z0-9]([-a-z0-9.]{0,61}[a-z0-9])?$/)
  })

  it('are not made without a spec', async () => {
    const { registry } = fixture()
    const bare = { apiVersion: 'api.cp.ei.vendor.de/v1', kind: 'ApiSubscription', metadata: { name: 's' } }
    const { resource } = await registry.create(ApiSubscription, key.namespace, body(bare), asAlice)
    assert.deepEqual(resource.metadata.labels, prefixed({ environment: 'poc' }))
  })
})
