import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Zone } from '#domain/kinds/admin/zone.ts'
import { ApiSubscription } from '#domain/kinds/api/api-subscription.ts'
import { Application } from '#domain/kinds/application/application.ts'
import { EventType } from '#domain/kinds/event/event-type.ts'
import { ApiSpecification } from '#domain/kinds/rover/api-specification.ts'
import { LAST_APPLIED } from '#registry/last-applied.ts'
import { SECRET_ROOT } from '#registry/keys.ts'
import { asAlice } from '#test/registry/fixture.ts'
import { f, lab } from './lab.ts'

const spec = { type: 'de.vendor.demo.v1', version: '1.0.0' }

describe('applying a secret', () => {
  const kind = Application
  const given = (secret?: string): object => ({
    spec: { team: 'g--t', teamEmail: 't@example.com', zone: { name: 'z', namespace: 'e--z' }, secret },
  })

  it('again in clear text changes nothing and is no conflict; its reference does not either', async () => {
    const l = lab()
    const { resource } = await l.apply('one', given('hunter2-hunter2'), { kind })
    const reference = resource.spec.secret as string
    assert.match(reference, /^\$</)
    const { revision } = l.registry
    assert.equal((await l.apply('one', given('hunter2-hunter2'), { kind })).code, 200)
    assert.equal((await l.apply('one', given(reference), { kind })).code, 200)
    assert.equal(l.registry.revision, revision)
    assert.equal((await l.apply('two', { spec: { secret: 'hunter2-hunter2' } }, { kind })).code, 200)
    assert.deepEqual(l.owners('a', kind)['two Apply'], { 'f:spec': f('secret') })
    assert.equal(l.store.count(SECRET_ROOT), 1)
  })

  it('of another value is a conflict that does not show it, and by force replaces it', async () => {
    const l = lab()
    await l.apply('one', given('hunter2-hunter2'), { kind })
    const { error } = await l.apply('two', { spec: { secret: 'another-secret-x' } }, { kind })
    assert.equal(error?.message, 'Apply failed with 1 conflict: conflict with "one": .spec.secret')
    const { resource } = await l.apply('two', { spec: { secret: 'another-secret-x' } }, { kind, force: true })
    assert.equal(await l.registry.resolveSecret(resource.spec.secret), 'another-secret-x')
    assert.ok(!JSON.stringify(resource).includes('another-secret-x'))
  })

  it('that the server makes keeps it, whoever applies the rest again', async () => {
    const l = lab()
    const { resource } = await l.apply('one', given(), { kind })
    const again = await l.apply('one', given(), { kind })
    assert.deepEqual(again.resource, resource)
  })

  it('never shows it in the annotation of a client-side apply, and applying that again changes nothing', async () => {
    const l = lab()
    await l.apply('one', given('hunter2-hunter2'), { kind })
    const annotations = { [LAST_APPLIED]: JSON.stringify(given('hunter2-hunter2')) }
    const { resource } = await l.apply('kubectl-last-applied', { metadata: { annotations } }, { kind })
    assert.ok(!JSON.stringify(resource).includes('hunter2'))
    l.clock.advance(5000)
    const again = await l.apply('kubectl-last-applied', { metadata: { annotations } }, { kind })
    assert.deepEqual(again.resource, resource)
  })
})

describe('kubectl that applied from the client before', () => {
  const whole = { ...spec, category: 'first' }
  const annotated = { annotations: { [LAST_APPLIED]: JSON.stringify({ spec: whole }) } }

  it('has no conflict with itself, and one about what was changed since', async () => {
    const l = lab()
    await l.create('kubectl-client-side-apply', { metadata: annotated, spec: whole })
    assert.equal((await l.apply('other', { spec: { version: '2' } })).code, 409)
    await l.merge('kubectl-edit', { spec: { category: 'edited' } })
    const { error } = await l.apply('kubectl', { spec: { ...spec, version: '2', category: 'mine' } })
    assert.match(error?.message ?? '', /^Apply failed with 1 conflict: conflict with "kubectl-edit" .*category$/)
    const { code, resource } = await l.apply('kubectl', { spec: { ...spec, version: '2' } })
    assert.equal(code, 200)
    assert.equal(resource.spec.version, '2')
    assert.deepEqual(l.owners()['kubectl Apply'], { 'f:spec': f('type', 'version') })
  })

  it('is not confused by an annotation that is none', async () => {
    for (const text of ['', '{', '[]', 'null', '{"spec":5}', '{"metadata":{"labels":[]}}']) {
      const l = lab()
      await l.create('x', { metadata: { annotations: { [LAST_APPLIED]: text } }, spec })
      assert.equal((await l.apply('kubectl', { spec: { version: '2' } })).code, 409)
    }
  })
})

