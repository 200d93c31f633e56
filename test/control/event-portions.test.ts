import assert from 'node:assert/strict'
import { test } from 'node:test'
import { EventRecorder } from '#control/event-recorder.ts'
import { Event } from '#domain/kinds/core/event.ts'
import { EventType } from '#domain/kinds/event/event-type.ts'
import { KINDS } from '#domain/kinds/index.ts'
import type { Condition, Resource } from '#domain/object.ts'
import { ManualClock } from '#lib/clock.ts'
import { createLog } from '#lib/log.ts'
import { createRegistry } from '#registry/create-registry.ts'
import { registrySource } from '#registry/source.ts'
import { openMemoryStore } from '#store/memory.ts'

const PORTION = 20
const PAUSE_MS = 200
const SHORTEST_PAUSE_MS = 20
const condition = (status: 'True' | 'False', reason: string): Condition => ({
  type: 'Ready',
  status,
  reason,
  message: '',
  lastTransitionTime: '2026-01-01T00:00:00Z',
})
const READY = condition('True', 'Provisioned')

const names = (n: number, from = 0): readonly string[] => Array.from({ length: n }, (_, i) => `o${from + i}`)

interface Told extends Resource {
  readonly involvedObject: { readonly name: string }
  readonly reason: string
  readonly lastTimestamp: string
}

function setUp() {
  const clock = new ManualClock(Date.parse('2026-01-01T00:00:00Z'))
  const registry = createRegistry({ store: openMemoryStore(), kinds: KINDS, clock, secretKey: new Uint8Array(32) })
  const source = registrySource(registry, { name: 'system:stellwerk', groups: [], platform: true })
  const recorder = new EventRecorder({ source, clock, log: createLog({ level: 'silent' }), extent: () => 'everything' })
  const objects = new Map<string, Resource<any, any>>()
  const made = async (name: string): Promise<Resource<any, any>> => {
    const spec = { type: `${name}.v1`, version: '1', category: 'other' }
    return objects.get(name) ?? (await source.create(EventType, { metadata: { name, namespace: 'n' }, spec }))
  }
  /** Makes these objects, unless they are there, and lets them become ready or what is said. */
  const happen = async (all: readonly string[], become = READY): Promise<void> => {
    for (const name of all) {
      const object = await made(name)
      const after = { ...object, status: { conditions: [become] } }
      recorder.observe(object, after)
      objects.set(name, after)
    }
  }
  /** Lets time pass, and everything that comes of it. */
  const pass = async (ms: number): Promise<void> => {
    clock.advance(ms)
    for (let i = 0; i < 300; i++) await new Promise(setImmediate)
  }
  /** In the order they were told. */
  const events = async (): Promise<readonly Told[]> => {
    const { items } = await registry.list(Event, {})
    return items
      .map(({ resource }) => resource as unknown as Told)
      .toSorted((a, b) => Number(a.metadata.resourceVersion) - Number(b.metadata.resourceVersion))
  }
  const told = async (): Promise<readonly string[]> => (await events()).map((event) => event.involvedObject.name)
  const reasons = async (): Promise<readonly string[]> =>
    (await events()).map((event) => `${event.involvedObject.name} ${event.reason}`)
  return { recorder, events, told, reasons, happen, pass }
}

test('many events are told in portions, with a pause after each, the newest first', async () => {
  const { told, happen, pass } = setUp()
  await happen(names(50))
  await pass(PAUSE_MS - 1)
  assert.deepEqual(await told(), [])
  await pass(1)
  assert.deepEqual(await told(), names(PORTION, 30).toReversed())
  await pass(PAUSE_MS - 1)
  assert.equal((await told()).length, PORTION, 'others have their turn first')
  await pass(1)
  assert.deepEqual(await told(), names(2 * PORTION, 10).toReversed())
})

test('once the burst is over the pauses are short', async () => {
  const { told, happen, pass } = setUp()
  await happen(names(100))
  await pass(PAUSE_MS)
  await happen(names(1, 100))
  await pass(PAUSE_MS)
  assert.equal((await told()).length, 2 * PORTION)
  for (const portions of [3, 4, 5]) {
    await pass(SHORTEST_PAUSE_MS - 1)
    assert.equal((await told()).length, (portions - 1) * PORTION)
    await pass(1)
    assert.equal((await told()).length, portions * PORTION)
  }
  await pass(SHORTEST_PAUSE_MS)
  assert.equal((await told()).length, 101)
})

test('they stay long as long as more happens than is told', async () => {
  const { told, happen, pass } = setUp()
  for (let portion = 1; portion < 5; portion++) {
    await happen(names(PORTION + 5, 100 * portion))
    await pass(PAUSE_MS - 1)
    assert.equal((await told()).length, (portion - 1) * PORTION)
    await pass(1)
    assert.equal((await told()).length, portion * PORTION)
  }
})

test('what is not ready is told before what is', async () => {
  const { reasons, happen, pass } = setUp()
  await happen(['early'], condition('False', 'AccessDenied'))
  await happen(names(50))
  await happen(['late'], condition('False', 'PreconditionNotMet'))
  await happen(['late'])
  await happen(['later'], condition('False', 'PreconditionNotMet'))
  await pass(PAUSE_MS)
  assert.deepEqual((await reasons()).slice(0, 3), [
    'later PreconditionNotMet',
    'early AccessDenied',
    'late Provisioned',
  ])
})

test('what an object went through is told as long as nothing piles up, then only what it came to', async () => {
  const { reasons, happen, pass } = setUp()
  const goThrough = async (name: string): Promise<void> => {
    await happen([name], condition('False', 'PreconditionNotMet'))
    await happen([name])
  }
  await goThrough('calm')
  await pass(PAUSE_MS)
  assert.deepEqual(await reasons(), ['calm PreconditionNotMet', 'calm Provisioned'])
  await happen(names(50))
  await goThrough('busy')
  await pass(PAUSE_MS)
  assert.deepEqual((await reasons()).slice(2, 4), ['busy Provisioned', 'o49 Provisioned'])
})

test('an event says when something happened, not when it was told', async () => {
  const { events, happen, pass } = setUp()
  await pass(900)
  await happen(names(1))
  await pass(PAUSE_MS)
  const [{ lastTimestamp }] = (await events()) as [Told]
  assert.equal(lastTimestamp, '2026-01-01T00:00:00Z')
})

test('what happens after a portion comes with the next one', async () => {
  const { told, happen, pass } = setUp()
  await happen(names(PORTION))
  await pass(PAUSE_MS)
  await happen(names(5, PORTION))
  assert.equal((await told()).length, PORTION)
  await pass(PAUSE_MS)
  assert.deepEqual((await told()).toSorted(), names(PORTION + 5).toSorted())
})

test('told at once, everything is told', async () => {
  const { recorder, told, happen } = setUp()
  await happen(names(50))
  await recorder.tell()
  assert.deepEqual((await told()).toSorted(), names(50).toSorted())
})

test('after a stop nothing more is told', async () => {
  const { recorder, told, happen, pass } = setUp()
  await happen(names(50))
  await pass(PAUSE_MS)
  await recorder.stop()
  await pass(10 * PAUSE_MS)
  assert.equal((await told()).length, PORTION)
})
