import assert from 'node:assert/strict'
import { afterEach, beforeEach, test } from 'node:test'
import { isStatus } from '#domain/errors.ts'
import { ApiExposure } from '#domain/kinds/api/api-exposure.ts'
import { ApiSubscription } from '#domain/kinds/api/api-subscription.ts'
import { ApprovalRequest } from '#domain/kinds/approval/approval-request.ts'
import { ApiSpecification } from '#domain/kinds/rover/api-specification.ts'
import { HYPERION, PANDORA, Town, zoneRef } from './town.ts'

const SUB = 'shop--eni-foo-v1'
let town: Town
beforeEach(async () => {
  town = await Town.open()
})
afterEach(() => town.close())

const status = () => town.get(ApiSubscription, PANDORA, SUB).status
const m2m = (content: object) => ({ security: { m2m: content } })

test('24: one person decides, and can say no', async () => {
  await town.serve({ approval: { strategy: 'Simple' } })
  await town.subscribe()
  assert.equal(town.subscription(), 'False/ApprovalPending')
  assert.equal(town.subscription('Processing'), 'False/Blocked')
  assert.equal(town.subscription('ApprovalGranted'), 'False/Pending')
  assert.equal(town.consumeRoute(), undefined)
  await town.decideRequest('Rejected')
  assert.equal(town.subscription(), 'False/AccessDenied')
  assert.equal(town.subscription('Processing'), 'False/Done')
  await town.decideRequest('Granted')
  assert.equal(town.subscription(), 'True/Provisioned')
  assert.equal(status()?.consumeRoute?.name, `z2--${SUB}`)
})

test('25: four eyes are two people', async () => {
  await town.serve({ approval: { strategy: 'FourEyes' } })
  await town.subscribe()
  await town.decideRequest('Semigranted', 'ann')
  assert.equal(town.subscription(), 'False/ApprovalPending')
  await assert.rejects(town.decideRequest('Granted', 'ANN'), (e) => isStatus(e, 'Invalid'))
  await town.decideRequest('Granted', 'bob')
  assert.equal(town.subscription(), 'True/Provisioned')
})

test('26: a trusted team needs nobody, whatever the case', async () => {
  await town.serve({ approval: { strategy: 'FourEyes', trustedTeams: ['ENI--Pandora'] } })
  await town.subscribe()
  assert.equal(town.subscription(), 'True/Provisioned')
})

test('27: a suspended approval ends calls at once, a resumed one allows them again', async () => {
  await town.serve()
  await town.subscribe()
  await town.decideApproval('Suspended')
  assert.equal(town.subscription(), 'False/AccessDenied')
  assert.equal(town.subscription('ApprovalGranted'), 'False/Suspended')
  assert.equal(town.consumeRoute(), undefined)
  assert.ok(town.route('z2'), 'the route itself stays')
  await town.decideApproval('Granted')
  assert.ok(town.consumeRoute())
  assert.equal(town.subscription(), 'True/Provisioned')
})

test('a withdrawn approval counts also while nothing else can be checked', async () => {
  await town.serve()
  await town.subscribe()
  await town.expose({ zone: zoneRef('z9') })
  assert.ok(town.consumeRoute(), 'an exposure that waits ends nothing')
  await town.decideApproval('Rejected')
  assert.equal(town.subscription(), 'False/AccessDenied')
  assert.equal(town.consumeRoute(), undefined)
})

test('28: another scope asks again and keeps what runs; an unknown one asks nobody', async () => {
  await town.serve({ approval: { strategy: 'Simple' } }, ['read', 'write'])
  await town.subscribe(m2m({ scopes: ['read'] }))
  await town.decideRequest('Granted')
  const first = status()!.approvalRequest!.name
  await town.subscribe(m2m({ scopes: ['write', 'read'] }))
  assert.notEqual(status()?.approvalRequest?.name, first)
  assert.equal(town.find(ApprovalRequest, PANDORA, first), undefined)
  assert.equal(town.subscription('ApprovalGranted'), 'False/Pending')
  assert.deepEqual(town.consumeRoute()?.spec.security?.m2m, { scopes: ['read'] })
  const asked = status()!.approvalRequest!.name
  await town.subscribe(m2m({ scopes: ['read', 'write'] }))
  assert.equal(status()?.approvalRequest?.name, asked, 'the order of scopes means nothing')
  await town.subscribe(m2m({ scopes: ['read', 'admin'] }))
  assert.equal(town.subscription(), 'False/ValidationFailed')
  assert.equal(town.subscription('ScopesAllowed'), 'False/NotAllowed')
  assert.equal(status()?.approvalRequest?.name, asked)
  assert.equal((await town.all(ApprovalRequest)).length, 1)
})

