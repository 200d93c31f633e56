import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { EventType } from '#domain/kinds/event/event-type.ts'
import { EventConfig } from '#domain/kinds/event/event-config.ts'
import { Namespace } from '#domain/kinds/core/namespace.ts'
import { parseFieldSelector, parseLabelSelector } from '#registry/selector.ts'
import type { PatchBody, WatchOptions } from '#registry/registry.ts'
import { always } from '#test/support/property.ts'
import {
  asAlice,
  body,
  eventType,
  fixture,
  names,
  record,
  refusal,
  watching,
  type Fixture,
  type Recording,
} from './fixture.ts'

const merge = (value: unknown): PatchBody => ({ type: 'merge', value, duplicates: [] })
const make = ({ registry }: Fixture, name: string, x?: string, namespace = 'd'): Promise<unknown> =>
  registry.create(
    EventType,
    namespace,
    body(eventType(name, { metadata: x === undefined ? {} : { labels: { x } } })),
    asAlice,
  )
const label = ({ registry }: Fixture, name: string, x: string | null): Promise<unknown> =>
  registry.patch(EventType, { namespace: 'd', name }, merge({ metadata: { labels: { x } } }), asAlice)
const drop = ({ registry }: Fixture, name: string): Promise<unknown> =>
  registry.delete(EventType, { namespace: 'd', name }, {}, asAlice)

describe('watch', () => {
  it('shows the state, says when it is complete, and goes on with changes', async () => {
    const made = fixture()
    await make(made, 'a')
    const watch = await watching(made.registry, EventType, { sendInitialEvents: true })
    assert.deepEqual(watch.caughtUp, [made.store.revision])
    await make(made, 'b')
    await label(made, 'b', '1')
    await drop(made, 'b')
    assert.deepEqual(names(watch.events), ['ADDED a', 'ADDED b', 'MODIFIED b', 'DELETED b'])
    const deleted = watch.events.at(-1)!
    assert.equal(deleted.resource.metadata.resourceVersion, String(made.store.revision))
    assert.equal(deleted.resource.metadata.labels?.['x'], '1')
    assert.deepEqual(JSON.parse(deleted.line), { type: 'DELETED', object: deleted.resource })
    assert.ok(deleted.line.endsWith('\n'))
    watch.close()
    await make(made, 'c')
    assert.equal(watch.events.length, 4)
  })

  it('from a version: everything after it, whatever was not asked for left out', async () => {
    const made = fixture()
    await make(made, 'a')
    const from = String(made.store.revision)
    await make(made, 'b')
    await make(made, 'other', undefined, 'e')
    await drop(made, 'a')
    const inside = await watching(made.registry, EventType, { namespace: 'd', resourceVersion: from })
    assert.deepEqual(names(inside.events), ['ADDED b', 'DELETED a'])
    const across = await watching(made.registry, EventType, { resourceVersion: from })
    assert.deepEqual(names(across.events), ['ADDED b', 'ADDED other', 'DELETED a'])
    const named = await watching(made.registry, EventType, {
      namespace: 'd',
      resourceVersion: from,
      fields: parseFieldSelector('metadata.name=a'),
    })
    assert.deepEqual(names(named.events), ['DELETED a'])
    const another = await watching(made.registry, EventConfig, { resourceVersion: from })
    assert.deepEqual(names(another.events), [])
    const now = await watching(made.registry, EventType, { sendInitialEvents: false })
    assert.deepEqual(names(now.events), [])
  })

  it('an object that starts or stops to match is added or deleted', async () => {
    const made = fixture()
    await make(made, 'unrelated')
    const start = String(made.store.revision)
    const live = await watching(made.registry, EventType, { labels: parseLabelSelector('x=1') })
    await make(made, 'a', '1')
    await label(made, 'a', '2')
    await label(made, 'a', '3')
    await label(made, 'a', '1')
    await drop(made, 'a')
    const expected = ['ADDED a', 'DELETED a', 'ADDED a', 'DELETED a']
    assert.deepEqual(names(live.events), expected)
    assert.deepEqual(
      live.events.map(({ resource }) => resource.metadata.labels?.['x']),
      ['1', '1', '1', '1'],
    )
    const replayed = await watching(made.registry, EventType, {
      labels: parseLabelSelector('x=1'),
      resourceVersion: start,
    })
    assert.deepEqual(
      replayed.events.map(({ line }) => line),
      live.events.map(({ line }) => line),
    )
    const versions = live.events.map(({ resource }) => Number(resource.metadata.resourceVersion))
    assert.deepEqual(
      versions,
      versions.toSorted((a, b) => a - b),
    )
  })

  it('what ceased to match is read as it is now, also by who was told of its last state', async () => {
    const made = fixture()
    const live = await watching(made.registry, EventType, { labels: parseLabelSelector('x=1') })
    await make(made, 'a', '1')
    await label(made, 'a', '2')
    assert.deepEqual(names(live.events), ['ADDED a', 'DELETED a'])
    assert.equal(live.events[1]?.resource.metadata.labels?.['x'], '1')
    const [now] = (await made.registry.list(EventType, {})).items
    assert.equal(now?.resource.metadata.labels?.['x'], '2')
    live.close()
  })

  it('a namespace made on the way is seen by those who watch namespaces', async () => {
    const made = fixture()
    const watch = await watching(made.registry, Namespace, {})
    await make(made, 'a')
    assert.deepEqual(names(watch.events), ['ADDED d'])
  })

  it('changes made while the state is handed over come after it, each once', async () => {
    const made = fixture()
    for (let i = 0; i < 1200; i++) await make(made, `o${i}`)
    const recording = record()
    await made.registry.watch(EventType, {}, recording.sink)
    const late = made.store.revision
    for (let i = 0; i < 20; i++) await make(made, `late${i}`)
    assert.equal(recording.caughtUp.length, 0, 'the state is still being handed over')
    await recording.until((r) => r.events.length >= 1220)
    assert.deepEqual(recording.caughtUp, [late])
    const seen = recording.events.map(({ resource }) => resource.metadata.name)
    assert.deepEqual(
      seen.slice(1200),
      Array.from({ length: 20 }, (_, i) => `late${i}`),
    )
    assert.equal(new Set(seen).size, 1220)
  })

  it('encodes each event once for all watchers', async () => {
    const { registry } = fixture()
    const lines: Uint8Array[] = []
    const sink = { ...record().sink, event: (event: { line: Uint8Array }) => void lines.push(event.line) }
    await registry.watch(EventType, {}, sink)
    await registry.watch(EventType, { namespace: 'd' }, sink)
    await registry.watch(EventType, { labels: parseLabelSelector('!x') }, sink)
    await new Promise((resolve) => setImmediate(resolve))
    await registry.create(EventType, 'd', body(eventType('a')), asAlice)
    assert.equal(lines.length, 3)
    assert.ok(lines.every((line) => line === lines[0]))
  })

  const cases: readonly (readonly [string, WatchOptions, number])[] = [
    ['resourceVersion abc', { resourceVersion: 'abc' }, 400],
    ['a future version', { resourceVersion: '999999' }, 504],
    ['resourceVersionMatch alone', { resourceVersion: '1', resourceVersionMatch: 'NotOlderThan' }, 422],
    ['a field nobody can select by', { fields: parseFieldSelector('spec.type=x') }, 400],
  ]
  for (const [what, options, code] of cases) {
    it(`refuses ${what}: ${code}`, async () => {
      const { registry } = fixture()
      assert.equal((await refusal(registry.watch(EventType, options, record().sink))).code, code)
    })
  }

  it('refuses a version that is no longer kept: 410', async () => {
    const made = fixture()
    for (let i = 0; i < 3000; i++) await make(made, `o${i}`)
    await made.store.compact(1000)
    assert.equal(
      (await refusal(made.registry.watch(EventType, { resourceVersion: '5' }, record().sink))).reason,
      'Expired',
    )
    const watch = await watching(made.registry, EventType, { resourceVersion: '1500' })
    assert.equal(watch.events.length, made.store.revision - 1500)
  })
})

