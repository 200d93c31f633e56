import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Admitted, User } from '#domain/kind.ts'
import { Approval, type ApprovalSpec } from '#domain/kinds/approval/approval.ts'
import { ApprovalRequest, type ApprovalRequestSpec } from '#domain/kinds/approval/approval-request.ts'
import { APPROVAL_STATES, REQUEST_STATES, type ApprovalState, type Decision } from '#domain/kinds/approval/parties.ts'
import type { Resource } from '#domain/object.ts'

type Strategy = ApprovalSpec['strategy']
const STRATEGIES: readonly Strategy[] = ['Auto', 'Simple', 'FourEyes']
const NOW = '2026-06-01T00:00:00Z'
const PLATFORM: User = { name: 'system:stellwerk', groups: [], platform: true }
const ann: User = { name: 'ann', email: 'ann@example.com', groups: [] }
const bob: User = { name: 'bob', email: 'bob@example.com', groups: [] }

/** From → to, for people; the tables of platform §4.2 and §4.3 written out. */
const REQUESTS: Readonly<Record<Strategy, readonly string[]>> = {
  Auto: [],
  Simple: ['Pending>Granted', 'Rejected>Granted', 'Pending>Rejected'],
  FourEyes: [
    'Pending>Semigranted',
    'Rejected>Semigranted',
    'Semigranted>Granted',
    'Pending>Rejected',
    'Semigranted>Rejected',
  ],
}
const COMMON = ['Granted>Suspended', 'Suspended>Granted']
const APPROVALS: Readonly<Record<Strategy, readonly string[]>> = {
  Auto: [...COMMON, 'Rejected>Granted', 'Expired>Granted', 'Granted>Rejected', 'Expired>Rejected'],
  Simple: [
    ...COMMON,
    ...['Pending', 'Rejected', 'Expired'].map((s) => `${s}>Granted`),
    ...['Pending', 'Granted', 'Expired'].map((s) => `${s}>Rejected`),
  ],
  FourEyes: [
    ...COMMON,
    ...['Pending', 'Rejected'].map((s) => `${s}>Semigranted`),
    ...['Semigranted', 'Expired'].map((s) => `${s}>Granted`),
    ...['Pending', 'Granted', 'Semigranted', 'Expired'].map((s) => `${s}>Rejected`),
  ],
}

const base = {
  action: 'subscribe',
  target: { kind: 'EventSubscription', name: 'sub', namespace: 'n' },
  requester: { teamName: 'g--asks', teamEmail: 'a@example.com', reason: 'because' },
  decider: { teamName: 'g--owns', teamEmail: 'o@example.com' },
}
const byAnn = (resultingState: ApprovalState): Decision => ({
  name: 'ann',
  email: 'ann@example.com',
  timestamp: '2026-01-01T00:00:00Z',
  resultingState,
})

function resource<Spec>(kind: { kind: string }, spec: Spec): Resource<Spec, any> {
  return { apiVersion: 'approval.cp.ei.vendor.de/v1', kind: kind.kind, metadata: { name: 'x', namespace: 'n' }, spec }
}

interface Write<Spec> {
  readonly before?: Spec
  readonly after: Spec
  readonly user: User
}

const writeRequest = ({ before, after, user }: Write<ApprovalRequestSpec>): Admitted<ApprovalRequestSpec, any> =>
  ApprovalRequest.admit!({
    operation: before === undefined ? 'create' : 'update',
    object: resource(ApprovalRequest, after),
    old: before && resource(ApprovalRequest, before),
    user,
    now: NOW,
  })

const writeApproval = ({ before, after, user }: Write<ApprovalSpec>): Admitted<ApprovalSpec, any> =>
  Approval.admit!({
    operation: before === undefined ? 'create' : 'update',
    object: resource(Approval, after),
    old: before && resource(Approval, before),
    user,
    now: NOW,
  })

