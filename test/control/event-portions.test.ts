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
const READY: Condition = {
  type: 'Ready',
  status: 'True',
  reason: 'Provisioned',
  message: '',
  lastTransitionTime: '2026-01-01T00:00:00Z',
}

const names = (n: number, from = 0): readonly string[] => Array.from({ length: n }, (_, i) => `o${from + i}`)

function setUp() {
  const clock = new ManualClock(Date.parse('2026-01-01T00:00:00Z'))
  const registry = createRegistry({ store: openMemoryStore(), kinds: KINDS, clock, secretKey: new Uint8Array(32) })
  const source = registrySource(registry, { name: 'system:stellwerk', groups: [], platform: true })
  const recorder = new EventRecorder({ source, clock, log: createLog({ level: 'silent' }), tells: () => true })
  /** Makes these objects and lets them become ready. */
  const happen = async (all: readonly string[]): Promise<void> => {
    for (const name of all) {
      const spec = { type: `${name}.v1`, version: '1', category: 'other' }
      const object: Resource<any, any> = await source.create(EventType, { metadata: { name, namespace: 'n' }, spec })
      recorder.observe(object, { ...object, status: { conditions: [READY] } })
    }
  }
  /** Lets time pass, and everything that comes of it. */
  const pass = async (ms: number): Promise<void> => {
    clock.advance(ms)
    for (let i = 0; i < 300; i++) await new Promise(setImmediate)
  }
  /** Of whom was told, in the order it was. */
  const told = async (): Promise<readonly string[]> => {
    const { items } = await registry.list(Event, {})
    const events = items.map(({ resource }) => resource as Resource & { involvedObject: { name: string } })
    return events
      .toSorted((a, b) => Number(a.metadata.resourceVersion) - Number(b.metadata.resourceVersion))
      .map((event) => event.involvedObject.name)
  }
  return { recorder, told, happen, pass }
}

test('many events are told in portions, with a pause after each, in the order they happened', async () => {
  const { told, happen, pass } = setUp()
  await happen(names(50))
  await pass(PAUSE_MS - 1)
  assert.deepEqual(await told(), [])
  await pass(1)
  assert.deepEqual(await told(), names(PORTION))
  await pass(PAUSE_MS - 1)
  assert.equal((await told()).length, PORTION, 'others have their turn first')
  await pass(1)
  assert.equal((await told()).length, 2 * PORTION)
  await pass(PAUSE_MS)
  assert.deepEqual(await told(), names(50))
})

test('what happens after a portion comes with the next one', async () => {
  const { told, happen, pass } = setUp()
  await happen(names(PORTION))
  await pass(PAUSE_MS)
  await happen(names(5, PORTION))
  assert.equal((await told()).length, PORTION)
  await pass(PAUSE_MS)
  assert.deepEqual(await told(), names(PORTION + 5))
})

test('told at once, everything is told', async () => {
  const { recorder, told, happen } = setUp()
  await happen(names(50))
  await recorder.tell()
  assert.deepEqual(await told(), names(50))
})

test('after a stop nothing more is told', async () => {
  const { recorder, told, happen, pass } = setUp()
  await happen(names(50))
  await pass(PAUSE_MS)
  await recorder.stop()
  await pass(10 * PAUSE_MS)
  assert.equal((await told()).length, PORTION)
})
