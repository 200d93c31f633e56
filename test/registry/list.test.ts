import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { EventType } from '#domain/kinds/event/event-type.ts'
import { Event } from '#domain/kinds/core/event.ts'
import { ExpiredToken } from '#registry/resource-version.ts'
import { parseFieldSelector, parseLabelSelector } from '#registry/selector.ts'
import type { Listed, ListOptions, Registry } from '#registry/registry.ts'
import { openMemoryStore } from '#store/memory.ts'
import { asAlice, body, eventType, fixture, refusal, type Fixture } from './fixture.ts'

const nameList = ({ items }: Listed): string[] =>
  items.map(({ resource }) => `${resource.metadata.namespace}/${resource.metadata.name}`)

async function start(count = 5): Promise<Fixture> {
  const made = fixture()
  for (const namespace of ['a', 'ab', 'b']) {
    for (let i = 0; i < count; i++) {
      const labels = { parity: i % 2 === 0 ? 'even' : 'odd', n: String(i) }
      await made.registry.create(EventType, namespace, body(eventType(`o${i}`, { metadata: { labels } })), asAlice)
    }
  }
  return made
}

async function pages(
  registry: Registry,
  options: ListOptions,
  between: () => Promise<unknown> = async () => {},
): Promise<Listed[]> {
  const out = [await registry.list(EventType, options)]
  while (out.at(-1)!.continue) {
    await between()
    out.push(await registry.list(EventType, { ...options, continue: out.at(-1)!.continue }))
  }
  return out
}