const causes = (answer: Admitted<any, any>): readonly string[] => (answer.errors ?? []).map((e) => e.field)
const isRefused = (answer: Admitted<any, any>): boolean => causes(answer).length > 0 || answer.forbidden !== undefined

for (const strategy of STRATEGIES) {
  for (const from of REQUEST_STATES) {
    for (const to of REQUEST_STATES) {
      if (from === to) continue
      const legal = REQUESTS[strategy].includes(`${from}>${to}`)
      test(`request, ${strategy}: ${from} to ${to} is ${legal ? 'accepted' : 'refused at spec.state'}`, () => {
        const before = { ...base, strategy, state: from, decisions: [byAnn(from)] }
        const answer = writeRequest({ before, after: { ...before, state: to }, user: bob })
        assert.deepEqual(causes(answer), legal ? [] : ['spec.state'])
        assert.equal(answer.forbidden, undefined)
      })
    }
  }
  for (const from of APPROVAL_STATES) {
    for (const to of APPROVAL_STATES) {
      if (from === to) continue
      const legal = APPROVALS[strategy].includes(`${from}>${to}`)
      const how = legal ? 'accepted' : to === 'Expired' ? 'forbidden' : 'refused at spec.state'
      test(`approval, ${strategy}: ${from} to ${to} is ${how}`, () => {
        const before = { ...base, strategy, state: from, decisions: [byAnn(from)] }
        const answer = writeApproval({ before, after: { ...before, state: to }, user: bob })
        assert.equal(answer.forbidden !== undefined, to === 'Expired')
        assert.deepEqual(causes(answer), legal || to === 'Expired' ? [] : ['spec.state'])
      })
    }
  }
}

test('the server adds who decided and when; of what the client says only the comment counts', () => {
  const before = { ...base, strategy: 'Simple' as const, state: 'Pending' as const, decisions: [] }
  const forged = { name: 'mallory', email: 'm@example.com', comment: 'fine with us', timestamp: '2020-01-01T00:00:00Z' }
  const after = { ...before, state: 'Granted' as const, decisions: [forged] }
  assert.deepEqual(writeRequest({ before, after, user: ann }).object.spec.decisions, [
    { name: 'ann', email: 'ann@example.com', comment: 'fine with us', timestamp: NOW, resultingState: 'Granted' },
  ])
})

const fine = { name: '', comment: 'fine now' }

for (const [how, sent] of Object.entries({
  'alone, as a merge patch sends it': [fine],
  'behind those made before': [byAnn('Rejected'), fine],
  'behind a wrong account of those made before': [{ ...byAnn('Rejected'), comment: 'forged' }, fine],
  'in front of those made before': [fine, byAnn('Rejected')],
})) {
  test(`the comment is recorded with the decision when the new entry is sent ${how}`, () => {
    const before = { ...base, strategy: 'Simple' as const, state: 'Rejected' as const, decisions: [byAnn('Rejected')] }
    const after = { ...before, state: 'Granted' as const, decisions: sent }
    const byBob = { name: 'bob', email: 'bob@example.com', comment: 'fine now', timestamp: NOW }
    const wanted = [byAnn('Rejected'), { ...byBob, resultingState: 'Granted' }]
    assert.deepEqual(writeRequest({ before, after, user: bob }).object.spec.decisions, wanted)
    assert.deepEqual(writeApproval({ before, after, user: bob }).object.spec.decisions, wanted)
  })
}

test('a comment made before is not taken for one of the new decision', () => {
  const made = { ...byAnn('Rejected'), comment: 'not yet' }
  const before = { ...base, strategy: 'Simple' as const, state: 'Rejected' as const, decisions: [made] }
  for (const decisions of [[made], [made, made], []]) {
    const answer = writeRequest({ before, after: { ...before, state: 'Granted', decisions }, user: bob })
    const [first, second] = answer.object.spec.decisions ?? []
    assert.deepEqual(first, made)
    assert.equal(second?.comment, undefined)
    assert.deepEqual(answer.warnings, [])
  }
})

