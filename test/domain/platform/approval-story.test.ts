import assert from 'node:assert/strict'
import { afterEach, test } from 'node:test'
import { platformControllers } from '#controllers/platform.ts'
import { isStatus } from '#domain/errors.ts'
import { apiVersionOf, type Kind } from '#domain/kind.ts'
import { Approval } from '#domain/kinds/approval/approval.ts'
import { ApprovalExpiration } from '#domain/kinds/approval/approval-expiration.ts'
import { ApprovalRequest } from '#domain/kinds/approval/approval-request.ts'
import { KINDS } from '#domain/kinds/index.ts'
import { Notification } from '#domain/kinds/notification/notification.ts'
import { Team } from '#domain/kinds/organization/team.ts'
import { Garden } from '#test/control/fixture.ts'
import { Permit, Ticket, ticketControllers } from './ticket.ts'

const NS = 'poc--eni--pandora'
const DAY = 86_400_000
let garden: Garden
afterEach(async () => {
  await garden.stop()
  await garden.registry.close()
})

async function ask(spec: object): Promise<void> {
  garden = new Garden({
    kinds: [...KINDS, Ticket, Permit],
    controllers: [...platformControllers(), ...ticketControllers],
  }).start()
  await change(spec)
}

async function change(spec: object): Promise<void> {
  await garden.put(
    Ticket,
    't',
    { team: 'eni--pandora', owner: 'eni--hyperion', strategy: 'Simple', ...spec },
    { namespace: NS },
  )
  await garden.settle()
}

async function decide(kind: Kind, name: string, state: string, who: string): Promise<void> {
  const { apiVersion, metadata, spec } = garden.find(kind, name, NS)!
  const value = { apiVersion, kind: kind.kind, metadata, spec: { ...spec, state } }
  const user = { name: who, email: `${who}@example.com`, groups: [] }
  await garden.registry.update(kind, { namespace: NS, name }, { value, duplicates: [] }, { user })
  await garden.settle()
}

const requestName = (): string => garden.find(Ticket, 't', NS)?.status.request
const decideRequest = (state: string, who: string): Promise<void> => decide(ApprovalRequest, requestName(), state, who)
const decideApproval = (state: string, who: string): Promise<void> => decide(Approval, 'ticket--t', state, who)
const ready = (): string => garden.condition(Ticket, 't', 'Ready', NS)
const approvalGranted = (): string => garden.condition(Ticket, 't', 'ApprovalGranted', NS)
const hasPermit = (): boolean => garden.find(Permit, 't', NS) !== undefined
const stateOf = (kind: Kind, name: string): string | undefined => garden.find(kind, name, NS)?.spec.state

test('a merge patch with a state and a comment records both, with the person who sent it', async () => {
  await ask({})
  const patch = async (kind: Kind, name: string, state: string, comment: string): Promise<readonly string[]> => {
    const value = { spec: { state, decisions: [{ comment }] } }
    const user = { name: 'ann', groups: [] }
    const sent = { type: 'merge', value, duplicates: [] } as const
    const { warnings } = await garden.registry.patch(kind, { namespace: NS, name }, sent, { user })
    await garden.settle()
    return warnings
  }
  const told = (kind: Kind, name: string): readonly string[] =>
    garden.find(kind, name, NS)?.spec.decisions.map((d: any) => `${d.name} ${d.resultingState}: ${d.comment}`)
  const name = requestName()
  assert.deepEqual(await patch(ApprovalRequest, name, 'Rejected', 'who are you?'), [])
  assert.deepEqual(await patch(ApprovalRequest, name, 'Granted', 'fine now'), [])
  assert.deepEqual(told(ApprovalRequest, name), ['ann Rejected: who are you?', 'ann Granted: fine now'])
  assert.deepEqual(await patch(Approval, 'ticket--t', 'Suspended', 'too many calls'), [])
  assert.deepEqual(told(Approval, 'ticket--t').at(-1), 'ann Suspended: too many calls')
})

