import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ValueSlabs, viewOf } from '#store/value-slabs.ts'
import type { Version } from '#store/value-slabs.ts'

test('values survive any amount of replacing, in not much more memory than they need', () => {
  const slabs = new ValueSlabs()
  const current = new Map<number, Version>()
  const views: { view: Uint8Array; first: number }[] = []
  let seed = 3
  const random = (below: number) => (seed = (seed * 1103515245 + 12345) % 2147483648) % below
  for (let i = 0; i < 60_000; i++) {
    const id = random(2000)
    const length = id % 500 === 0 ? 200_000 : (id * 7) % 1500
    const version = slabs.add({ key: `${id}`, revision: i, index: 0 }, new Uint8Array(length).fill(i % 251))
    const old = current.get(id)
    if (old) slabs.release(old)
    current.set(id, version)
    if (i % 1000 === 0) views.push({ view: viewOf(version), first: i % 251 })
  }
  for (const [id, version] of current) {
    const view = viewOf(version)
    assert.equal(view.length, id % 500 === 0 ? 200_000 : (id * 7) % 1500)
    assert.ok(view.every((byte) => byte === version.revision % 251))
  }
  for (const { view, first } of views)
    assert.ok(
      view.every((byte) => byte === first),
      'a view never changes',
    )
  const held = new Set([...current.values()].map(({ slab }) => slab).filter((slab) => slab !== undefined))
  const live = [...current.values()].reduce((sum, { length }) => sum + length, 0)
  const used = [...held].reduce((sum, slab) => sum + slab.bytes.length, 0)
  assert.ok(used < live * 2 + (1 << 20), `${used} bytes hold ${live}`)
})

test('tiny and empty values do not pile up', () => {
  const slabs = new ValueSlabs()
  const one = Uint8Array.of(1)
  let last: Version | undefined
  for (let i = 0; i < 100_000; i++) {
    const next = slabs.add({ key: 'k', revision: i, index: 0 }, i % 2 ? one : new Uint8Array(0))
    if (last) slabs.release(last)
    last = next
  }
  assert.ok(last!.slab!.versions.length <= 16_384)
  assert.equal(last!.slab!.live, 1)
})