test('a comment that is not recorded is not dropped without a word', () => {
  const made = [byAnn('Semigranted'), byAnn('Rejected')]
  const before = { ...base, strategy: 'Simple' as const, state: 'Rejected' as const, decisions: made }
  const withoutDeciding = { ...before, decisions: [...made, fine] }
  const ambiguous = { ...before, state: 'Granted' as const, decisions: [fine, { name: '', comment: 'or not' }] }
  for (const after of [withoutDeciding, ambiguous]) {
    for (const answer of [writeRequest({ before, after, user: bob }), writeApproval({ before, after, user: bob })]) {
      assert.deepEqual(answer.object.spec.decisions?.slice(0, 2), made)
      assert.equal(answer.object.spec.decisions?.[2]?.comment, undefined)
      assert.match(answer.warnings?.join() ?? '', /^spec.decisions: .*not recorded/)
    }
  }
})

test('a restored decision says who decided', () => {
  const admin: User = { name: 'root', groups: ['system:masters'] }
  const after = { ...base, strategy: 'Simple' as const, state: 'Granted' as const, decisions: [byAnn('Granted'), fine] }
  assert.deepEqual(causes(writeRequest({ after, user: admin })), ['spec.decisions[1].name'])
  assert.deepEqual(causes(writeApproval({ after, user: admin })), ['spec.decisions[1].name'])
})

test('decisions cannot be added, changed or removed without deciding', () => {
  const before = {
    ...base,
    strategy: 'FourEyes' as const,
    state: 'Semigranted' as const,
    decisions: [byAnn('Semigranted')],
  }
  for (const decisions of [[], [byAnn('Semigranted'), byAnn('Granted')], [{ name: 'x' }]]) {
    assert.deepEqual(
      writeRequest({ before, after: { ...before, decisions }, user: bob }).object.spec.decisions,
      before.decisions,
    )
  }
})

test('four eyes need two different people, whatever the client writes', () => {
  const before = {
    ...base,
    strategy: 'FourEyes' as const,
    state: 'Semigranted' as const,
    decisions: [byAnn('Semigranted')],
  }
  const after = {
    ...before,
    state: 'Granted' as const,
    decisions: [{ name: 'zoe' }, { name: 'yan', email: 'y@example.com' }],
  }
  const same = [
    ann,
    { ...ann, email: undefined },
    { ...ann, name: 'ann2', email: ' ANN@example.com' },
    { ...ann, name: 'ANN' },
  ]
  for (const user of same) assert.deepEqual(causes(writeRequest({ before, after, user })), ['spec.state'], user.name)
  assert.deepEqual(causes(writeRequest({ before, after, user: bob })), [])
})

test('four eyes without a first decision by a person are refused', () => {
  const system = { name: 'System', timestamp: NOW, resultingState: 'Expired' as const }
  const before = { ...base, strategy: 'FourEyes' as const, state: 'Expired' as const, decisions: [system] }
  assert.deepEqual(causes(writeApproval({ before, after: { ...before, state: 'Granted' }, user: bob })), ['spec.state'])
})

test('a user named like the platform is still a person', () => {
  const before = { ...base, strategy: 'FourEyes' as const, state: 'Pending' as const, decisions: [] }
  const impostor: User = { name: 'System', groups: [] }
  const half = writeRequest({ before, after: { ...before, state: 'Semigranted' }, user: impostor }).object.spec
  assert.deepEqual(causes(writeRequest({ before: half, after: { ...half, state: 'Granted' }, user: impostor })), [
    'spec.state',
  ])
  assert.deepEqual(causes(writeRequest({ before: half, after: { ...half, state: 'Granted' }, user: ann })), [])
})

