import assert from 'node:assert/strict'
import { afterEach, beforeEach, test } from 'node:test'
import { isStatus } from '#domain/errors.ts'
import { ApiSubscription } from '#domain/kinds/api/api-subscription.ts'
import { Approval } from '#domain/kinds/approval/approval.ts'
import { ApprovalRequest } from '#domain/kinds/approval/approval-request.ts'
import { ConsumeRoute } from '#domain/kinds/gateway/consume-route.ts'
import { issuer, PANDORA, Town, zoneRef } from './town.ts'

const SUB = 'shop--eni-foo-v1'
let town: Town
beforeEach(async () => {
  town = await Town.open()
})
afterEach(() => town.close())

const status = () => town.get(ApiSubscription, PANDORA, SUB).status
const m2m = (content: object) => ({ security: { m2m: content } })

test('20: the five messages, and what else the security of a subscription cannot be', async () => {
  const basic = { username: 'u', password: 'p' }
  const client = { clientId: 'c', clientSecret: 's' }
  const refused = (spec: object, text: RegExp): Promise<void> =>
    assert.rejects(town.subscribe(spec), (e) => isStatus(e, 'Invalid') && text.test(e.message))
  await refused(m2m({ client, basic }), /Client and basic authentication cannot be used together/)
  await refused(m2m({ scopes: ['a'], basic }), /Scopes and basic authentication cannot be used together/)
  await refused(m2m({}), /At least one of client, basic, or scopes must be provided/)
  await refused(m2m({ client: { ...client, clientKey: 'k' } }), /ClientSecret and ClientKey cannot be used together/)
  await refused(m2m({ client: { clientId: 'c' } }), /At least one of clientSecret or clientKey must be provided/)
  await refused(m2m({ scopes: Array.from({ length: 11 }, String) }), /scopes/)
  await refused({ security: {} }, /security/)
  await refused({ security: { m2m: { scopes: ['a'] }, h2m: {} } }, /security/)
  await town.serve()
  await town.subscribe({ security: { h2m: { anything: 1 } } })
  assert.equal(town.subscription(), 'True/Provisioned')
  assert.equal(town.consumeRoute()?.spec.security, undefined)
})

test('21: traffic may be empty but not absent', async () => {
  const refused = (spec: object): Promise<void> => assert.rejects(town.subscribe(spec), (e) => isStatus(e, 'Invalid'))
  await refused({ traffic: undefined })
  await refused({ zone: undefined })
  await refused({ requestor: {} })
  await refused({ traffic: { failover: {} } })
  await town.subscribe({ traffic: {} })
})

test('22: it waits for the API, then for its exposure, then for that to be ready', async () => {
  await town.subscribe()
  assert.equal(town.subscription('ApiExists'), 'False/NoApi')
  assert.equal(town.subscription(), 'False/PreconditionNotMet')
  await town.register()
  assert.equal(town.subscription('ApiExists'), 'True/ApiExists')
  assert.equal(town.subscription('ApiExposureExists'), 'False/NoApiExposure')
  await town.expose({ zone: zoneRef('z9') })
  assert.equal(town.subscription('ApiExposureExists'), 'True/ApiExposureExists')
  assert.equal(town.subscription(), 'False/PreconditionNotMet')
  assert.match(
    town.message(ApiSubscription, PANDORA, SUB),
    /ApiExposure poc--eni--hyperion\/foo--eni-foo-v1 is not ready/,
  )
  assert.equal(town.consumeRoute(), undefined)
  await town.expose()
  assert.equal(town.subscription(), 'True/Provisioned')
})