describe('apply', () => {
  it('to an object that is being deleted may change it, add no finalizer, and let it go', async () => {
    const l = lab()
    const finalizers = ['example.com/a']
    await l.apply('one', { metadata: { finalizers }, spec })
    const key = { namespace: 'tests', name: 'a' }
    await l.registry.delete(EventType, key, {}, asAlice)
    assert.equal((await l.apply('one', { metadata: { finalizers }, spec: { ...spec, version: '2' } })).code, 200)
    const more = await l.apply('two', { metadata: { finalizers: ['example.com/b'] } })
    assert.equal(more.code, 422)
    assert.equal((await l.apply('one', { spec })).code, 200)
    assert.equal((await l.merge('x', {})).code, 404)
  })

  it('by many at once loses nobody', async () => {
    const l = lab()
    const managers = Array.from({ length: 4 }, (_, i) => `m${i}`)
    const codes = await Promise.all(
      managers.map(async (m) => (await l.apply(m, { metadata: { labels: { [m]: 'x' } }, spec })).code),
    )
    assert.deepEqual(
      codes.toSorted((a, b) => a - b),
      [200, 200, 200, 201],
    )
    assert.deepEqual(
      Object.keys(l.owners()).toSorted(),
      managers.map((m) => `${m} Apply`),
    )
    assert.deepEqual(Object.keys(l.get().metadata.labels ?? {}).toSorted(), managers)
  })

  it('treats names every object inherits as ordinary ones', async () => {
    const l = lab()
    await l.apply('one', { metadata: { labels: { constructor: 'a', toString: 'b' } }, spec })
    assert.deepEqual(l.owners()['one Apply'], {
      'f:metadata': { 'f:labels': f('constructor', 'toString') },
      'f:spec': f('type', 'version'),
    })
    const { resource } = await l.apply('one', { metadata: { labels: { valueOf: 'c' } }, spec })
    assert.deepEqual(resource.metadata.labels, { valueOf: 'c' })
    const hostile = JSON.parse('{"__proto__":{"x":1},"type":"a.b","version":"1"}') as object
    assert.equal((await l.apply('one', { spec: hostile })).code, 400)
    const labels = JSON.parse('{"__proto__":"x"}') as object
    assert.equal((await l.apply('one', { metadata: { labels }, spec })).code, 422)
  })

  it('answers with a thousand conflicts when there are more', async () => {
    const l = lab()
    const given = (value: string): object => ({
      spec: {
        basepath: '/a/v1',
        category: 'other',
        hash: 'h',
        specification: 's',
        version: '1',
        extra: Object.fromEntries(Array.from({ length: 5000 }, (_, i) => [`k${i}`, value])),
      },
    })
    await l.apply('one', given('x'), { kind: ApiSpecification })
    const { error } = await l.apply('two', given('y'), { kind: ApiSpecification })
    assert.match(
      error?.message ?? '',
      /^Apply failed with 5000 conflicts: conflicts with "one":\n- \.spec\.extra\.k0\n/,
    )
    assert.equal(error?.details?.causes?.length, 1000)
    assert.ok((error?.message.length ?? 0) < 50_000)
  })

  it('takes null for a field that is left out', async () => {
    const l = lab()
    await l.apply('one', { spec: { ...spec, description: 'd' } })
    const { resource } = await l.apply('one', { metadata: { labels: null }, spec: { ...spec, description: null } })
    assert.equal(resource.spec.description, undefined)
    assert.deepEqual(l.owners()['one Apply'], { 'f:spec': f('type', 'version') })
  })

  it('removes a container with what nobody owns in it, and keeps one in which someone owns something', async () => {
    const l = lab()
    await l.apply('one', { metadata: { annotations: { a: '1' }, labels: { a: '1' } }, spec })
    await l.apply('two', { metadata: { labels: { b: '1' } } })
    const { resource } = await l.apply('one', { spec })
    assert.equal(resource.metadata.annotations, undefined)
    assert.deepEqual(resource.metadata.labels, { b: '1' })
  })
})

describe('what the server adds by itself', () => {
  it('as labels of an ApiSubscription, another apply neither changes nor conflicts with', async () => {
    const l = lab()
    const kind = ApiSubscription
    const given = (zone: string): object => ({
      spec: {
        apiBasePath: '/x/v1',
        requestor: { application: { name: 'a', namespace: 'd' } },
        traffic: {},
        zone: { name: zone, namespace: 'e' },
      },
    })
    await l.apply('one', given('z1'), { kind })
    const { revision } = l.registry
    assert.equal((await l.apply('one', given('z1'), { kind })).code, 200)
    assert.equal(l.registry.revision, revision)
    const { resource } = await l.apply('one', given('z2'), { kind })
    assert.equal(resource.metadata.labels?.['cp.ei.vendor.de/zone'], 'z2')
  })

  it('as the secret of a zone, another apply without it keeps', async () => {
    const l = lab()
    const kind = Zone
    const given = (password?: string): object => ({
      spec: {
        visibility: 'World',
        gateway: { presets: [{ name: 'p', default: true, urls: [{ hostname: 'gw.example.com' }] }] },
        redis: { host: 'r', password },
      },
    })
    const first = await l.apply('one', given('redis-secret'), { kind })
    const next = await l.apply('one', given(), { kind })
    assert.equal(next.resource.spec.redis.password, first.resource.spec.redis.password)
    const { revision } = l.registry
    assert.equal((await l.apply('one', given(), { kind })).code, 200)
    assert.equal(l.registry.revision, revision)
    assert.equal(await l.registry.resolveSecret(next.resource.spec.redis.password), 'redis-secret')
  })
})
