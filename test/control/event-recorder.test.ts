import assert from 'node:assert/strict'
import { test } from 'node:test'
import { EventRecorder } from '#control/event-recorder.ts'
import { failedVerdicts } from '#control/actuator.ts'
import type { Extent } from '#control/story.ts'
import type { Verdict } from '#domain/condition.ts'
import { Event } from '#domain/kinds/core/event.ts'
import { EventType } from '#domain/kinds/event/event-type.ts'
import { KINDS } from '#domain/kinds/index.ts'
import type { Resource } from '#domain/object.ts'
import { waiting } from '#domain/plan/plan.ts'
import { ManualClock } from '#lib/clock.ts'
import { createLog } from '#lib/log.ts'
import { createRegistry } from '#registry/create-registry.ts'
import { registrySource } from '#registry/source.ts'
import { openMemoryStore } from '#store/memory.ts'

const EXTENTS: Readonly<Record<string, Extent>> = { EventType: 'everything', Subscriber: 'outside' }
const user = { name: 'system:stellwerk', groups: [], platform: true }

async function setUp() {
  const clock = new ManualClock(Date.parse('2026-01-01T00:00:00Z'))
  const registry = createRegistry({ store: openMemoryStore(), kinds: KINDS, clock, secretKey: new Uint8Array(32) })
  const source = registrySource(registry, user)
  const log = createLog({ level: 'silent' })
  const recorder = (): EventRecorder =>
    new EventRecorder({ source, clock, log, extent: ({ kind }) => EXTENTS[kind] ?? 'nothing' })
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

const withVerdicts = (object: Resource<any, any>, verdicts: readonly Verdict[]): Resource<any, any> => ({
  ...object,
  status: { conditions: verdicts.map((verdict) => ({ ...verdict, lastTransitionTime: '2026-01-01T00:00:00Z' })) },
})

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
  const { conditions } = waiting('ValidationFailed', 'Something is wrong', { status: {} })
  telling.observe(object, withVerdicts(object, conditions))
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

test('nothing is told when the same is said again, nor about kinds nobody writes', async () => {
  const { recorder, object, tellAndSee } = await setUp()
  const telling = recorder()
  const good = withReady(object, 'True', 'Provisioned', 'one')
  telling.observe(good, { ...good, metadata: { ...good.metadata, resourceVersion: '7' } })
  telling.observe({ ...object, kind: 'Route' }, { ...good, kind: 'Route' })
  telling.observe(undefined, good)
  assert.deepEqual(await tellAndSee(telling), [])
})

test('another message for the same reason is another Event, and the same message counts up', async () => {
  const { recorder, object, tellAndSee } = await setUp()
  const telling = recorder()
  const saying = (message: string): Resource => withReady(object, 'False', 'PreconditionNotMet', message)
  const tale = ['No zone', 'No exposure', 'No zone']
  for (const [i, message] of tale.entries()) {
    telling.observe(i === 0 ? object : saying(tale[i - 1]!), saying(message))
    await telling.tell()
  }
  const told = (await tellAndSee(telling)).map(({ reason, message, count }) => `${reason}: ${message} x${count}`)
  assert.deepEqual(told.toSorted(), ['PreconditionNotMet: No exposure x1', 'PreconditionNotMet: No zone x2'])
})

test('of what is said for one reason before it is told, only the last words are', async () => {
  const { recorder, object, tellAndSee } = await setUp()
  const telling = recorder()
  const words = ['Waiting for a, b', 'Waiting for b', 'Waiting for c']
  let before: Resource = object
  for (const message of words) {
    const after = withReady(object, 'False', 'SubResourceNotReady', message)
    telling.observe(before, after)
    before = after
  }
  assert.deepEqual(
    (await tellAndSee(telling)).map((event) => event.message),
    ['Waiting for c'],
  )
})

test('words that are never the same do not pile up for ever', async () => {
  const { recorder, object, tellAndSee } = await setUp()
  const telling = recorder()
  for (let i = 0; i < 300; i++) {
    telling.observe(object, withReady(object, 'False', 'Processing', `request ${i} failed`))
    await telling.tell()
  }
  const told = await tellAndSee(telling)
  assert.ok(told.length <= 100, `${told.length} events`)
  assert.ok(told.some((event) => event.message === 'request 299 failed' && event.count === 1))
})

test('what acts outside tells that it fails and that it recovers, and nothing else', async () => {
  const { recorder, object, tellAndSee } = await setUp()
  const telling = recorder()
  const subscriber = { ...object, kind: 'Subscriber' }
  const told = async (): Promise<readonly string[]> =>
    (await tellAndSee(telling)).map(({ type, reason, message }) => `${type} ${reason}: ${message}`)
  const good = withReady(subscriber, 'True', 'SubscriberReady', 'Registered')
  const failing = withVerdicts(subscriber, failedVerdicts({ type: 'retry', message: 'ENOTFOUND' }))
  const refusing = withVerdicts(subscriber, failedVerdicts({ type: 'blocked', message: 'no such publisher' }))
  telling.observe(subscriber, withReady(subscriber, 'False', 'PreconditionNotMet'))
  telling.observe(subscriber, good)
  assert.deepEqual(await told(), [])
  telling.observe(good, failing)
  assert.deepEqual(await told(), ['Warning Processing: ENOTFOUND'])
  telling.observe(failing, refusing)
  telling.observe(refusing, good)
  assert.deepEqual((await told()).toSorted(), [
    'Normal SubscriberReady: Registered',
    'Warning Blocked: no such publisher',
    'Warning Processing: ENOTFOUND',
  ])
})

test('of an object that is gone nothing is told, and its namespace does not come back for it', async () => {
  const { recorder, object, tellAndSee } = await setUp()
  const telling = recorder()
  const bad = withReady(object, 'False', 'Error')
  telling.observe(object, bad)
  telling.observe(bad, undefined)
  assert.deepEqual(await tellAndSee(telling), [])
})

test('what keeps an object that is to go is told, although it is as ready as before', async () => {
  const { recorder, object, tellAndSee } = await setUp()
  const telling = recorder()
  const ready: Verdict = { type: 'Ready', status: 'True', reason: 'Provisioned', message: 'Provisioned' }
  const message = 'Waiting until Subscriber a/b is deleted'
  const waits: Verdict = { type: 'Terminating', status: 'True', reason: 'DependentsRemaining', message }
  telling.observe(withVerdicts(object, [ready]), withVerdicts(object, [ready, waits]))
  const [event] = await tellAndSee(telling)
  assert.equal(event?.reason, 'DependentsRemaining')
  assert.equal(event.message, message)
})
