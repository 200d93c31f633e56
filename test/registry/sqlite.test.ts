import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { EventType } from '#domain/kinds/event/event-type.ts'
import { Namespace } from '#domain/kinds/core/namespace.ts'
import { openSqliteStore } from '#store/sqlite.ts'
import { asAlice, body, eventType, fixture, names, watching, type Fixture } from './fixture.ts'

describe('on a SQLite store', () => {
  let directory: string
  let made: Fixture
  const open = async (): Promise<Fixture> => fixture(await openSqliteStore({ path: join(directory, 'store.db') }))
  const close = async ({ registry, store }: Fixture): Promise<void> => {
    await registry.close()
    await store.close()
  }
  before(async () => {
    directory = mkdtempSync(join(tmpdir(), 'stellwerk-registry-'))
    made = await open()
  })
  after(async () => {
    await close(made)
    rmSync(directory, { recursive: true })
  })
  const key = { namespace: 'd', name: 'counter' }
  const patch = (value: unknown): Promise<unknown> =>
    made.registry.patch(EventType, key, { type: 'merge', value, duplicates: [] }, asAlice)

  it('concurrent increments lose nothing', async () => {
    await made.registry.create(EventType, 'd', body(eventType('counter', { spec: { version: '0' } })), asAlice)
    const increment = async (): Promise<void> => {
      for (;;) {
        const { resource } = made.registry.get(EventType, key)
        const spec = resource.spec as { version: string }
        const next = { ...resource, spec: { ...spec, version: String(Number(spec.version) + 1) } }
        const done = await made.registry.update(EventType, key, body(next), asAlice).then(
          () => true,
          () => false,
        )
        if (done) return
      }
    }
    await Promise.all(Array.from({ length: 25 }, increment))
    assert.equal((made.registry.get(EventType, key).resource.spec as { version: string }).version, '25')
  })

  it('a watch resumes after a restart without a list', async () => {
    const from = String(made.store.revision)
    await patch({ metadata: { labels: { a: '1' } } })
    await made.registry.create(EventType, 'other', body(eventType('x')), asAlice)
    await close(made)
    made = await open()
    await patch({ metadata: { labels: { a: '2' } } })
    const watch = await watching(made.registry, EventType, { resourceVersion: from })
    assert.deepEqual(names(watch.events), ['MODIFIED counter', 'ADDED x', 'MODIFIED counter'])
    assert.deepEqual(
      watch.events.map(({ resource }) => resource.metadata.labels?.['a']),
      ['1', undefined, '2'],
    )
    watch.close()
  })

  it('pages show one revision, and a namespace empties', async () => {
    await Promise.all(
      Array.from({ length: 50 }, (_, i) => made.registry.create(EventType, 'many', body(eventType(`o${i}`)), asAlice)),
    )
    const first = await made.registry.list(EventType, { namespace: 'many', limit: 20 })
    await made.registry.delete(Namespace, { namespace: '', name: 'many' }, {}, asAlice)
    await made.registry.settled()
    assert.throws(() => made.registry.get(Namespace, { namespace: '', name: 'many' }), /not found/)
    const rest = await made.registry.list(EventType, { namespace: 'many', continue: first.continue })
    assert.equal(rest.items.length, 30)
    assert.equal((await made.registry.list(EventType, { namespace: 'many' })).items.length, 0)
  })
})
