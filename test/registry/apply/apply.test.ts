import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { f, lab, type Lab } from './lab.ts'

/** The answers kube-apiserver gave to the same requests, in the same order. */
describe('apply, as kube-apiserver answered', () => {
  const spec = { type: 'de.vendor.demo.v1', version: '1.0.0', category: 'demo', description: 'd' }
  const first = { metadata: { labels: { one: '1' } }, spec }
  const started = async (): Promise<Lab> => {
    const l = lab()
    assert.equal((await l.apply('one', first)).code, 201)
    return l
  }
  const ofOne = {
    'f:metadata': { 'f:labels': f('one') },
    'f:spec': f('category', 'description', 'type', 'version'),
  }

  it('creates what is missing, and its author owns what it said', async () => {
    const l = await started()
    assert.deepEqual(l.owners(), { 'one Apply': ofOne })
    const [entry] = l.get().metadata.managedFields as [object]
    assert.deepEqual(Object.keys(entry), ['manager', 'operation', 'apiVersion', 'time', 'fieldsType', 'fieldsV1'])
    assert.equal(l.get().metadata.generation, 1)
  })

  it('changes nothing the second time, whatever the time', async () => {
    const l = await started()
    const before = l.get()
    l.clock.advance(5000)
    const again = await l.apply('one', first)
    assert.equal(again.code, 200)
    assert.deepEqual(again.resource, before)
    assert.equal(l.registry.revision, Number(before.metadata.resourceVersion))
  })

  it('changes its own field, and the time of the entry with it', async () => {
    const l = await started()
    l.clock.advance(5000)
    const { resource } = await l.apply('one', { ...first, spec: { ...spec, description: 'e' } })
    assert.equal(resource.spec.description, 'e')
    assert.equal(resource.metadata.generation, 2)
    assert.deepEqual(l.owners(), { 'one Apply': ofOne })
    assert.equal((resource.metadata.managedFields as { time: string }[])[0]?.time, '2030-01-02T03:04:10Z')
  })

  it('adds the fields of a second manager beside those of the first', async () => {
    const l = await started()
    const { resource } = await l.apply('two', { metadata: { labels: { two: '2' } } })
    assert.deepEqual(resource.metadata.labels, { one: '1', two: '2' })
    assert.equal(resource.metadata.generation, 1)
    assert.deepEqual(l.owners(), { 'one Apply': ofOne, 'two Apply': { 'f:metadata': { 'f:labels': f('two') } } })
  })

  it('refuses to take what another one applied, and says what and whose it is', async () => {
    const l = await started()
    const { error } = await l.apply('two', { spec: { description: 'theirs', category: 'other' } })
    assert.equal(error?.code, 409)
    assert.equal(error?.reason, 'Conflict')
    assert.equal(
      error?.message,
      'Apply failed with 2 conflicts: conflicts with "one":\n- .spec.category\n- .spec.description',
    )
    assert.deepEqual(error?.details, {
      causes: [
        { reason: 'FieldManagerConflict', field: '.spec.category', message: 'conflict with "one"' },
        { reason: 'FieldManagerConflict', field: '.spec.description', message: 'conflict with "one"' },
      ],
    })
    assert.deepEqual(l.owners(), { 'one Apply': ofOne })
  })

  it('shares what has the same value: a new version, the same object', async () => {
    const l = await started()
    const before = l.get()
    const { resource } = await l.apply('two', { spec: { version: '1.0.0' } })
    assert.notEqual(resource.metadata.resourceVersion, before.metadata.resourceVersion)
    assert.equal(resource.metadata.generation, 1)
    assert.deepEqual(l.owners(), { 'one Apply': ofOne, 'two Apply': { 'f:spec': f('version') } })
  })

  it('takes it by force, and the loser does not own it any more', async () => {
    const l = await started()
    const { resource } = await l.apply('two', { spec: { description: 'theirs', version: '1.0.0' } }, { force: true })
    assert.equal(resource.spec.description, 'theirs')
    assert.deepEqual(l.owners(), {
      'one Apply': { ...ofOne, 'f:spec': f('category', 'type', 'version') },
      'two Apply': { 'f:spec': f('description', 'version') },
    })
  })

  it('removes what its author no longer says: labels go, defaults come back, what is shared stays', async () => {
    const l = await started()
    await l.apply('two', { metadata: { labels: { two: '2' } }, spec: { version: '1.0.0' } })
    const { resource } = await l.apply('one', { spec: { type: spec.type } })
    assert.deepEqual(resource.metadata.labels, { two: '2' })
    assert.deepEqual(resource.spec, { type: spec.type, version: '1.0.0', category: 'other' })
    assert.equal(resource.metadata.generation, 2)
    assert.deepEqual(l.owners()['one Apply'], { 'f:spec': f('type') })
    const { error } = await l.apply('two', { metadata: { labels: { two: '2' } } })
    assert.equal(error?.code, 422)
    assert.deepEqual(error?.details?.causes, [
      { reason: 'FieldValueRequired', field: 'spec.version', message: 'Required value' },
    ])
  })

  it('loses what a plain write changes, and a conflict names the one who did', async () => {
    const l = await started()
    await l.merge('three', { spec: { description: 'plain' } })
    assert.deepEqual(l.owners(), {
      'one Apply': { ...ofOne, 'f:spec': f('category', 'type', 'version') },
      'three Update': { 'f:spec': f('description') },
    })
    const { error } = await l.apply('one', first)
    assert.equal(
      error?.message,
      'Apply failed with 1 conflict: conflict with "three" using event.cp.ei.vendor.de/v1: .spec.description',
    )
    assert.deepEqual(error?.details?.causes, [
      {
        reason: 'FieldManagerConflict',
        field: '.spec.description',
        message: 'conflict with "three" using event.cp.ei.vendor.de/v1',
      },
    ])
  })

  it('does not own the defaults the server filled in', async () => {
    const l = lab()
    await l.apply('one', { spec: { type: spec.type, version: '1' } })
    assert.equal(l.get().spec.category, 'other')
    assert.deepEqual(l.owners(), { 'one Apply': { 'f:spec': f('type', 'version') } })
    assert.equal((await l.apply('two', { spec: { category: 'mine' } })).code, 200)
  })

  const refused: readonly [string, object, number, RegExp][] = [
    ['managedFields', { metadata: { managedFields: [] } }, 400, /^metadata\.managedFields must be nil$/],
    ['another name', { metadata: { name: 'b' } }, 400, /name of the object \(b\) does not match.*\(a\)/],
    ['no name', { metadata: { name: null } }, 400, /\(a based on URL\) was undeterminable/],
    ['another namespace', { metadata: { namespace: 'x' } }, 400, /namespace of the provided object does not match/],
    ['no version', { apiVersion: undefined }, 400, /^Incorrect version .* Specified patch version: , expected: event/],
    ['another kind', { kind: 'EventConfig' }, 400, /kind: EventConfig, expected: EventType/],
    ['an unknown field', { spec: { ...spec, bogus: 1 } }, 400, /\.spec\.bogus: field not declared in schema/],
    ['an unknown field of metadata', { metadata: { bogus: 1 } }, 400, /\.metadata\.bogus: field not declared/],
    ['a value of the wrong type', { spec: { ...spec, description: 5 } }, 422, /spec\.description/],
    ['a spec that is none', { spec: 'x' }, 422, /spec/],
    ['labels that are none', { metadata: { labels: 'x' } }, 400, /metadata\.labels must be an object/],
    ['a stale version', { metadata: { resourceVersion: '1' } }, 409, /the object has been modified/],
    ['no version number', { metadata: { resourceVersion: 'x' } }, 400, /resourceVersion/],
    ['another uid', { metadata: { uid: 'x' } }, 422, /uid/],
    ['an invalid result', { spec: { ...spec, type: 'A' } }, 422, /spec\.type/],
  ]
  for (const [what, change, code, message] of refused) {
    it(`refuses ${what}: ${code}, and changes nothing`, async () => {
      const l = await started()
      await l.merge('other', { spec: { specification: 'f' } })
      const { revision } = l.registry
      const { error } = await l.apply('one', { ...first, ...change }, { force: true })
      assert.equal(error?.code, code, error?.message)
      assert.match(error?.message ?? '', message)
      assert.equal(l.registry.revision, revision)
    })
  }

  it('ignores a version of something that is not there, and refuses a uid of it', async () => {
    const l = lab()
    const { error } = await l.apply('one', { ...first, metadata: { uid: 'x' } })
    assert.equal(
      error?.message,
      'Operation cannot be fulfilled on eventtypes.event.cp.ei.vendor.de "a": uid mismatch: the provided object specified uid x, and no existing object was found',
    )
    assert.equal((await l.apply('one', { ...first, metadata: { resourceVersion: '1' } })).code, 201)
  })

  it('only looks in a dry run', async () => {
    const l = lab()
    assert.equal((await l.apply('one', first, { dryRun: true })).code, 201)
    assert.equal((await l.merge('x', {})).code, 404)
    await l.apply('one', first)
    const before = l.get()
    const dry = await l.apply('two', { metadata: { labels: { two: '2' } } }, { dryRun: true })
    assert.deepEqual(Object.keys(dry.resource.metadata.labels ?? {}), ['one', 'two'])
    assert.equal((dry.resource.metadata.managedFields ?? []).length, 2)
    assert.deepEqual(l.get(), before)
  })

  it('ignores the status in a write of the object', async () => {
    const l = lab()
    const { resource } = await l.apply('one', { ...first, status: { active: true } })
    assert.equal(resource.status, undefined)
    assert.deepEqual(l.owners(), { 'one Apply': ofOne })
  })

  it('says which keys came twice, or refuses them', async () => {
    const l = await started()
    const duplicates = ['spec.type']
    assert.deepEqual((await l.apply('one', first, { duplicates })).warnings, ['duplicate field "spec.type"'])
    assert.equal((await l.apply('one', first, { duplicates, fieldValidation: 'Strict' })).code, 422)
    assert.deepEqual((await l.apply('one', first, { duplicates, fieldValidation: 'Ignore' })).warnings, [])
  })
})

