import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findCondition } from '#domain/condition.ts'
import type { Kind } from '#domain/kind.ts'
import { EventType } from '#domain/kinds/event/event-type.ts'
import type { Resource } from '#domain/object.ts'
import { s } from '#domain/schema.ts'
import { waitingForDependents } from '#registry/terminating.ts'

const object = (name: string): Resource => ({
  apiVersion: 'event.cp.ei.vendor.de/v1',
  kind: 'EventType',
  metadata: { name, namespace: 'n' },
  spec: {},
})

test('how long an object has waited does not begin again when it waits for something else', () => {
  const self = { ...object('a'), status: { active: true } as Resource['status'] }
  const first = waitingForDependents(EventType, self, [object('b'), object('c')], '2026-01-01T00:00:00Z')
  const later = waitingForDependents(EventType, first, [object('c')], '2026-01-02T00:00:00Z')
  const { message, lastTransitionTime } = findCondition(later.status?.conditions, 'Terminating')!
  assert.deepEqual([message, lastTransitionTime], ['Waiting until EventType n/c is deleted', '2026-01-01T00:00:00Z'])
  assert.equal(waitingForDependents(EventType, later, [object('c')], '2026-01-03T00:00:00Z'), later)
})

test('a kind whose status could not be stored like that says nothing', () => {
  const strict: Kind = { ...EventType, status: s.object({ needed: s.string() }) }
  const self = object('a')
  assert.equal(waitingForDependents(strict, self, [object('b')], '2026-01-01T00:00:00Z'), self)
})
