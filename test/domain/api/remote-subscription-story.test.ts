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

const status = () => town.get(ApiSubscription, PANDORA, SUB).status

test('a subscription to another organization shows what is known of it', async () => {
  await town.subscribe({ organization: 'acme' })
  assert.deepEqual(status()?.remoteApiSubscription, { name: SUB, namespace: PANDORA })
  assert.equal(town.subscription(), 'False/AccessDenied')
  assert.equal(town.condition(RemoteApiSubscription, PANDORA, SUB), 'False/PreconditionNotMet')
  await town.put(RemoteOrganization, 'poc', 'acme', { id: 'acme', url: 'https://cp.acme.example', zone: zoneRef('z2') })
  assert.equal(town.condition(RemoteApiSubscription, PANDORA, SUB), 'False/ApprovalPending')
  const remote = town.get(RemoteApiSubscription, PANDORA, SUB)
  assert.deepEqual(remote.spec.requester.team, { name: 'eni--pandora', email: 'shop@example.com' })
  await town.put(Route, 'poc--z2', 'acme--foo', {
    gatewayRef: { name: 'gateway', namespace: 'poc--z2' },
    backend: { upstreams: [{ scheme: 'https', hostname: 'acme.example', port: 443, path: '/' }] },
    security: { trustedIssuers: [issuer('z2')] },
  })
  const granted = { approvalState: 'Granted' }
  const told = { approval: granted, approvalRequest: granted, route: { name: 'acme--foo', namespace: 'poc--z2' } }
  const value = { ...remote, status: { ...remote.status, ...told } }
  const context = { user: { name: 'system:stellwerk', groups: [], platform: true }, subresource: 'status' as const }
  const key = { namespace: PANDORA, name: SUB }
  await town.garden.registry.update(RemoteApiSubscription, key, { value, duplicates: [] }, context)
  await town.settle()
  assert.equal(town.condition(RemoteApiSubscription, PANDORA, SUB), 'True/Provisioned')
  assert.equal(town.subscription(), 'True/Provisioned')
  assert.equal(town.find(ConsumeRoute, PANDORA, SUB)?.spec.consumerName, 'eni--pandora--shop')
  assert.equal((await town.all(ApiExposure)).length, 0)
})

test('of a subscription for another organization nothing is routed here', async () => {
  await town.serve()
  await town.subscribe({ organization: 'acme' })
  assert.equal(town.route('z2'), undefined)
  assert.equal(town.get(ApiExposure, HYPERION, 'foo--eni-foo-v1').status?.proxyRoutes?.length, 0)
})
