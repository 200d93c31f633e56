import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { ApiCategory } from '#domain/kinds/api/api-category.ts'
import { Namespace } from '#domain/kinds/core/namespace.ts'
import { ApiSpecification } from '#domain/kinds/rover/api-specification.ts'
import { body, PLATFORM } from '#test/registry/fixture.ts'
import { f, type How, lab, type Lab, ownersOf } from './lab.ts'
import { registrySource } from '#registry/source.ts'
import { EventType } from '#domain/kinds/event/event-type.ts'

const spec = { type: 'de.vendor.demo.v1', version: '1.0.0' }
const ofSpec = { '.': {}, ...f('category', 'type', 'version') }
const status: How = { subresource: 'status' }
const engine = { user: PLATFORM, fieldManager: undefined } as unknown as How
const ready = { active: true }

describe('a plain write', () => {
  const started = async (metadata: object = {}): Promise<Lab> => {
    const l = lab()
    assert.equal((await l.create('alice', { metadata, spec })).code, 201)
    return l
  }

  it('that creates owns every field, containers and defaults included', async () => {
    const l = await started({
      generateName: 'a-',
      labels: { app: 'web' },
      annotations: { 'example.com/note': 'n' },
      finalizers: ['example.com/a'],
      ownerReferences: [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'o', uid: 'u-o' }],
    })
    assert.deepEqual(l.owners(), {
      'alice Update': {
        'f:metadata': {
          'f:generateName': {},
          'f:labels': { '.': {}, ...f('app') },
          'f:annotations': { '.': {}, ...f('example.com/note') },
          'f:finalizers': { '.': {}, 'v:"example.com/a"': {} },
          'f:ownerReferences': { '.': {}, 'k:{"uid":"u-o"}': {} },
        },
        'f:spec': ofSpec,
      },
    })
  })

  it('owns what it changes, and nobody owns what is gone', async () => {
    const l = await started({ labels: { a: '1', b: '1' } })
    l.clock.advance(5000)
    await l.merge('bob', { metadata: { labels: { a: '2', b: null } } })
    assert.deepEqual(l.owners(), {
      'alice Update': { 'f:metadata': { 'f:labels': {} }, 'f:spec': ofSpec },
      'bob Update': { 'f:metadata': { 'f:labels': f('a') } },
    })
    await l.merge('bob', { metadata: { labels: null } })
    assert.deepEqual(l.owners(), { 'alice Update': { 'f:spec': ofSpec } })
  })

  it('of nothing new leaves version and times as they are, whoever writes', async () => {
    const l = await started()
    const before = l.get()
    l.clock.advance(5000)
    assert.deepEqual((await l.merge('bob', { spec: { version: '1.0.0' } })).resource, before)
  })

  it('stamps its own entry alone', async () => {
    const l = await started()
    l.clock.advance(5000)
    await l.merge('bob', { spec: { version: '2' } })
    const times = (l.get().metadata.managedFields as { time: string; manager: string }[]).map((e) => [
      e.manager,
      e.time,
    ])
    assert.deepEqual(times, [
      ['alice', '2030-01-02T03:04:05Z'],
      ['bob', '2030-01-02T03:04:10Z'],
    ])
  })

  it('of the status has an entry of its own', async () => {
    const l = await started()
    await l.merge('alice', { status: ready }, status)
    assert.deepEqual(l.owners(), {
      'alice Update': { 'f:spec': ofSpec },
      'alice Update status': { 'f:status': { '.': {}, ...f('active') } },
    })
    await l.merge('alice', { status: null }, status)
    assert.deepEqual(l.owners(), { 'alice Update': { 'f:spec': ofSpec } })
  })

  it('divides unknown content that is kept, and no list in it', async () => {
    const l = lab()
    const given = {
      basepath: '/a/v1',
      category: 'other',
      hash: 'h',
      specification: 's',
      version: '1',
      'x-extra': { a: [1] },
    }
    await l.create('alice', { spec: given, extraRoot: true }, { kind: ApiSpecification })
    const { 'f:spec': owned, 'f:extraRoot': root } = l.owners('a', ApiSpecification)['alice Update'] as Record<
      string,
      any
    >
    assert.deepEqual(owned['f:x-extra'], { '.': {}, 'f:a': {} })
    assert.deepEqual(root, {})
  })

  it('of a namespace owns labels, and not what the server decides', async () => {
    const l = lab()
    const context = { user: { name: 'a', groups: [] }, fieldManager: 'alice' }
    const value = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'n' } }
    const { resource } = await l.registry.create(Namespace, '', body(value), context)
    assert.deepEqual(ownersOf(resource), {
      'alice Update': { 'f:metadata': { 'f:labels': { '.': {}, ...f('kubernetes.io/metadata.name') } } },
    })
  })

  it('keeps ten writers apart and makes one of the oldest', async () => {
    const l = await started()
    for (let i = 0; i < 14; i++) {
      l.clock.advance(1000)
      await l.merge(`w-${String(i).padStart(2, '0')}`, { metadata: { labels: { [`l${i}`]: 'x' } } })
    }
    const owners = l.owners()
    assert.deepEqual(Object.keys(owners), [
      'ancient-changes Update',
      ...Array.from({ length: 9 }, (_, i) => `w-${String(i + 5).padStart(2, '0')} Update`),
    ])
    assert.deepEqual(owners['ancient-changes Update'], {
      'f:metadata': { 'f:labels': { '.': {}, ...f('l0', 'l1', 'l2', 'l3', 'l4') } },
      'f:spec': ofSpec,
    })
  })
})

