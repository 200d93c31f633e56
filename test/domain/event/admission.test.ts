import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { apiVersionOf } from '#domain/kind.ts'
import { EventExposure } from '#domain/kinds/event/event-exposure.ts'
import { asAlice, body, fixture, refusal } from '#test/registry/fixture.ts'
import { callbackSubscriber, eventType, exposure, local, proxy, streamSubscriber } from './drafts.ts'
import type { Draft } from './story.ts'

const [, callback] = callbackSubscriber('app', 'b') as readonly [Draft, Draft]
const [, stream] = streamSubscriber('app', 'b') as readonly [Draft, Draft]

/** What is stored of a draft whose spec is laid over with `spec`; undefined there leaves a field out. */
async function stored({ kind, metadata, spec: drafted }: Draft, spec: object): Promise<any> {
  const { registry } = fixture()
  const value = {
    apiVersion: apiVersionOf(kind),
    kind: kind.kind,
    metadata,
    spec: JSON.parse(JSON.stringify({ ...drafted, ...spec })),
  }
  return (await registry.create(kind, metadata.namespace, body(value), asAlice)).resource.spec
}

async function refused(draft: Draft, spec: object): Promise<readonly string[]> {
  const { code, details } = await refusal(stored(draft, spec))
  assert.equal(code, 422)
  return (details?.causes ?? []).map(({ field }) => field ?? '')
}

describe('what is stored of the event kinds', () => {
  it('1: an exposure with an empty approval and no visibility asks one person and is for the enterprise', async () => {
    const { approval, visibility } = await stored(exposure('b'), { approval: {}, visibility: undefined })
    assert.deepEqual([approval, visibility], [{ strategy: 'Simple' }, 'Enterprise'])
  })

  it('2: a subscription with an empty delivery is called back with the data', async () => {
    assert.deepEqual((await stored(stream, { delivery: {} })).delivery, { type: 'Callback', payload: 'Data' })
  })

  const GOOD = ['orders.v1', 'orders-created.v1', 'de.acme.orders-created.v1', 'a-b.c-d.v1']
  const BAD =
    '-orders .orders orders- orders. orders..created orders--created orders.-created orders-.created Orders orders_created'
  for (const [draft, field] of [
    [eventType(), 'type'],
    [exposure('b'), 'eventType'],
    [callback, 'eventType'],
  ] as const)
    it(`3: the ${field} of an ${draft.kind.kind} is words joined by single dots and hyphens`, async () => {
      for (const type of GOOD) assert.equal((await stored(draft, { [field]: type }))[field], type)
      for (const type of BAD.split(' '))
        assert.deepEqual(await refused(draft, { [field]: type }), [`spec.${field}`], type)
    })

  it('4: an EventConfig is local or proxy, not both and not neither; one that targets itself is only told so', async () => {
    const target = proxy('b', 'c').spec
    assert.deepEqual(await refused(local('b'), { local: undefined }), ['spec'])
    assert.deepEqual(await refused(local('b'), { proxy: target.proxy }), ['spec'])
    assert.deepEqual((await stored(proxy('b', 'b'), {})).proxy.targetZone.name, 'b')
  })

  it('5: an exposure trusts up to ten teams', async () => {
    const teams = (n: number) => Array.from({ length: n }, (_, i) => `group--team-${i}`)
    const trusting = (n: number): object => ({ approval: { strategy: 'Simple', trustedTeams: teams(n) } })
    assert.deepEqual(await refused(exposure('b'), trusting(11)), ['spec.approval.trustedTeams'])
    for (const n of [0, 10]) assert.equal((await stored(exposure('b'), trusting(n))).approval.trustedTeams.length, n)
  })

  it('an approval has to be there, though it may be empty', async () => {
    assert.deepEqual(await refused(exposure('b'), { approval: undefined }), ['spec.approval'])
    assert.equal(EventExposure.specRequired, true)
  })
})
