import assert from 'node:assert/strict'
import { test } from 'node:test'
import { failedVerdicts } from '#control/actuator.ts'
import { failed, waitingFor } from '#control/fold.ts'
import { isTrouble } from '#control/story.ts'
import { processing, ready, verdict, type Verdict } from '#domain/condition.ts'
import type { Resource } from '#domain/object.ts'
import { denied, provisioned, waiting } from '#domain/plan/plan.ts'

const saying = (verdicts: readonly Verdict[]): Resource => ({
  apiVersion: 'v1',
  kind: 'Thing',
  metadata: { name: 'a' },
  spec: {},
  status: { conditions: verdicts.map((one) => ({ ...one, lastTransitionTime: '2026-01-01T00:00:00Z' })) },
})
const status = {}

test('a warning is what will not become ready by itself, what failed outside and what is denied', () => {
  const warnings: Readonly<Record<string, readonly Verdict[]>> = {
    'a precondition is missing': waiting('PreconditionNotMet', 'create one', { status }).conditions,
    'it cannot be valid': waiting('ValidationFailed', 'wrong', { status }).conditions,
    'its plan failed': failed('boom'),
    'the outside does not answer, and is tried again': failedVerdicts({ type: 'retry', message: 'ENOTFOUND' }),
    'the outside refuses': failedVerdicts({ type: 'blocked', message: 'no' }),
    'access is denied': denied('AccessDenied', 'suspended', { status }).conditions,
  }
  for (const [why, verdicts] of Object.entries(warnings)) assert.equal(isTrouble(saying(verdicts)), true, why)
})

test('what is ready, under way, asked or decided is no warning', () => {
  const normal: Readonly<Record<string, readonly Verdict[]>> = {
    ready: provisioned({ status }).conditions,
    'ready, although something else is said': [ready('Suspended', 'x'), verdict('Applied', false, 'Blocked', 'x')],
    'children are made': waitingFor(['Route a/b']),
    'people are asked': waiting('ApprovalPending', 'they decide', { status }).conditions,
    'people are asked, on the request itself': [
      { type: 'Ready', status: 'False', reason: 'Pending', message: '' },
      processing('ApprovalPending', ''),
    ],
    decided: denied('Rejected', 'no', { status }).conditions,
    'nothing is said': [],
  }
  for (const [why, verdicts] of Object.entries(normal)) assert.equal(isTrouble(saying(verdicts)), false, why)
})