describe('the account itself', () => {
  const started = async (): Promise<Lab> => {
    const l = lab()
    await l.create('alice', { spec })
    return l
  }

  it('stays when a client leaves it out or empties it, is reset by [{}], and begins anew with the next apply', async () => {
    const l = await started()
    const before = l.owners()
    await l.merge('bob', { metadata: { managedFields: null } })
    await l.merge('bob', { metadata: { managedFields: [] } })
    assert.deepEqual(l.owners(), before)
    const { generation } = l.get().metadata
    const reset = await l.merge('bob', { metadata: { managedFields: [{}] } })
    assert.equal(reset.resource.metadata.managedFields, undefined)
    assert.equal(reset.resource.metadata.generation, generation)
    await l.merge('bob', { spec: { version: '2' } })
    assert.deepEqual(l.owners(), {})
    const { error } = await l.apply('one', { spec: { version: '3' } })
    assert.match(error?.message ?? '', /conflict with "before-first-apply" using .*: \.spec\.version$/)
    await l.apply('one', { spec: { version: '2' } })
    assert.deepEqual(l.owners(), {
      'before-first-apply Update': { 'f:spec': ofSpec },
      'one Apply': { 'f:spec': f('version') },
    })
  })

  it('can be edited, as kubectl does to continue a client-side apply', async () => {
    const l = await started()
    const managedFields = (l.get().metadata.managedFields as object[]).map((entry) => ({
      ...entry,
      manager: 'kubectl',
      operation: 'Apply',
    }))
    await l.merge('kubectl', { metadata: { managedFields } })
    assert.deepEqual(Object.keys(l.owners()), ['kubectl Apply'])
    const { resource } = await l.apply('kubectl', { spec: { type: spec.type, version: '2' } })
    assert.deepEqual(resource.spec, { type: spec.type, version: '2', category: 'other' })
  })

  const entry = { manager: 'x', operation: 'Update', apiVersion: 'v1', fieldsType: 'FieldsV1', fieldsV1: {} }
  const nested = (depth: number): object => (depth === 0 ? {} : { 'f:a': nested(depth - 1) })
  const wrong: readonly [string, unknown, number][] = [
    ['text', 'x', 400],
    ['a list of text', ['x'], 422],
    ['an unknown operation', [{ ...entry, operation: 'Steal' }], 422],
    ['an unknown kind of fields', [{ ...entry, fieldsType: 'FieldsV2' }], 422],
    ['fields that are none', [{ ...entry, fieldsV1: 'x' }], 422],
    ['an unknown step', [{ ...entry, fieldsV1: { spec: {} } }], 422],
    ['a prototype', [{ ...entry, fieldsV1: JSON.parse('{"__proto__":{}}') }], 422],
    ['a place that is no object', [{ ...entry, fieldsV1: { 'f:spec': 1 } }], 422],
    ['keys that are none', [{ ...entry, fieldsV1: { 'k:{': {} } }], 422],
    ['an index that is none', [{ ...entry, fieldsV1: { 'i:-1': {} } }], 422],
    ['something below "."', [{ ...entry, fieldsV1: { 'f:a': { '.': { 'f:b': {} } } } }], 422],
    ['a manager that is too long', [{ ...entry, manager: 'x'.repeat(129) }], 422],
    ['a time that is none', [{ ...entry, time: 'yesterday' }], 422],
    ['too many entries', Array.from({ length: 101 }, (_, i) => ({ ...entry, manager: `m${i}` })), 422],
    ['too many fields', [{ ...entry, fieldsV1: f(...Array.from({ length: 20_001 }, (_, i) => String(i))) }], 422],
  ]
  for (const [what, managedFields, code] of wrong) {
    it(`cannot be ${what}: ${code}`, async () => {
      const l = await started()
      const before = l.get()
      const { error } = await l.merge('bob', { metadata: { managedFields } })
      assert.equal(error?.code, code, error?.message)
      assert.deepEqual(l.get(), before)
    })
  }

  it('bears fields that do not exist, deep or twice', async () => {
    const l = await started()
    const managedFields = [
      { ...entry, fieldsV1: nested(100) },
      { ...entry, fieldsV1: { 'f:spec': { 'f:none': { '.': {} } }, 'i:0': {}, 'v:1': {} } },
    ]
    assert.equal((await l.merge('bob', { metadata: { managedFields } })).code, 200)
    assert.equal(Object.keys(l.owners()).length, 1)
    assert.equal((await l.apply('one', { spec: { category: 'x' } })).code, 200)
  })

  it('does not grow without bound: more appliers than it holds are refused', async () => {
    const l = await started()
    let refused: number | undefined
    for (let i = 0; i < 120 && refused === undefined; i++) {
      const { code } = await l.apply(`m-${i}`, { metadata: { labels: { [`l${i}`]: 'x' } } })
      if (code === 422) refused = i
    }
    assert.equal(refused, 99)
  })
})