test('Auto: granted by the platform at once', async () => {
  await ask({ strategy: 'Auto' })
  assert.equal(ready(), 'True/Provisioned')
  assert.equal(approvalGranted(), 'True/Granted')
  const approval = garden.find(Approval, 'ticket--t', NS)
  const decisions = approval?.spec.decisions as readonly { readonly name: string }[]
  assert.deepEqual(
    decisions.map((d) => d.name),
    ['System'],
  )
  assert.equal(approval?.metadata.ownerReferences?.[0]?.kind, 'Ticket')
  assert.equal(garden.condition(Approval, 'ticket--t', 'Ready', NS), 'True/Approved')
})

test('Simple: one person decides, and a converged world is silent', async () => {
  await ask({})
  assert.equal(ready(), 'False/ApprovalPending')
  assert.ok(!hasPermit())
  await decideRequest('Granted', 'ann')
  assert.equal(ready(), 'True/Provisioned')
  assert.deepEqual(garden.find(Approval, 'ticket--t', NS)?.spec.decisions[0].name, 'ann')
  garden.counted()
  await garden.stop()
  garden.start()
  await garden.settle()
  assert.equal(garden.counted().writes, 0)
})

test('Simple: a rejected request can still be allowed', async () => {
  await ask({})
  await decideRequest('Rejected', 'ann')
  assert.equal(ready(), 'False/AccessDenied')
  assert.equal(approvalGranted(), 'False/Rejected')
  assert.equal(stateOf(Approval, 'ticket--t'), undefined)
  await decideRequest('Granted', 'bob')
  assert.equal(ready(), 'True/Provisioned')
})

test('FourEyes: two different people, and no one decides twice', async () => {
  await ask({ strategy: 'FourEyes' })
  await decideRequest('Semigranted', 'ann')
  assert.equal(ready(), 'False/ApprovalPending')
  assert.equal(approvalGranted(), 'False/Pending')
  for (const same of ['ann', 'ANN'])
    await assert.rejects(
      decideRequest('Granted', same),
      (e) => isStatus(e, 'Invalid') && e.details?.causes?.[0]?.field === 'spec.state',
    )
  await decideRequest('Granted', 'bob')
  assert.equal(ready(), 'True/Provisioned')
  await assert.rejects(decideRequest('Rejected', 'cem'), (e) => isStatus(e, 'Invalid'))
})

test('a trusted team and the own team need no one', async () => {
  await ask({ strategy: 'FourEyes', trusted: ['Eni--Pandora'] })
  assert.equal(ready(), 'True/Provisioned')
  await garden.stop()
  await garden.registry.close()
  await ask({ strategy: 'FourEyes', owner: 'eni--pandora' })
  assert.equal(ready(), 'True/Provisioned')
})

test('suspension takes the permit at once, resumption gives it back', async () => {
  await ask({ strategy: 'Auto' })
  await decideApproval('Suspended', 'ann')
  assert.equal(ready(), 'False/AccessDenied')
  assert.equal(approvalGranted(), 'False/Suspended')
  assert.ok(!hasPermit())
  await decideApproval('Granted', 'bob')
  assert.equal(ready(), 'True/Provisioned')
  assert.ok(hasPermit())
})

test('changed properties ask again: what runs keeps running, the old request goes', async () => {
  await ask({ scopes: ['a'] })
  await decideRequest('Granted', 'ann')
  const first = requestName()
  await change({ scopes: ['a', 'b'] })
  assert.notEqual(requestName(), first)
  assert.equal(garden.find(ApprovalRequest, first, NS), undefined)
  assert.equal(approvalGranted(), 'False/Pending')
  assert.deepEqual(garden.find(Permit, 't', NS)?.spec.scopes, ['a'])
  await decideRequest('Granted', 'ann')
  assert.deepEqual(garden.find(Permit, 't', NS)?.spec.scopes, ['a', 'b'])
  await change({ scopes: ['b', 'a'], note: 'no new question' })
  assert.equal(ready(), 'True/Provisioned')
})