describe('list', () => {
  it('shows one namespace, or all, in order of their keys', async () => {
    const { registry, store } = await start(2)
    const one = await registry.list(EventType, { namespace: 'a' })
    assert.deepEqual(nameList(one), ['a/o0', 'a/o1'])
    assert.equal(one.revision, store.revision)
    assert.deepEqual(nameList(await registry.list(EventType, {})), ['a/o0', 'a/o1', 'ab/o0', 'ab/o1', 'b/o0', 'b/o1'])
    assert.deepEqual(nameList(await registry.list(EventType, { namespace: 'none' })), [])
  })

  it('selects by label and field', async () => {
    const { registry } = await start()
    const labels = parseLabelSelector('parity=even,n notin (0)')
    assert.deepEqual(nameList(await registry.list(EventType, { namespace: 'a', labels })), ['a/o2', 'a/o4'])
    const fields = parseFieldSelector('metadata.name=o3')
    assert.deepEqual(nameList(await registry.list(EventType, { fields })), ['a/o3', 'ab/o3', 'b/o3'])
    assert.deepEqual(nameList(await registry.list(EventType, { namespace: 'b', fields })), ['b/o3'])
    assert.deepEqual(
      nameList(await registry.list(EventType, { namespace: 'b', fields, labels: parseLabelSelector('n=4') })),
      [],
    )
    const other = parseFieldSelector('metadata.name!=o3,metadata.namespace=b')
    assert.deepEqual(nameList(await registry.list(EventType, { fields: other })), ['b/o0', 'b/o1', 'b/o2', 'b/o4'])
  })

  it('selects core Events by what they are about', async () => {
    const { registry } = fixture()
    const event = (name: string, about: string): object => ({
      apiVersion: 'v1',
      kind: 'Event',
      metadata: { name },
      involvedObject: { kind: 'EventType', name: about },
      reason: 'Ready',
      type: 'Normal',
    })
    await registry.create(Event, 'd', body(event('e1', 'x')), asAlice)
    await registry.create(Event, 'd', body(event('e2', 'y')), asAlice)
    const fields = parseFieldSelector('involvedObject.name=y,involvedObject.kind=EventType')
    assert.deepEqual(nameList(await registry.list(Event, { namespace: 'd', fields })), ['d/e2'])
  })

  for (const labels of [undefined, parseLabelSelector('parity=even')]) {
    it(`pages show one revision while others write${labels ? ' (with a selector)' : ''}`, async () => {
      const { registry, store } = await start()
      const whole = nameList(await registry.list(EventType, { labels }))
      const { revision } = store
      let n = 0
      const write = async (): Promise<void> => {
        await registry.create(
          EventType,
          'a',
          body(eventType(`new${n}`, { metadata: { labels: { parity: 'even' } } })),
          asAlice,
        )
        await registry.delete(EventType, { namespace: 'b', name: `o${n++}` }, {}, asAlice)
      }
      const parts = await pages(registry, { labels, limit: 3 }, write)
      assert.deepEqual(parts.flatMap(nameList), whole)
      assert.deepEqual(new Set(parts.map((part) => part.revision)), new Set([revision]))
      for (const part of parts.slice(0, -1)) assert.equal(part.items.length, 3)
    })
  }

  it('goes on after a page that ends where a chunk of the store ends', async () => {
    const { registry } = fixture()
    const create = (i: number): Promise<unknown> =>
      registry.create(EventType, 'a', body(eventType(`o${10_000 + i}`, { metadata: { labels: { x: '1' } } })), asAlice)
    await Promise.all(Array.from({ length: 2003 }, (_, i) => create(i)))
    const parts = await pages(registry, { labels: parseLabelSelector('x=1'), limit: 2000 })
    assert.deepEqual(
      parts.map(({ items }) => items.length),
      [2000, 3],
    )
  })

  it('says how many remain, but not with a selector', async () => {
    const { registry } = await start()
    const parts = await pages(registry, { limit: 4 })
    assert.deepEqual(
      parts.map(({ remaining }) => remaining),
      [11, 7, 3, undefined],
    )
    const selected = await registry.list(EventType, { limit: 2, labels: parseLabelSelector('parity') })
    assert.equal(selected.remaining, undefined)
    assert.ok(selected.continue)
  })

  it('reads resourceVersion as Kubernetes does', async () => {
    const { registry, store } = await start(1)
    const old = store.revision
    await registry.create(EventType, 'a', body(eventType('late')), asAlice)
    const count = async (options: ListOptions): Promise<number> =>
      (await registry.list(EventType, options)).items.length
    assert.equal(await count({}), 4)
    assert.equal(await count({ resourceVersion: '0' }), 4)
    assert.equal(await count({ resourceVersion: String(old) }), 4)
    assert.equal(await count({ resourceVersion: String(old), resourceVersionMatch: 'NotOlderThan' }), 4)
    assert.equal(await count({ resourceVersion: String(old), resourceVersionMatch: 'Exact' }), 3)
    const one = parseFieldSelector('metadata.name=late')
    assert.equal(
      await count({ namespace: 'a', fields: one, resourceVersion: String(old), resourceVersionMatch: 'Exact' }),
      0,
    )
  })

  const token = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url')
  const cases: readonly (readonly [string, ListOptions, number])[] = [
    ['resourceVersion abc', { resourceVersion: 'abc' }, 400],
    ['resourceVersion -1', { resourceVersion: '-1' }, 400],
    ['resourceVersion 1e3', { resourceVersion: '1e3' }, 400],
    ['a future version', { resourceVersion: '999999' }, 504],
    ['a future version, Exact', { resourceVersion: '999999', resourceVersionMatch: 'Exact' }, 504],
    ['a version of 60 digits', { resourceVersion: '9'.repeat(60) }, 504],
    ['Exact without a version', { resourceVersionMatch: 'Exact' }, 422],
    ['Exact of 0', { resourceVersionMatch: 'Exact', resourceVersion: '0' }, 422],
    ['continue: garbage', { continue: 'ÿ&' }, 400],
    ['continue: not JSON', { continue: 'AAAA' }, 400],
    ['continue: another shape', { continue: token({ rv: 1 }) }, 400],
    ['continue: a negative revision', { continue: token([1, -4, 'a']) }, 400],
    ['continue: a fraction', { continue: token([1, 1.5, 'a']) }, 400],
    ['continue: a key that is no text', { continue: token([1, 1, {}]) }, 400],
    ['continue: too long', { continue: 'A'.repeat(5000) }, 400],
    ['continue from the future', { continue: token([1, 999999, 'a']) }, 504],
    ['continue and a version', { continue: token([1, 1, 'a']), resourceVersion: '1' }, 400],
  ]
  for (const [what, options, code] of cases) {
    it(`refuses ${what}: ${code}`, async () => {
      const { registry } = await start(1)
      assert.equal((await refusal(registry.list(EventType, options))).code, code)
    })
  }

  it('a token never leads out of its list', async () => {
    const { registry } = await start(1)
    const listed = await registry.list(EventType, { namespace: 'a', continue: token([1, registry.revision, '../../']) })
    assert.deepEqual(nameList(listed), ['a/o0'])
  })

  it('answers 410 when the revision of a page is no longer kept', async () => {
    const { registry, store } = await start()
    const first = await registry.list(EventType, { limit: 2 })
    await registry.create(EventType, 'a', body(eventType('late')), asAlice)
    await store.compact(store.revision)
    const error = await refusal(registry.list(EventType, { limit: 2, continue: first.continue }))
    assert.equal(error.reason, 'Expired')
    assert(error instanceof ExpiredToken)
    const rest = await registry.list(EventType, { limit: 99, continue: error.continue })
    assert.deepEqual(nameList(rest).slice(0, 4), ['a/o2', 'a/o3', 'a/o4', 'ab/o0'], 'from there on, as it is now')
    assert.equal(rest.revision, store.revision)
    const exact = { resourceVersion: String(first.revision), resourceVersionMatch: 'Exact' } as const
    assert.equal((await refusal(registry.list(EventType, exact))).reason, 'Expired')
  })

  it('deletes a collection by selector and says what it deleted', async () => {
    const { registry } = await start()
    const deleted = await registry.deleteCollection(
      EventType,
      { namespace: 'a', labels: parseLabelSelector('parity=odd') },
      {},
      asAlice,
    )
    assert.deepEqual(nameList(deleted), ['a/o1', 'a/o3'])
    assert.deepEqual(nameList(await registry.list(EventType, { namespace: 'a' })), ['a/o0', 'a/o2', 'a/o4'])
  })

  it('shows a collection as it was before it was deleted, finalizers or not', async () => {
    const { registry } = fixture()
    const made = eventType('kept', { metadata: { finalizers: ['example.com/a'] } })
    const before = await registry.create(EventType, 'd', body(made), asAlice)
    const { items } = await registry.deleteCollection(EventType, { namespace: 'd' }, {}, asAlice)
    assert.deepEqual(items[0]?.resource, before.resource)
    const { resource } = registry.get(EventType, { namespace: 'd', name: 'kept' })
    assert.notEqual(resource.metadata.deletionTimestamp, undefined)
  })

  it('answers 404 for what is not there, whatever the name', async () => {
    const { registry } = fixture(openMemoryStore())
    for (const name of ['x', '', '../x', 'a/b', '__proto__']) {
      assert.throws(() => registry.get(EventType, { namespace: 'd', name }), /not found/)
    }
  })
})