/** The state a client has after these events, and everything wrong with the events themselves. */
function follow(state: Map<string, string>, events: Recording['events'], problems: string[]): void {
  for (const { type, resource } of events) {
    const { name, resourceVersion = '' } = resource.metadata
    if ((type === 'ADDED') === state.has(name)) problems.push(`${type} ${name} at ${resourceVersion}`)
    if (type === 'DELETED') state.delete(name)
    else state.set(name, resourceVersion)
  }
}

type Step = readonly ['make' | 'drop' | 'label' | 'reconnect', number, string]
const step = fc.tuple(
  fc.constantFrom('make', 'drop', 'label', 'label', 'reconnect'),
  fc.nat({ max: 5 }),
  fc.constantFrom('1', '2'),
) as fc.Arbitrary<Step>

describe('watchers under concurrent writers', () => {
  it('miss nothing, repeat nothing and end with the state that is there', async () => {
    await always(
      fc.asyncProperty(
        fc.array(step, { minLength: 5, maxLength: 60 }),
        fc.constantFrom('', 'x=1', 'x!=1'),
        async (steps, selector) => {
          const made = fixture()
          const labels = parseLabelSelector(selector)
          await make(made, 'first')
          const state = new Map<string, string>()
          const problems: string[] = []
          let watch = await watching(made.registry, EventType, { labels })
          const reconnect = async (): Promise<void> => {
            watch.close()
            follow(state, watch.events, problems)
            const seen = watch.events.map(({ resource }) => Number(resource.metadata.resourceVersion))
            const resourceVersion = String(Math.max(watch.caughtUp[0]!, ...seen))
            watch = await watching(made.registry, EventType, { labels, resourceVersion })
          }
          const run = async ([action, n, x]: Step): Promise<unknown> => {
            if (action === 'make') return make(made, `o${n}`, x)
            if (action === 'drop') return drop(made, `o${n}`)
            return action === 'label' ? label(made, `o${n}`, x) : undefined
          }
          for (let i = 0; i < steps.length; i += 4) {
            const group = steps.slice(i, i + 4)
            const writes = Promise.all(group.map((one) => run(one).catch(() => undefined)))
            if (group.some(([action]) => action === 'reconnect')) await reconnect()
            await writes
          }
          watch.close()
          follow(state, watch.events, problems)
          const listed = await made.registry.list(EventType, { labels })
          assert.deepEqual(problems, [])
          assert.deepEqual(
            [...state].map(String).toSorted(),
            listed.items
              .map(({ resource }) => `${resource.metadata.name},${resource.metadata.resourceVersion}`)
              .toSorted(),
          )
          await made.registry.close()
        },
      ),
      { numRuns: 60 },
    )
  })
})