test('23: automatic approval, in the zone of the exposure', async () => {
  await town.serve()
  await town.subscribe({ zone: zoneRef('z1') })
  const { approvalRequest, ...rest } = status()!
  const request = town.get(ApprovalRequest, PANDORA, approvalRequest!.name)
  assert.match(request.metadata.name, /^shop--eni-foo-v1--[a-z0-9]+$/)
  assert.equal(request.spec.state, 'Granted')
  assert.deepEqual(
    request.spec.decisions?.map((d) => d.name),
    ['System'],
  )
  assert.equal(town.get(Approval, PANDORA, `apisubscription--${SUB}`).spec.state, 'Granted')
  assert.equal(town.subscription('ApprovalGranted'), 'True/Granted')
  assert.equal(town.consumeRoute('z1')?.spec.consumerName, 'eni--pandora--shop')
  assert.equal(town.subscription(), 'True/Provisioned')
  assert.deepEqual(
    { ...rest, conditions: undefined },
    {
      approval: { name: `apisubscription--${SUB}`, namespace: PANDORA },
      route: { name: 'eni-foo-v1', namespace: 'poc--z1' },
      consumeRoute: { name: `z1--${SUB}`, namespace: PANDORA },
      conditions: undefined,
    },
  )
  assert.deepEqual(town.route('z1')?.spec.security?.trustedIssuers, [issuer('z1')])
})

test('29: who may see an API', async () => {
  await town.serve({ visibility: 'Zone' })
  await town.subscribe()
  assert.equal(town.subscription('VisibilityAllowed'), 'False/NotAllowed')
  assert.equal(town.subscription(), 'False/AccessDenied')
  assert.equal(town.route('z2'), undefined, 'no route where nobody may see the API')
  await town.expose({ visibility: 'Enterprise' })
  assert.equal(town.subscription(), 'True/Provisioned')
  await town.expose({ visibility: 'Zone' })
  assert.equal(town.subscription(), 'False/AccessDenied')
  assert.ok(town.consumeRoute() && town.route('z2'), 'what runs stays')
  await town.zone('z4', { visibility: 'World' })
  await town.expose({ visibility: 'Enterprise' })
  await town.subscribe({ zone: zoneRef('z4') })
  assert.equal(town.subscription('VisibilityAllowed'), 'False/NotAllowed')
  await town.expose({ visibility: 'World' })
  assert.equal(town.subscription(), 'True/Provisioned')
})

test('30: failover zones of a subscriber have routes and permissions, until they are no longer named', async () => {
  await town.serve()
  await town.subscribe({ traffic: { failover: { zone: [zoneRef('z3'), zoneRef('z2')] } } })
  assert.equal(town.route('z3')?.spec.type, 'PROXY')
  assert.deepEqual(status()?.failoverRoutes, [{ name: 'eni-foo-v1', namespace: 'poc--z3' }])
  assert.deepEqual(status()?.failoverConsumeRoutes, [{ name: `z3--${SUB}`, namespace: PANDORA }])
  assert.equal(town.consumeRoute('z3')?.metadata.labels?.['cp.ei.vendor.de/failover'], 'true')
  assert.equal(town.consumeRoute()?.metadata.labels?.['cp.ei.vendor.de/failover'], undefined)
  await town.subscribe()
  assert.ok(!town.route('z3') && !town.consumeRoute('z3'))
  assert.equal(status()?.failoverRoutes, undefined)
})

test('30: a failover zone that does not exist is named, and the rest works', async () => {
  await town.serve()
  await town.subscribe({ traffic: { failover: { zone: [zoneRef('z3'), zoneRef('z9')] } } })
  assert.equal(town.subscription(), 'False/SubResourceNotReady')
  assert.match(town.message(ApiSubscription, PANDORA, SUB), /no route in zone z9/)
  assert.ok(town.consumeRoute() && town.consumeRoute('z3') && !town.consumeRoute('z9'))
  await town.zone('z9')
  assert.equal(town.subscription(), 'True/Provisioned')
})

test('30: failover into the zone of the exposure itself uses its primary route', async () => {
  await town.serve()
  await town.subscribe({ zone: zoneRef('z1'), traffic: { failover: { zone: [zoneRef('z3')] } } })
  assert.deepEqual(town.route('z1')?.spec.security?.defaultConsumers, ['gateway'])
  await town.subscribe({ traffic: { failover: { zone: [zoneRef('z1')] } } })
  assert.deepEqual(status()?.failoverRoutes, [{ name: 'eni-foo-v1', namespace: 'poc--z1' }])
})