test('a request that returns to an old name starts again', async () => {
  await ask({ scopes: ['a'] })
  await decideRequest('Granted', 'ann')
  const first = requestName()
  await change({ scopes: ['b'] })
  garden.clock.advance(2000)
  await change({ scopes: ['a'] })
  assert.equal(requestName(), first)
  assert.equal(stateOf(ApprovalRequest, first), 'Pending')
  assert.equal(approvalGranted(), 'False/Pending')
  assert.ok(hasPermit())
  await decideRequest('Granted', 'ann')
  assert.equal(ready(), 'True/Provisioned')
})

test('the grant of a new request lifts a denial', async () => {
  await ask({ scopes: ['a'] })
  await decideRequest('Granted', 'ann')
  await decideApproval('Rejected', 'ann')
  assert.equal(ready(), 'False/AccessDenied')
  await change({ scopes: ['b'] })
  assert.equal(ready(), 'False/AccessDenied')
  await decideRequest('Granted', 'bob')
  assert.equal(ready(), 'True/Provisioned')
})

test('another deciding team is asked anew', async () => {
  await ask({})
  await decideRequest('Granted', 'ann')
  await change({ owner: 'eni--other' })
  assert.equal(approvalGranted(), 'False/Pending')
  assert.ok(hasPermit())
})

test('an approval expires, keeps serving, and is confirmed by a person', async () => {
  await ask({})
  await decideRequest('Granted', 'ann')
  const expiresAt: string = garden.find(Approval, 'ticket--t', NS)?.status.expiresAt
  assert.equal(Date.parse(expiresAt) - garden.clock.now(), 360 * DAY)
  await garden.advance(360 * DAY)
  assert.equal(stateOf(Approval, 'ticket--t'), 'Expired')
  const { name, resultingState } = garden.find(Approval, 'ticket--t', NS)!.spec.decisions.at(-1)
  assert.deepEqual([name, resultingState], ['System', 'Expired'])
  assert.equal(approvalGranted(), 'True/Granted')
  assert.equal(ready(), 'True/Provisioned')
  await assert.rejects(decideApproval('Suspended', 'ann'), (e) => isStatus(e, 'Invalid'))
  await decideApproval('Granted', 'ann')
  assert.equal(stateOf(Approval, 'ticket--t'), 'Granted')
  assert.equal(
    Date.parse(garden.find(ApprovalExpiration, 'ticket--t', NS)?.spec.expiration) - garden.clock.now(),
    360 * DAY,
  )
  await assert.rejects(decideApproval('Expired', 'ann'), (e) => isStatus(e, 'Forbidden'))
})

test('an approval that expires while suspended stays denied', async () => {
  await ask({})
  await decideRequest('Granted', 'ann')
  await decideApproval('Suspended', 'ann')
  await garden.advance(360 * DAY)
  assert.equal(stateOf(Approval, 'ticket--t'), 'Expired')
  assert.equal(approvalGranted(), 'False/Expired')
  assert.equal(ready(), 'False/AccessDenied')
  assert.ok(!hasPermit())
})

test('35: a granted request stands as it was decided; only its words can be corrected', async () => {
  await ask({})
  await decideRequest('Granted', 'ann')
  const { apiVersion, metadata, spec } = garden.find(ApprovalRequest, requestName(), NS)!
  const user = { name: 'bob', email: 'bob@example.com', groups: [] }
  const write = (more: object) =>
    garden.registry.update(
      ApprovalRequest,
      { namespace: NS, name: metadata.name },
      { value: { apiVersion, kind: 'ApprovalRequest', metadata, spec: { ...spec, ...more } }, duplicates: [] },
      { user },
    )
  for (const [field, value] of [
    ['state', 'Rejected'],
    ['strategy', 'FourEyes'],
    ['decisions', [{ name: 'bob', resultingState: 'Granted' }]],
  ] as const)
    await assert.rejects(write({ [field]: value }), (e) => {
      assert.ok(isStatus(e, 'Invalid'))
      assert.deepEqual([e.code, e.details?.causes?.map((cause) => cause.field)], [422, [`spec.${field}`]])
      return true
    })
  await write({ requester: { ...spec.requester, reason: 'because of the season' } })
  assert.equal(stateOf(ApprovalRequest, requestName()), 'Granted')
  assert.equal(garden.find(ApprovalRequest, requestName(), NS)?.spec.requester.reason, 'because of the season')
})