describe('the engine', () => {
  const make = async (l: Lab): Promise<void> => {
    await l.create('ignored', { spec }, engine)
  }

  it('makes objects without an account, and writes the status of others without one', async () => {
    const l = lab()
    await make(l)
    assert.deepEqual(l.owners(), {})
    const m = lab()
    await m.create('alice', { spec })
    await m.merge('', { status: ready }, { ...status, ...engine })
    assert.deepEqual(m.owners(), { 'alice Update': { 'f:spec': ofSpec } })
  })

  it('owns what it changes of an object that has one', async () => {
    const l = lab()
    await l.create('alice', { spec })
    await l.merge('', { spec: { version: '2' } }, engine)
    assert.deepEqual(l.owners(), {
      'alice Update': { 'f:spec': { '.': {}, ...f('category', 'type') } },
      'stellwerk Update': { 'f:spec': f('version') },
    })
  })

  it('owns the status it wrote from the first apply on, and a conflict says so', async () => {
    for (const first of ['the object', 'the status'] as const) {
      const l = lab()
      await l.create('alice', { spec })
      await l.merge('', { status: ready }, { ...status, ...engine })
      if (first === 'the object') await l.apply('one', { metadata: { labels: { x: '1' } } })
      const { error } = await l.apply('ctl', { status: { active: false } }, status)
      assert.equal(
        error?.message,
        'Apply failed with 1 conflict: conflict with "stellwerk" with subresource "status" using event.cp.ei.vendor.de/v1: .status.active',
      )
    }
  })

  it('takes back a field of the status that someone forced, and the account says so', async () => {
    const l = lab()
    await l.create('alice', { spec })
    await l.merge('', { status: ready }, { ...status, ...engine })
    await l.apply('ctl', { status: { active: false } }, { ...status, force: true })
    assert.deepEqual(l.owners()['ctl Apply status'], { 'f:status': f('active') })
    await l.merge('', { status: ready }, { ...status, ...engine })
    assert.equal(l.owners()['ctl Apply status'], undefined)
    assert.deepEqual(l.owners()['stellwerk Update status'], { 'f:status': { '.': {}, ...f('active') } })
  })

  it('is asked for its part of the status too when someone else writes there first', async () => {
    const l = lab()
    await l.create('alice', { spec })
    await l.merge('', { status: ready }, { ...status, ...engine })
    const conditions = [
      { type: 'X', status: 'True', reason: 'R', message: '', lastTransitionTime: '2026-01-01T00:00:00Z' },
    ]
    await l.merge('bob', { status: { conditions } }, status)
    assert.deepEqual(l.owners()['stellwerk Update status'], { 'f:status': { '.': {}, ...f('active') } })
  })

  it('made an object someone applies to: it had it before', async () => {
    const l = lab()
    await make(l)
    const { error } = await l.apply('one', { spec: { version: '2' } })
    assert.match(error?.message ?? '', /"before-first-apply"/)
    assert.equal((await l.apply('one', { spec: { version: '2' } }, { force: true })).code, 200)
  })

  it('sees resources without the account, and cannot lose it by writing them back', async () => {
    const l = lab()
    await l.create('alice', { spec })
    const source = registrySource(l.registry, PLATFORM)
    const stop = new AbortController()
    const seen = await new Promise<any>((resolve) => {
      void source.follow([EventType], { snapshot: ([first]) => resolve(first), changed: () => {} }, stop.signal)
    })
    stop.abort()
    assert.equal(seen.metadata.managedFields, undefined)
    const written = await source.update(EventType, { ...seen, spec: { ...seen.spec, version: '2' } })
    assert.equal(written.metadata.managedFields, undefined)
    assert.deepEqual(Object.keys(l.owners()), ['alice Update', 'stellwerk Update'])
  })
})

describe('a list that is a set', () => {
  const given = (groups: readonly string[]): object => ({
    spec: { labelValue: 'x', active: true, description: 'd', allowTeams: { categories: groups, names: ['n'] } },
  })
  it('is owned value by value', async () => {
    const l = lab()
    const how = { kind: ApiCategory }
    const first = await l.apply('one', given(['a', 'b']), how)
    if (first.code !== 201) return assert.fail(first.error?.message)
    const { resource } = await l.apply('two', { spec: { allowTeams: { categories: ['c', 'b'] } } }, how)
    assert.deepEqual(resource.spec.allowTeams.categories, ['a', 'b', 'c'])
    const dropped = await l.apply('one', given(['a']), how)
    assert.deepEqual(dropped.resource.spec.allowTeams.categories, ['a', 'b', 'c'])
    const gone = await l.apply('two', { spec: { allowTeams: { categories: ['c'] } } }, how)
    assert.deepEqual(gone.resource.spec.allowTeams.categories, ['a', 'c'])
  })
})