test('zones that stand in for each other answer under their shared addresses and trust each other', async () => {
  await town.zone('z2', { failover: true })
  await town.zone('z3', { failover: true })
  await town.serve()
  await town.subscribe({ traffic: { failover: { zone: [zoneRef('z3')] } } })
  for (const zone of ['z2', 'z3']) {
    const { spec } = town.route(zone)!
    assert.deepEqual(spec.hostnames, ['any.z2.example.com', 'any.z3.example.com', `gw.${zone}.example.com`])
    assert.deepEqual(spec.security?.trustedIssuers, [issuer('z2'), issuer('z3')])
  }
  assert.deepEqual(town.route('z1')?.spec.hostnames, ['gw.z1.example.com'])
})

test('31: an own limit counts, then the one for all', async () => {
  const subscriberRateLimit = {
    default: { limits: { second: 1 } },
    overrides: [{ subscriber: 'eni--pandora--shop', limits: { second: 5 } }],
  }
  await town.serve({ traffic: { rateLimit: { subscriberRateLimit } } })
  await town.application('other', PANDORA, 'z2')
  await town.subscribe({ traffic: { failover: { zone: [zoneRef('z3')] } } })
  await town.subscribe({}, 'other')
  assert.deepEqual(town.consumeRoute()?.spec.traffic, { rateLimit: { limits: { second: 5 } } })
  assert.deepEqual(town.consumeRoute('z2', 'other--eni-foo-v1')?.spec.traffic, { rateLimit: { limits: { second: 1 } } })
  assert.equal(town.consumeRoute('z3')?.spec.traffic, undefined)
})

test('33: the environment comes from the namespace', async () => {
  await town.subscribe()
  assert.equal(town.get(ApiSubscription, PANDORA, SUB).metadata.labels?.['cp.ei.vendor.de/environment'], 'poc')
})

test('credentials of a subscriber are passed on as references, and said to be useless where they are', async () => {
  await town.serve()
  await town.subscribe(m2m({ client: { clientId: 'c', clientSecret: 'hidden' } }))
  assert.equal(town.subscription('ClientCredentialsUsed'), 'False/NoExternalIdp')
  const reference = town.consumeRoute()?.spec.security?.m2m?.client?.clientSecret ?? ''
  assert.equal(await town.garden.registry.resolveSecret(reference), 'hidden')
  await town.expose({ security: { m2m: { externalIDP: { tokenEndpoint: 'https://idp.example.com/token' } } } })
  assert.equal(town.subscription('ClientCredentialsUsed'), 'True/ExternalIdp')
  assert.equal(town.subscription(), 'True/Provisioned')
})

test('a moved subscription leaves nothing in its old zone', async () => {
  await town.serve()
  await town.subscribe()
  await town.subscribe({ zone: zoneRef('z3') })
  assert.ok(!town.route('z2') && !town.consumeRoute())
  assert.ok(town.route('z3') && town.consumeRoute('z3'))
  assert.equal(town.subscription(), 'True/Provisioned')
})

test('a base path written differently is not the API', async () => {
  await town.serve()
  await town.subscribe()
  await town.subscribe({ apiBasePath: '/Eni/foo/v1' })
  assert.equal(town.subscription(), 'False/PreconditionNotMet')
  assert.match(town.message(ApiSubscription, PANDORA, SUB), /registers "\/eni\/foo\/v1"/)
  assert.equal(town.consumeRoute(), undefined)
})

test('a subscription that goes takes its permissions, approval and request', async () => {
  await town.serve()
  await town.subscribe()
  await town.delete(ApiSubscription, PANDORA, SUB)
  for (const kind of [ConsumeRoute, Approval, ApprovalRequest]) assert.deepEqual(await town.all(kind), [])
})

test('40: a converged world is silent, also after a restart', async () => {
  await town.serve({ traffic: { failover: { zones: [zoneRef('z3')] } } })
  await town.subscribe({ traffic: { failover: { zone: [zoneRef('z3')] } } })
  town.garden.counted()
  await town.garden.stop()
  town.garden.start()
  await town.settle()
  assert.equal(town.garden.counted().writes, 0)
})