test('who suspended a four-eyes approval cannot resume it alone', () => {
  const before = {
    ...base,
    strategy: 'FourEyes' as const,
    state: 'Suspended' as const,
    decisions: [byAnn('Semigranted'), { name: 'bob', resultingState: 'Granted' as const }, byAnn('Suspended')],
  }
  const after = { ...before, state: 'Granted' as const }
  assert.deepEqual(causes(writeApproval({ before, after, user: ann })), ['spec.state'])
  assert.deepEqual(causes(writeApproval({ before, after, user: bob })), [])
})

test('a granted request is frozen, but for the words of the requester', () => {
  const before = { ...base, strategy: 'Simple' as const, state: 'Granted' as const, decisions: [byAnn('Granted')] }
  const write = (after: Partial<ApprovalRequestSpec>) =>
    causes(writeRequest({ before, after: { ...before, ...after }, user: bob }))
  assert.deepEqual(write({ state: 'Rejected' }), ['spec.state'])
  assert.deepEqual(write({ strategy: 'FourEyes' }), ['spec.strategy'])
  assert.deepEqual(write({ decisions: [] }), ['spec.decisions'])
  assert.deepEqual(write({ requester: { ...base.requester, reason: 'better words' } }), [])
})

test('nobody chooses their own decider, strategy or target', () => {
  const before = { ...base, strategy: 'FourEyes' as const, state: 'Pending' as const, decisions: [] }
  const changes: readonly Partial<ApprovalRequestSpec>[] = [
    { strategy: 'Simple' },
    { decider: { teamName: 'g--asks' } },
    { target: { ...base.target, name: 'other' } },
    { action: 'other' },
    { requester: { ...base.requester, teamName: 'g--owns' } },
  ]
  for (const change of changes) {
    const fields = Object.keys(change).map((field) => `spec.${field}`)
    assert.deepEqual(causes(writeRequest({ before, after: { ...before, ...change }, user: bob })), fields)
    assert.deepEqual(causes(writeApproval({ before, after: { ...before, ...change }, user: bob })), fields)
  }
  const moved = { ...before, approvedRequest: { name: 'x', namespace: 'n' } }
  assert.deepEqual(causes(writeApproval({ before, after: moved, user: bob })), ['spec.approvedRequest'])
})

test('people do not make requests or approvals; administrators may restore them', () => {
  const spec = { ...base, strategy: 'Simple' as const, state: 'Pending' as const, decisions: [] }
  assert.ok(writeRequest({ after: spec, user: bob }).forbidden)
  assert.ok(writeApproval({ after: { ...spec, state: 'Granted' }, user: bob }).forbidden)
  const admin: User = { name: 'root', groups: ['system:masters'] }
  assert.ok(!isRefused(writeRequest({ after: spec, user: admin })))
  assert.ok(!isRefused(writeApproval({ after: { ...spec, state: 'Suspended' }, user: admin })))
})

test('an automatic request is granted by the platform from the start', () => {
  const after = { ...base, strategy: 'Auto' as const, state: 'Pending' as const, decisions: [] }
  const { spec } = writeRequest({ after, user: PLATFORM }).object
  assert.equal(spec.state, 'Granted')
  assert.deepEqual(spec.decisions, [{ timestamp: NOW, resultingState: 'Granted', name: 'System' }])
})

test('one that an administrator makes is not signed by the platform', () => {
  const after = { ...base, strategy: 'Auto' as const, state: 'Pending' as const, decisions: [] }
  const { spec } = writeRequest({ after, user: { name: 'root', groups: ['system:masters'] } }).object
  assert.deepEqual(spec.decisions, [{ timestamp: NOW, resultingState: 'Granted', name: 'root' }])
})

test('the platform writes freely and only it expires', () => {
  for (const from of APPROVAL_STATES) {
    for (const to of APPROVAL_STATES) {
      const before = { ...base, strategy: 'FourEyes' as const, state: from, decisions: [] }
      assert.ok(
        !isRefused(writeApproval({ before, after: { ...before, state: to }, user: PLATFORM })),
        `${from} to ${to}`,
      )
    }
  }
})
