import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { EventType } from '#domain/kinds/event/event-type.ts'
import { Namespace } from '#domain/kinds/core/namespace.ts'
import type { PatchBody } from '#registry/registry.ts'
import { asAlice, body, eventType, fixture, refusal, type Fixture } from './fixture.ts'

const key = { namespace: 'd', name: 'a' }
const merge = (value: unknown): PatchBody => ({ type: 'merge', value, duplicates: [] })
const json = (value: unknown): PatchBody => ({ type: 'json', value, duplicates: [] })

async function start(): Promise<Fixture> {
  const made = fixture()
  const metadata = { labels: { a: '1' }, annotations: { note: 'x' } }
  await made.registry.create(EventType, 'd', body(eventType('a', { metadata, spec: { description: 'old' } })), asAlice)
  return made
}

describe('patch', () => {
  it('merge: sets, removes with null and passes admission again', async () => {
    const { registry } = await start()
    const { resource } = await registry.patch(
      EventType,
      key,
      merge({ metadata: { labels: { a: null, b: '2' } }, spec: { version: '2', description: null, category: null } }),
      asAlice,
    )
    assert.deepEqual(resource.metadata.labels, { b: '2' })
    assert.deepEqual(resource.spec, { type: 'de.vendor.demo.v1', version: '2', category: 'other' })
    assert.equal(resource.metadata.generation, 2)
  })

  it('json: all operations or none', async () => {
    const { registry } = await start()
    const { resource } = await registry.patch(
      EventType,
      key,
      json([
        { op: 'test', path: '/spec/version', value: '1.0.0' },
        { op: 'replace', path: '/spec/version', value: '3' },
      ]),
      asAlice,
    )
    assert.equal((resource.spec as { version: string }).version, '3')
    const error = await refusal(
      registry.patch(
        EventType,
        key,
        json([
          { op: 'replace', path: '/spec/version', value: '4' },
          { op: 'test', path: '/spec/version', value: '5' },
        ]),
        asAlice,
      ),
    )
    assert.equal(error.code, 422)
    assert.equal((registry.get(EventType, key).resource.spec as { version: string }).version, '3')
  })

  it('of the status writes the status alone', async () => {
    const { registry } = await start()
    const { resource } = await registry.patch(
      EventType,
      key,
      merge({ spec: { version: '9' }, status: { active: true } }),
      { ...asAlice, subresource: 'status' },
    )
    assert.deepEqual(resource.status, { active: true })
    assert.equal((resource.spec as { version: string }).version, '1.0.0')
  })

  it('of nothing new writes nothing', async () => {
    const { registry, store } = await start()
    const before = store.revision
    await registry.patch(EventType, key, merge({ metadata: { labels: { a: '1' } } }), asAlice)
    assert.equal(store.revision, before)
  })

  it('is tried again when someone else was faster', async () => {
    const { registry } = await start()
    const labels = Array.from({ length: 4 }, (_, i) => `l${i}`)
    await Promise.all(
      labels.map((label) => registry.patch(EventType, key, merge({ metadata: { labels: { [label]: 'x' } } }), asAlice)),
    )
    assert.deepEqual(Object.keys(registry.get(EventType, key).resource.metadata.labels ?? {}).toSorted(), [
      'a',
      ...labels,
    ])
  })

  it('with fieldValidation: warns, or refuses with 422', async () => {
    const { registry } = await start()
    const patch = merge({ spec: { bogus: 1 } })
    const { warnings } = await registry.patch(EventType, key, patch, asAlice)
    assert.deepEqual(
      warnings.filter((text) => text.includes(' field ')),
      ['unknown field "spec.bogus"'],
    )
    const error = await refusal(registry.patch(EventType, key, patch, { ...asAlice, fieldValidation: 'Strict' }))
    assert.equal(error.code, 422)
    assert.equal(error.details?.causes?.[0]?.field, 'patch')
    assert.match(error.message, /strict decoding error: unknown field "spec.bogus"/)
  })

  const cases: readonly (readonly [string, PatchBody, number])[] = [
    ['a merge patch that is no object', merge([1]), 400],
    ['a JSON patch that is no list', json({}), 400],
    ['a stale version in the patch', merge({ metadata: { resourceVersion: '999' } }), 409],
    ['another name', merge({ metadata: { name: 'b' } }), 400],
    ['another namespace', merge({ metadata: { namespace: 'b' } }), 400],
    ['another uid', merge({ metadata: { uid: 'b' } }), 422],
    ['another kind', merge({ kind: 'EventConfig' }), 422],
    ['an invalid result', merge({ spec: { type: null } }), 422],
    ['the whole object gone', json([{ op: 'replace', path: '', value: 3 }]), 400],
    ['a strategic merge patch of our kinds', { type: 'strategic', value: {}, duplicates: [] }, 415],
    ['server-side apply of nothing', { type: 'apply', value: {}, duplicates: [] }, 400],
  ]
  for (const [what, patch, code] of cases) {
    it(`refuses ${what}: ${code}`, async () => {
      const { registry, store } = await start()
      const before = store.revision
      assert.equal((await refusal(registry.patch(EventType, key, patch, asAlice))).code, code)
      assert.equal(store.revision, before)
    })
  }

  it('of a missing object: 404, and nothing is created', async () => {
    const { registry, store } = await start()
    const before = store.revision
    assert.equal(
      (await refusal(registry.patch(EventType, { namespace: 'd', name: 'b' }, merge({}), asAlice))).code,
      404,
    )
    assert.equal(store.revision, before)
  })

  it('strategic: works for namespaces', async () => {
    const { registry } = await start()
    const value = {
      metadata: {
        labels: { team: 'x' },
        finalizers: ['example.com/a'],
        '$setElementOrder/finalizers': ['example.com/a'],
      },
    }
    const { resource, warnings } = await registry.patch(
      Namespace,
      { namespace: '', name: 'd' },
      { type: 'strategic', value, duplicates: [] },
      asAlice,
    )
    assert.deepEqual(resource.metadata.finalizers, ['example.com/a'])
    assert.equal(resource.metadata.labels?.['team'], 'x')
    assert.deepEqual(warnings, [])
  })
})
