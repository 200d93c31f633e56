import assert from 'node:assert/strict'
import { test } from 'node:test'
import { staticWorld, viewOf } from '#control/world.ts'
import { approve, denialOf, type Answer, type Question } from '#domain/approval/approve.ts'
import type { ApprovalSpec } from '#domain/kinds/approval/approval.ts'
import type { ApprovalRequestSpec } from '#domain/kinds/approval/approval-request.ts'
import type { ApprovalState, Decision } from '#domain/kinds/approval/parties.ts'
import type { Resource } from '#domain/object.ts'

const self = viewOf({
  apiVersion: 'event.cp.ei.vendor.de/v1',
  kind: 'EventSubscription',
  metadata: { name: 'sub', namespace: 'poc--eni--pandora', uid: 'u' },
  spec: {},
})

const question: Question = {
  self,
  properties: { eventType: 'orders.v1', scopes: ['a', 'b'] },
  requester: { teamName: 'eni--pandora', teamEmail: 'p@example.com', reason: 'because' },
  decider: { teamName: 'eni--hyperion', teamEmail: 'h@example.com' },
  strategy: 'Simple',
}

const decision = (resultingState: ApprovalState): Decision => ({
  name: 'ann',
  timestamp: '2026-01-01T00:00:00Z',
  resultingState,
})
const ask = (resources: readonly Resource[] = [], change: Partial<Question> = {}): Answer =>
  approve(staticWorld(resources), { ...question, ...change })
const specOf = (answer: Answer): ApprovalRequestSpec => answer.children[0]!.spec
const nameOf = (answer: Answer): string => answer.refs.approvalRequest.name
const NAME = nameOf(ask())

function request(spec: Partial<ApprovalRequestSpec>, name = NAME, owner = self.uid): Resource {
  const { apiVersion, kind } = self
  const ownerReferences = [{ apiVersion, kind, name: self.name, uid: owner, controller: true }]
  return {
    apiVersion: 'approval.cp.ei.vendor.de/v1',
    kind: 'ApprovalRequest',
    metadata: { name, namespace: self.namespace, uid: `uid-${name}`, ownerReferences },
    spec: { ...specOf(ask()), ...spec },
  }
}

function approval(
  state: ApprovalState,
  decisions: readonly Decision[] = [decision('Granted')],
  of = NAME,
): Resource<ApprovalSpec> {
  return {
    apiVersion: 'approval.cp.ei.vendor.de/v1',
    kind: 'Approval',
    metadata: { name: 'eventsubscription--sub', namespace: self.namespace, uid: 'a' },
    spec: { ...specOf(ask()), state, decisions, approvedRequest: { name: of, namespace: self.namespace } },
  }
}

const granted = request({ state: 'Granted', decisions: [decision('Granted')] })

test('a request that somebody else made in its place grants nothing, however it is decided', () => {
  const decided = { strategy: 'Auto', state: 'Granted', decisions: [decision('Granted')] } as const
  for (const owner of ['other', '']) {
    const answer = ask([request(decided, NAME, owner), approval('Granted')], { strategy: 'FourEyes' })
    assert.equal(answer.result, 'pending')
    assert.equal(specOf(answer).strategy, 'FourEyes')
  }
})

test('a new subscription asks, and waits', () => {
  const answer = ask()
  assert.equal(answer.result, 'pending')
  assert.equal(specOf(answer).state, 'Pending')
  assert.equal(answer.children[0]!.needs, 'exists')
  assert.deepEqual(answer.children[0]!.initial, ['state', 'decisions'])
  assert.deepEqual(answer.refs.approval, { name: 'eventsubscription--sub', namespace: self.namespace })
  assert.deepEqual(
    answer.conditions.map((c) => [c.type, c.status, c.reason]),
    [['ApprovalGranted', 'False', 'Pending']],
  )
})

for (const [why, change] of Object.entries({
  'strategy Auto': { strategy: 'Auto' },
  'a trusted team, whatever the case': { strategy: 'FourEyes', trustedTeams: ['ENI--Pandora'] },
  'the deciding team itself': { strategy: 'FourEyes', requester: { ...question.requester, teamName: 'Eni--Hyperion' } },
} satisfies Record<string, Partial<Question>>)) {
  test(`${why} is granted by the platform`, () => {
    const spec = specOf(ask([], change))
    assert.equal(spec.strategy, 'Auto')
    assert.equal(spec.state, 'Granted')
    assert.deepEqual(
      spec.decisions?.map((d) => d.name),
      ['System'],
    )
  })
}

