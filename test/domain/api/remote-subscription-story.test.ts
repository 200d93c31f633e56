import assert from 'node:assert/strict'
import { afterEach, beforeEach, test } from 'node:test'
import { RemoteOrganization } from '#domain/kinds/admin/remote-organization.ts'
import { ApiExposure } from '#domain/kinds/api/api-exposure.ts'
import { ApiSubscription } from '#domain/kinds/api/api-subscription.ts'
import { RemoteApiSubscription } from '#domain/kinds/api/remote-api-subscription.ts'
import { ConsumeRoute } from '#domain/kinds/gateway/consume-route.ts'
import { Route } from '#domain/kinds/gateway/route.ts'
import { HYPERION, issuer, PANDORA, Town, zoneRef } from './town.ts'

const SUB = 'shop--eni-foo-v1'
let town: Town
beforeEach(async () => {
  town = await Town.open()
})
afterEach(() => town.close())

const subscription = () => town.get(ApiSubscription, PANDORA, SUB)
const remote = (): string => town.condition(RemoteApiSubscription, PANDORA, SUB)
const consumeRoute = () => town.find(ConsumeRoute, PANDORA, SUB)

const organization = (): Promise<void> =>
  town.put(RemoteOrganization, 'poc', 'acme', { id: 'acme', url: 'https://cp.acme.example', zone: zoneRef('z2') })

const route = (): Promise<void> =>
  town.put(Route, 'poc--z2', 'acme--foo', {
    gatewayRef: { name: 'gateway', namespace: 'poc--z2' },
    backend: { upstreams: [{ scheme: 'https', hostname: 'acme.example', port: 443, path: '/' }] },
    security: { trustedIssuers: [issuer('z2')] },
  })

/** What the other control plane pushes: its approval, if there is one, and its request. */
async function answer(approval: string | undefined, request: string): Promise<void> {
  const value = town.get(RemoteApiSubscription, PANDORA, SUB)
  const told = {
    ...(approval !== undefined && { approval: { approvalState: approval } }),
    approvalRequest: { approvalState: request },
    route: { name: 'acme--foo', namespace: 'poc--z2' },
  }
  const context = { user: { name: 'system:stellwerk', groups: [], platform: true }, subresource: 'status' as const }
  const body = { value: { ...value, status: { conditions: value.status?.conditions ?? [], ...told } }, duplicates: [] }
  await town.garden.registry.update(RemoteApiSubscription, { namespace: PANDORA, name: SUB }, body, context)
  await town.settle()
}

test('a subscription to another organization names what it lacks: the organization, then its answer', async () => {
  await town.subscribe({ organization: 'acme' })
  assert.deepEqual(subscription().status?.remoteApiSubscription, { name: SUB, namespace: PANDORA })
  assert.deepEqual([town.subscription(), remote()], ['False/AccessDenied', 'False/PreconditionNotMet'])
  assert.match(town.message(ApiSubscription, PANDORA, SUB), /RemoteOrganization poc\/acme does not exist: create it/)
  await organization()
  assert.deepEqual([town.subscription(), remote()], ['False/AccessDenied', 'False/ApprovalPending'])
  assert.equal(town.subscription('Processing'), 'False/Blocked')
  assert.match(town.message(ApiSubscription, PANDORA, SUB), /acme has not granted the subscription \(no answer yet\)/)
  const { requester } = town.get(RemoteApiSubscription, PANDORA, SUB).spec
  assert.deepEqual(requester.team, { name: 'eni--pandora', email: 'shop@example.com' })
  await answer(undefined, 'Semigranted')
  assert.deepEqual([town.subscription(), remote()], ['False/AccessDenied', 'False/ApprovalPending'])
})

test('what the other organization grants can be called', async () => {
  await organization()
  await route()
  await town.subscribe({ organization: 'acme' })
  await answer('Granted', 'Granted')
  assert.deepEqual([town.subscription(), remote()], ['True/Provisioned', 'True/Provisioned'])
  assert.equal(consumeRoute()?.spec.consumerName, 'eni--pandora--shop')
  assert.equal((await town.all(ApiExposure)).length, 0)
})

test('what the other organization refuses is denied', async () => {
  await organization()
  await town.subscribe({ organization: 'acme' })
  await answer(undefined, 'Rejected')
  assert.deepEqual([town.subscription(), remote()], ['False/AccessDenied', 'False/AccessDenied'])
  assert.match(town.message(ApiSubscription, PANDORA, SUB), /acme has rejected the request/)
})

for (const state of ['Rejected', 'Suspended', 'Expired']) {
  test(`an approval of the other organization that is ${state} ends calls, whatever else is missing`, async () => {
    await organization()
    await route()
    await town.subscribe({ organization: 'acme' })
    await answer('Granted', 'Granted')
    await town.delete(RemoteOrganization, 'poc', 'acme')
    assert.deepEqual([town.subscription(), remote()], ['False/PreconditionNotMet', 'False/PreconditionNotMet'])
    assert.ok(consumeRoute(), 'ignorance never deletes')
    await answer(state, 'Granted')
    assert.deepEqual([town.subscription(), remote()], ['False/AccessDenied', 'False/AccessDenied'])
    assert.equal(consumeRoute(), undefined)
    assert.equal(subscription().status?.consumeRoute, undefined)
  })
}

test('what runs stays while the other organization decides about something new', async () => {
  await organization()
  await route()
  await town.subscribe({ organization: 'acme' })
  await answer('Granted', 'Granted')
  for (const [request, expected] of [
    ['Pending', 'False/ApprovalPending'],
    ['Rejected', 'False/AccessDenied'],
  ] as const) {
    await answer('Granted', request)
    assert.deepEqual([town.subscription(), remote()], [expected, expected])
    assert.ok(consumeRoute())
    assert.deepEqual(subscription().status?.consumeRoute, { name: SUB, namespace: PANDORA })
  }
})

test('who turns to another organization no longer calls the API here', async () => {
  await town.serve()
  await town.subscribe()
  assert.ok(town.consumeRoute())
  await organization()
  await town.subscribe({ organization: 'acme' })
  assert.equal(town.subscription(), 'False/AccessDenied')
  assert.deepEqual(await town.all(ConsumeRoute), [])
})

test('of a subscription for another organization nothing is routed here', async () => {
  await town.serve()
  await town.subscribe({ organization: 'acme' })
  assert.equal(town.route('z2'), undefined)
  assert.equal(town.get(ApiExposure, HYPERION, 'foo--eni-foo-v1').status?.proxyRoutes?.length, 0)
})