test('where teams can be reached, they are told and reminded, once each', async () => {
  await ask({})
  const team = (name: string) =>
    garden.put(Team, `eni--${name}`, { group: 'eni', name, email: `${name}@example.com` }, { namespace: 'poc' })
  await team('pandora')
  await team('hyperion')
  await garden.settle()
  const told = async (): Promise<readonly string[]> =>
    (await garden.registry.list(Notification, {})).items
      .map((i) => (i.resource as { spec: { purpose: string } }).spec.purpose)
      .toSorted()
  assert.deepEqual(await told(), ['approvalrequest--subscribe--created--decider'])
  await decideRequest('Granted', 'ann')
  assert.deepEqual(await told(), [
    'approvalrequest--subscribe--updated--decider',
    'approvalrequest--subscribe--updated--requester',
  ])
  const sent = (await garden.registry.list(Notification, {})).items.map((i) => i.resource.metadata.name)
  for (const name of sent) assert.equal(garden.condition(Notification, name, 'Ready', NS), 'True/Provisioned')
  await garden.advance(330 * DAY)
  assert.equal((await told()).filter((p) => p.startsWith('approvalexpiration--subscribe--reminder')).length, 2)
  await garden.advance(DAY)
  assert.equal((await told()).filter((p) => p.startsWith('approvalexpiration--subscribe--reminder')).length, 2)
})

test('an approval that was deleted comes back as it was decided, one that is being deleted when it is gone', async () => {
  await ask({})
  await decideRequest('Granted', 'ann')
  const before = await garden.dump()
  const { uid } = garden.find(Approval, 'ticket--t', NS)!.metadata
  await garden.delete(Approval, 'ticket--t', NS)
  await garden.settle()
  assert.deepEqual(await garden.dump(), before)
  assert.notEqual(garden.find(Approval, 'ticket--t', NS)?.metadata.uid, uid)
  const approval = garden.find(Approval, 'ticket--t', NS)!
  const held = { ...approval.metadata, finalizers: ['example.com/wait'] }
  await garden.source.update(Approval, { ...approval, metadata: held })
  await garden.delete(Approval, 'ticket--t', NS)
  await garden.settle()
  const leaving = garden.find(Approval, 'ticket--t', NS)!
  assert.ok(leaving.metadata.deletionTimestamp)
  await garden.source.update(Approval, { ...leaving, metadata: { ...leaving.metadata, finalizers: [] } })
  await garden.settle()
  assert.deepEqual(await garden.dump(), before)
})

test('an approval that no longer says what was decided is put right; other words in it stay', async () => {
  await ask({})
  await decideRequest('Granted', 'ann')
  const before = await garden.dump()
  const approval = garden.find(Approval, 'ticket--t', NS)!
  garden.counted()
  await garden.source.update(Approval, { ...approval, spec: { ...approval.spec, decisions: [], state: 'Rejected' } })
  await garden.settle()
  assert.deepEqual(await garden.dump(), before)
  const { spec, ...rest } = garden.find(Approval, 'ticket--t', NS)!
  await garden.source.update(Approval, {
    ...rest,
    spec: { ...spec, requester: { ...spec.requester, reason: 'because' } },
  })
  await garden.settle()
  assert.equal(garden.find(Approval, 'ticket--t', NS)?.spec.requester.reason, 'because')
  assert.equal(ready(), 'True/Provisioned')
})

test('a request does not run again for the approval it has just made', async () => {
  await ask({})
  garden.counted()
  await decideRequest('Granted', 'ann')
  assert.equal(garden.counted().runs.get(`ApprovalRequest ${NS}/${requestName()}`), 1)
})

test('when the subscription goes, its request, approval and clock go with it', async () => {
  await ask({ strategy: 'Auto' })
  await garden.delete(Ticket, 't', NS)
  await garden.settle()
  const left = (await garden.resources()).filter((r) => r.kind !== 'Namespace' && r.apiVersion !== apiVersionOf(Team))
  assert.deepEqual(
    left.map((r) => `${r.kind}/${r.metadata.name}`),
    [],
  )
})
