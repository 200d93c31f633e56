import assert from 'node:assert/strict'
import { test } from 'node:test'
import { EventRecorder } from '#control/event-recorder.ts'
import { Event } from '#domain/kinds/core/event.ts'
import { EventType } from '#domain/kinds/event/event-type.ts'
import { KINDS } from '#domain/kinds/index.ts'
import type { Resource } from '#domain/object.ts'
import { ManualClock } from '#lib/clock.ts'
import { createLog } from '#lib/log.ts'
import { createRegistry } from '#registry/create-registry.ts'
import { registrySource } from '#registry/source.ts'
import { openMemoryStore } from '#store/memory.ts'

const user = { name: 'system:stellwerk', groups: [], platform: true }

async function setUp() {
  const clock = new ManualClock(Date.parse('2026-01-01T00:00:00Z'))
  const registry = createRegistry({ store: openMemoryStore(), kinds: KINDS, clock, secretKey: new Uint8Array(32) })
  const source = registrySource(registry, user)
  const log = createLog({ level: 'silent' })
  const recorder = (): EventRecorder =>
    new EventRecorder({ source, clock, log, tells: ({ kind }) => kind === 'EventType' })
  const draft = {
    metadata: { name: 'orders', namespace: 'demo' },
    spec: { type: 'orders.v1', version: '1', category: 'other' },
  }
  const object = await source.create(EventType, draft)
  const events = async (): Promise<any[]> => (await registry.list(Event, {})).items.map((item) => item.resource)
  const tellAndSee = async (telling: EventRecorder): Promise<any[]> => {
    await telling.tell()
    return events()
  }
  return { clock, recorder, object, tellAndSee, events }
}

const withReady = (
  object: Resource<any, any>,
  status: 'True' | 'False',
  reason: string,
  message = reason,
): Resource<any, any> => ({
  ...object,
  status: {
    active: true,
    conditions: [{ type: 'Ready', status, reason, message, lastTransitionTime: '2026-01-01T00:00:00Z' }],
  },
})

test('a new reason of Ready is told as an Event about the object', async () => {
  const { recorder, object, tellAndSee } = await setUp()
  const telling = recorder()
  telling.observe(object, withReady(object, 'False', 'ValidationFailed', 'Something is wrong'))
  const [event, ...rest] = await tellAndSee(telling)
  assert.deepEqual(rest, [])
  assert.equal(event.type, 'Warning')
  assert.equal(event.reason, 'ValidationFailed')
  assert.equal(event.message, 'Something is wrong')
  assert.equal(event.count, 1)
  assert.equal(event.involvedObject.uid, object.metadata.uid)
  assert.equal(event.metadata.ownerReferences[0].uid, object.metadata.uid)
})

test('the same reason again counts up instead of piling up, also after a restart', async () => {
  const { recorder, object, tellAndSee } = await setUp()
  const telling = recorder()
  const good = withReady(object, 'True', 'Provisioned')
  const bad = withReady(object, 'False', 'SubResourceNotReady')
  const countsOf = (events: readonly any[]): unknown => Object.fromEntries(events.map((e) => [e.reason, e.count]))
  telling.observe(object, good)
  await telling.tell()
  telling.observe(good, bad)
  telling.observe(bad, good)
  assert.deepEqual(countsOf(await tellAndSee(telling)), { Provisioned: 2, SubResourceNotReady: 1 })
  const restarted = recorder()
  restarted.observe(bad, good)
  assert.equal((await tellAndSee(restarted)).length, 2)
})

test('notes are told by themselves after a moment', async () => {
  const { clock, recorder, object, events } = await setUp()
  recorder().observe(object, withReady(object, 'True', 'Provisioned'))
  clock.advance(1000)
  while ((await events()).length === 0) await new Promise(setImmediate)
})

test('nothing is told when status and reason stay, nor about kinds nobody writes', async () => {
  const { recorder, object, tellAndSee } = await setUp()
  const telling = recorder()
  const good = withReady(object, 'True', 'Provisioned', 'one')
  telling.observe(good, withReady(object, 'True', 'Provisioned', 'another message'))
  telling.observe({ ...object, kind: 'Route' }, { ...good, kind: 'Route' })
  telling.observe(undefined, good)
  assert.deepEqual(await tellAndSee(telling), [])
})