const condition = (type: string, status = 'True'): object => ({
  type,
  status,
  reason: 'Provisioned',
  message: '',
  lastTransitionTime: '2026-01-01T00:00:00Z',
  observedGeneration: 1,
})
const ofCondition = (type: string): object => ({
  [`k:{"type":"${type}"}`]: {
    '.': {},
    ...f('lastTransitionTime', 'message', 'observedGeneration', 'reason', 'status', 'type'),
  },
})

describe('apply of the status', () => {
  const status = { subresource: 'status' } as const
  const started = async (): Promise<Lab> => {
    const l = lab()
    await l.apply('one', { spec: { type: 'a.b', version: '1' } })
    const { code } = await l.apply('ctl-1', { status: { active: true, conditions: [condition('Ready')] } }, status)
    assert.equal(code, 200)
    return l
  }
  const ofFirst = { 'f:status': { ...f('active'), 'f:conditions': ofCondition('Ready') } }

  it('owns conditions one by one', async () => {
    const l = await started()
    assert.deepEqual(l.owners()['ctl-1 Apply status'], ofFirst)
    const { resource } = await l.apply('ctl-2', { status: { conditions: [condition('Synced')] } }, status)
    assert.deepEqual(resource.status.conditions, [condition('Ready'), condition('Synced')])
    assert.deepEqual(l.owners()['ctl-2 Apply status'], { 'f:status': { 'f:conditions': ofCondition('Synced') } })
    assert.equal(resource.metadata.generation, 1)
  })

  it('refuses another word on a condition somebody owns', async () => {
    const l = await started()
    const { error } = await l.apply('ctl-2', { status: { conditions: [condition('Ready', 'False')] } }, status)
    assert.equal(
      error?.message,
      'Apply failed with 1 conflict: conflict with "ctl-1" with subresource "status": .status.conditions[type="Ready"].status',
    )
  })

  it('withdraws a condition with all its fields', async () => {
    const l = await started()
    await l.apply('ctl-2', { status: { conditions: [condition('Synced')] } }, status)
    const { resource } = await l.apply('ctl-2', { status: {} }, status)
    assert.deepEqual(resource.status, { active: true, conditions: [condition('Ready')] })
    assert.deepEqual(l.owners()['ctl-2 Apply status'], { 'f:status': {} })
  })

  it('refuses a condition twice, one without a type, and an object that is not there', async () => {
    const l = await started()
    const twice = await l.apply('ctl-1', { status: { conditions: [condition('Ready'), condition('Ready')] } }, status)
    assert.deepEqual(twice.error?.details?.causes, [
      { reason: 'FieldValueDuplicate', field: 'status.conditions[1]', message: 'Duplicate value: {"type":"Ready"}' },
    ])
    const untyped = await l.apply('ctl-1', { status: { conditions: [{ status: 'True' }] } }, status)
    assert.equal(untyped.error?.details?.causes?.[0]?.field, 'status.conditions[0].type')
    assert.equal((await l.apply('ctl-1', { status: {} }, { ...status, name: 'none' })).code, 404)
  })

  it('leaves the object alone', async () => {
    const l = await started()
    const change = { metadata: { labels: { x: '1' } }, spec: { version: '2' }, status: { active: false } }
    const { resource } = await l.apply('ctl-1', change, status)
    assert.equal(resource.spec.version, '1')
    assert.equal(resource.metadata.labels, undefined)
    assert.deepEqual(l.owners()['ctl-1 Apply status'], { 'f:status': f('active') })
  })
})