test('a grant to one team is none to another', async () => {
  await town.serve({ approval: { strategy: 'Simple', trustedTeams: ['eni--titan'] } })
  await town.application('rich', 'poc--eni--titan', 'z2')
  await town.subscribe({ requestor: { application: { name: 'rich', namespace: 'poc--eni--titan' } } })
  assert.equal(town.consumeRoute()?.spec.consumerName, 'eni--titan--rich')
  await town.subscribe()
  assert.equal(town.subscription(), 'False/ApprovalPending')
  assert.equal(town.consumeRoute()?.spec.consumerName, 'eni--titan--rich')
})

test('access to one API is none to another that takes over its name', async () => {
  await town.serve()
  await town.subscribe()
  town.garden.clock.advance(1000)
  await town.register({ basepath: '/Eni/foo/v1' }, 'poc--eni--titan')
  await town.application('evil', 'poc--eni--titan', 'z1')
  await town.put(ApiExposure, 'poc--eni--titan', 'evil', {
    ...town.get(ApiExposure, HYPERION, 'foo--eni-foo-v1').spec,
    apiBasePath: '/Eni/foo/v1',
    provider: { name: 'evil', namespace: 'poc--eni--titan' },
  })
  await town.delete(ApiSpecification, HYPERION, 'eni-foo-v1')
  assert.deepEqual(town.route('z1')?.spec.paths, ['/Eni/foo/v1'])
  assert.ok(!town.consumeRoute() && !town.route('z2'))
})

test('access granted by one team ends when the API changes hands', async () => {
  await town.serve()
  await town.subscribe()
  town.garden.clock.advance(1000)
  await town.application('heir', 'poc--eni--titan', 'z1')
  await town.expose({ approval: { strategy: 'Simple' } }, 'poc--eni--titan', 'heir')
  await town.delete(ApiExposure, HYPERION, 'foo--eni-foo-v1')
  assert.equal(town.subscription(), 'False/ApprovalPending')
  assert.equal(town.consumeRoute(), undefined)
  await town.decideRequest('Granted')
  assert.equal(town.subscription(), 'True/Provisioned')
  assert.ok(town.consumeRoute())
})

test('what runs stays until something else is granted', async () => {
  await town.serve()
  await town.subscribe()
  await town.register({ basepath: '/eni/bar/v1' }, HYPERION, 'eni-bar-v1')
  const bar = { ...town.get(ApiExposure, HYPERION, 'foo--eni-foo-v1').spec, apiBasePath: '/eni/bar/v1' }
  await town.put(ApiExposure, HYPERION, 'bar', { ...bar, approval: { strategy: 'Simple' } })
  await town.subscribe({ apiBasePath: '/eni/bar/v1', zone: zoneRef('z3') })
  assert.equal(town.subscription(), 'False/ApprovalPending')
  assert.deepEqual(town.consumeRoute()?.spec.route, { name: 'eni-foo-v1', namespace: 'poc--z2' })
  assert.ok(town.route('z2') && town.route('z3', 'eni-bar-v1'))
  await town.decideRequest('Granted')
  assert.equal(town.subscription(), 'True/Provisioned')
  assert.ok(!town.route('z2') && !town.consumeRoute())
  assert.deepEqual(town.consumeRoute('z3')?.spec.route, { name: 'eni-bar-v1', namespace: 'poc--z3' })
})

test('what runs while something else is asked for ends with its API', async () => {
  await town.serve()
  await town.subscribe()
  await town.register({ basepath: '/eni/bar/v1' }, HYPERION, 'eni-bar-v1')
  const bar = { ...town.get(ApiExposure, HYPERION, 'foo--eni-foo-v1').spec, apiBasePath: '/eni/bar/v1' }
  await town.put(ApiExposure, HYPERION, 'foo--eni-bar-v1', { ...bar, approval: { strategy: 'Simple' } })
  await town.subscribe({ apiBasePath: '/eni/bar/v1' })
  assert.equal(town.subscription(), 'False/ApprovalPending')
  assert.equal(town.consumeRoute()?.spec.route.name, 'eni-foo-v1')
  await town.delete(ApiSpecification, HYPERION, 'eni-foo-v1')
  assert.equal(town.route('z2'), undefined)
  assert.equal(town.consumeRoute(), undefined, 'a permission that leads nowhere')
  assert.equal(status()?.route, undefined)
})