test('a team that becomes trusted while its request is pending is let in', () => {
  const answer = ask([request({ state: 'Pending' })], { trustedTeams: ['eni--pandora'] })
  assert.equal(specOf(answer).state, 'Granted')
  assert.equal(answer.children[0]!.initial, undefined)
})

test('a decided request keeps its strategy, state and decisions', () => {
  for (const state of ['Semigranted', 'Rejected', 'Granted'] as const) {
    const answer = ask([request({ state, strategy: 'FourEyes' })], { strategy: 'Auto' })
    assert.deepEqual(answer.children[0]!.initial, ['strategy', 'state', 'decisions'], state)
  }
})

test('changed properties or another deciding team ask again and remove the old request', () => {
  for (const change of [
    { properties: { eventType: 'orders.v1', scopes: ['a'] } },
    { decider: { teamName: 'eni--other' } },
  ]) {
    const answer = ask([granted, approval('Granted')], change)
    assert.notEqual(nameOf(answer), NAME)
    assert.equal(answer.result, 'pending')
    assert.deepEqual(
      answer.remove.map((r) => r.name),
      [NAME],
    )
  }
})

test('the order of scopes and everything but properties and decider change nothing', () => {
  assert.equal(nameOf(ask([], { properties: { scopes: ['b', 'a'], eventType: 'orders.v1' } })), NAME)
  assert.equal(nameOf(ask([], { strategy: 'FourEyes', trustedTeams: ['x--y'] })), NAME)
  assert.deepEqual(ask([granted]).remove, [])
})

test('requests of other subscriptions are left alone', () => {
  const other = request({ target: { kind: 'EventSubscription', name: 'other', namespace: self.namespace } }, 'other--x')
  assert.deepEqual(ask([other]).remove, [])
})

const cases: readonly [string, readonly Resource[], Answer['result'], string][] = [
  ['a granted approval permits', [granted, approval('Granted')], 'granted', 'Granted'],
  ['a suspended approval denies', [granted, approval('Suspended')], 'denied', 'Suspended'],
  ['a rejected approval denies', [granted, approval('Rejected')], 'denied', 'Rejected'],
  [
    'an approval that expired while granted permits',
    [granted, approval('Expired', [decision('Granted'), decision('Expired')])],
    'granted',
    'Granted',
  ],
  [
    'an approval that expired while suspended denies',
    [granted, approval('Expired', [decision('Granted'), decision('Suspended'), decision('Expired')])],
    'denied',
    'Expired',
  ],
  [
    'a rejected request is a refusal',
    [request({ state: 'Rejected', decisions: [decision('Rejected')] })],
    'requestDenied',
    'Rejected',
  ],
  [
    'a rejected request beside an old grant is a refusal',
    [request({ state: 'Rejected' }), approval('Granted', [decision('Granted')], 'sub--old')],
    'requestDenied',
    'Rejected',
  ],
  [
    'a denial outlasts a new pending request',
    [request({ state: 'Pending' }), approval('Suspended', [decision('Granted')], 'sub--old')],
    'denied',
    'Suspended',
  ],
  [
    'an approval of another request does not permit',
    [granted, approval('Granted', [decision('Granted')], 'sub--old')],
    'pending',
    'Pending',
  ],
  ['a granted request without its approval waits', [granted], 'pending', 'Pending'],
  ['a pending approval waits', [granted, approval('Pending')], 'pending', 'Pending'],
  ['a semigranted approval waits', [granted, approval('Semigranted')], 'pending', 'Pending'],
  [
    'a request that returns to an old name is not granted by the old approval',
    [request({ state: 'Pending', decisions: [] }), approval('Granted')],
    'pending',
    'Pending',
  ],
  [
    'nor when it is granted by other decisions',
    [request({ state: 'Granted', decisions: [{ ...decision('Granted'), name: 'bob' }] }), approval('Granted')],
    'pending',
    'Pending',
  ],
]
for (const [rule, resources, result, reason] of cases) {
  test(rule, () => {
    const answer = ask(resources)
    assert.equal(answer.result, result)
    assert.equal(answer.conditions[0]?.reason, reason)
    assert.equal(answer.conditions[0]?.status, result === 'granted' ? 'True' : 'False')
    assert.equal(denialOf(staticWorld(resources), self) !== undefined, result === 'denied')
    assert.equal(answer.children.length, 1)
  })
}
