import assert from 'node:assert/strict'
import { afterEach, beforeEach, test } from 'node:test'
import { ApiCategory } from '#domain/kinds/api/api-category.ts'
import { ApiExposure } from '#domain/kinds/api/api-exposure.ts'
import { ApiSubscription } from '#domain/kinds/api/api-subscription.ts'
import { Application } from '#domain/kinds/application/application.ts'
import { Route } from '#domain/kinds/gateway/route.ts'
import { Team } from '#domain/kinds/organization/team.ts'
import { Zone } from '#domain/kinds/admin/zone.ts'
import { ApiSpecification } from '#domain/kinds/rover/api-specification.ts'
import { BASE_PATH, HYPERION, issuer, lmsIssuer, PANDORA, Town, zoneRef } from './town.ts'

let town: Town
beforeEach(async () => {
  town = await Town.open()
})
afterEach(() => town.close())

const upstream = (hostname: string, path: string) => ({ scheme: 'https', hostname, port: 443, path })
const security = (zone: string) => town.route(zone)?.spec.security
const status = () => town.get(ApiExposure, HYPERION, 'foo--eni-foo-v1').status

test('12: an exposure waits for its API, then has a primary route', async () => {
  await town.expose()
  assert.equal(town.exposure('ApiExists'), 'False/NoApi')
  assert.equal(town.exposure(), 'False/PreconditionNotMet')
  assert.equal(town.exposure('Processing'), 'False/Blocked')
  await town.register()
  assert.equal(town.exposure(), 'True/Provisioned')
  assert.equal(town.exposure('ApiExists'), 'True/ApiExists')
  const { spec, metadata } = town.route('z1')!
  assert.equal(spec.type, 'PRIMARY')
  assert.deepEqual(spec.hostnames, ['gw.z1.example.com'])
  assert.deepEqual(spec.paths, [BASE_PATH])
  assert.deepEqual(spec.backend.upstreams, [upstream('foo.example.com', '/api')])
  assert.equal(metadata.labels?.['cp.ei.vendor.de/type'], 'real')
})

test('13: without a subscriber nobody is allowed, but tokens are checked', async () => {
  await town.register()
  await town.expose()
  assert.deepEqual(security('z1'), { disableAccessControl: false, trustedIssuers: [issuer('z1')], realmName: 'poc' })
})

test('14: a subscriber in another zone brings a proxy and trust, and takes them when it goes', async () => {
  await town.register()
  await town.expose()
  await town.subscribe()
  const proxy = town.route('z2')!.spec
  assert.equal(proxy.type, 'PROXY')
  assert.deepEqual(proxy.backend.upstreams, [upstream('gw.z1.example.com', BASE_PATH)])
  assert.deepEqual(proxy.security?.trustedIssuers, [issuer('z2')])
  assert.deepEqual(security('z1')?.defaultConsumers, ['gateway'])
  assert.deepEqual(security('z1')?.trustedIssuers, [lmsIssuer('z2'), issuer('z1')].toSorted())
  assert.deepEqual(status()?.proxyRoutes, [{ name: 'eni-foo-v1', namespace: 'poc--z2' }])
  await town.delete(ApiSubscription, PANDORA, 'shop--eni-foo-v1')
  assert.equal(town.route('z2'), undefined)
  assert.equal(security('z1')?.defaultConsumers, undefined)
  assert.deepEqual(security('z1')?.trustedIssuers, [issuer('z1')])
  assert.deepEqual(status()?.proxyRoutes, [])
})

test('15: a pending change tears nothing down', async () => {
  await town.register({ scopes: ['read'] })
  await town.expose({ approval: { strategy: 'Simple' } })
  await town.subscribe()
  await town.decideRequest('Granted')
  assert.equal(town.subscription(), 'True/Provisioned')
  await town.subscribe({ security: { m2m: { scopes: ['read'] } } })
  assert.equal(town.subscription(), 'False/ApprovalPending')
  assert.ok(town.route('z2') && town.consumeRoute())
  assert.equal(town.consumeRoute()?.spec.security, undefined)
})

test('16: the base path of a preset is part of paths and upstreams', async () => {
  await town.zone('z1', { basePath: '/tenant' })
  await town.register()
  await town.expose()
  await town.subscribe()
  assert.deepEqual(town.route('z1')?.spec.paths, ['/tenant/eni/foo/v1'])
  assert.deepEqual(town.route('z2')?.spec.backend.upstreams, [upstream('gw.z1.example.com', '/tenant/eni/foo/v1')])
})

test('17: a zone that stands in has a secondary route, and proxies know it', async () => {
  await town.register()
  await town.expose({
    upstreams: [
      { url: 'https://a.example.com', weight: 70 },
      { url: 'http://b.example.com:8080/x', weight: 30 },
    ],
    traffic: { failover: { zones: [zoneRef('z3')] }, rateLimit: { provider: { limits: { second: 9 } } } },
    security: { m2m: { claims: { aud: { valueFrom: 'ProviderClientId' } } } },
  })
  await town.subscribe()
  const secondary = town.route('z3')!
  const targets = [
    { scheme: 'https', hostname: 'a.example.com', port: 443, path: '/', weight: 70 },
    { scheme: 'http', hostname: 'b.example.com', port: 8080, path: '/x', weight: 30 },
  ]
  const m2m = { claims: [{ key: 'aud', value: 'eni--hyperion--foo' }] }
  assert.equal(secondary.spec.type, 'SECONDARY')
  assert.equal(secondary.metadata.labels?.['cp.ei.vendor.de/failover.secondary'], 'true')
  assert.deepEqual(secondary.spec.traffic, {
    failover: { targetZoneName: 'z1', targets, security: { m2m, realmName: 'poc' } },
  })
  assert.deepEqual(secondary.spec.security?.defaultConsumers, ['gateway'])
  assert.deepEqual(secondary.spec.security?.trustedIssuers, [lmsIssuer('z2'), issuer('z3')].toSorted())
  const { traffic } = town.route('z2')!.spec
  assert.deepEqual(traffic?.failover?.targets, [{ zoneName: 'z3', ...upstream('gw.z3.example.com', BASE_PATH) }])
  assert.equal(traffic?.failover?.targetZoneName, 'z1')
  assert.deepEqual(traffic?.rateLimit?.limits, { second: 9 })
  // A stand-in forwards to the zone it stands in for while that one is healthy.
  assert.ok(security('z1')?.trustedIssuers?.includes(lmsIssuer('z3')))
  assert.deepEqual(town.route('z1')?.spec.backend.upstreams, targets)
  assert.deepEqual(security('z1')?.m2m, m2m)
  assert.deepEqual(status()?.failoverRoutes, [{ name: 'eni-foo-v1', namespace: 'poc--z3' }])
  await town.expose({ traffic: { failover: { zones: [zoneRef('z1')] } } })
  assert.equal(town.exposure(), 'False/PreconditionNotMet')
  assert.ok(town.route('z3'), 'waiting deletes nothing')
  await town.expose()
  assert.equal(town.route('z3'), undefined)
})

test('17: a subscriber in a zone that stands in uses the secondary route', async () => {
  await town.register()
  await town.expose({ traffic: { failover: { zones: [zoneRef('z2')] } } })
  await town.subscribe()
  assert.equal(town.route('z2')?.spec.type, 'SECONDARY')
  assert.deepEqual(town.get(ApiSubscription, PANDORA, 'shop--eni-foo-v1').status?.route, {
    name: 'eni-foo-v1',
    namespace: 'poc--z2',
  })
  assert.equal(town.subscription(), 'True/Provisioned')
})

test('18: of two exposures the older counts, and the younger takes over', async () => {
  await town.register()
  await town.expose()
  town.garden.clock.advance(1000)
  await town.application('bar', HYPERION, 'z3')
  await town.expose({ zone: zoneRef('z3') }, HYPERION, 'bar')
  assert.equal(town.exposure('ApiExposureActive', 'bar--eni-foo-v1'), 'False/NotActive')
  assert.equal(town.exposure('Ready', 'bar--eni-foo-v1'), 'False/PreconditionNotMet')
  assert.match(town.message(ApiExposure, HYPERION, 'bar--eni-foo-v1'), /application poc--eni--hyperion\/foo is older/)
  assert.equal(town.route('z3'), undefined)
  await town.delete(ApiExposure, HYPERION, 'foo--eni-foo-v1')
  assert.equal(town.exposure('Ready', 'bar--eni-foo-v1'), 'True/Provisioned')
  assert.equal(town.exposure('ApiExposureActive', 'bar--eni-foo-v1'), 'True/Active')
  assert.equal(town.route('z1'), undefined)
  assert.equal(town.route('z3')?.spec.type, 'PRIMARY')
})

test('an heir that admits fewer zones leaves no routes of the old exposure behind', async () => {
  await town.application('foo', PANDORA, 'z1')
  await town.register()
  await town.expose()
  await town.subscribe()
  town.garden.clock.advance(1000)
  await town.expose({ visibility: 'Zone' }, PANDORA)
  await town.delete(ApiExposure, HYPERION, 'foo--eni-foo-v1')
  assert.equal(town.exposure('Ready', 'foo--eni-foo-v1', PANDORA), 'True/Provisioned')
  assert.equal(town.subscription('VisibilityAllowed'), 'False/NotAllowed')
  assert.equal(town.route('z1')?.spec.type, 'PRIMARY')
  assert.equal(town.route('z2'), undefined)
})

test('19: a moved exposure leaves nothing behind, and the old zone keeps a proxy for its subscribers', async () => {
  await town.register()
  await town.expose()
  await town.expose({ zone: zoneRef('z2') })
  assert.equal(town.route('z1'), undefined)
  assert.equal(town.route('z2')?.spec.type, 'PRIMARY')
  await town.subscribe()
  await town.expose({ zone: zoneRef('z3') })
  assert.equal(town.route('z2')?.spec.type, 'PROXY')
  assert.equal(town.subscription(), 'True/Provisioned')
})

test('32: without its Api nothing of it is served; registered again, all is back', async () => {
  await town.register()
  await town.expose()
  await town.subscribe()
  const before = (await town.garden.dump()).filter((line) => !line.includes('Specification'))
  await town.delete(ApiSpecification, HYPERION, 'eni-foo-v1')
  assert.ok(!town.route('z1') && !town.route('z2') && !town.consumeRoute())
  assert.equal(town.exposure(), 'False/PreconditionNotMet')
  assert.equal(town.subscription(), 'False/PreconditionNotMet')
  assert.equal(town.subscription('ApiExists'), 'False/NoApi')
  await town.register()
  assert.deepEqual(
    (await town.garden.dump()).filter((line) => !line.includes('Specification')),
    before,
  )
})

test('scopes of the exposure must be scopes of the API, unless another provider issues the tokens', async () => {
  await town.register()
  await town.expose({ security: { m2m: { scopes: ['read'] } } })
  assert.equal(town.exposure(), 'False/ValidationFailed')
  await town.register({ scopes: ['write'] })
  assert.match(town.message(ApiExposure, HYPERION, 'foo--eni-foo-v1'), /no scope "read", only "write"/)
  await town.register({ scopes: ['write', 'read'] })
  assert.equal(town.exposure(), 'True/Provisioned')
  assert.deepEqual(security('z1')?.m2m, { scopes: ['read'] })
  const externalIDP = {
    tokenEndpoint: 'https://idp.example.com/token',
    client: { clientId: 'c', clientSecret: 's3cret' },
  }
  await town.expose({ security: { m2m: { scopes: ['other'], externalIDP } } })
  assert.equal(town.exposure(), 'True/Provisioned')
  const secret = security('z1')?.m2m?.externalIDP?.client?.clientSecret ?? ''
  assert.match(secret, /^\$<ApiExposure\//)
  assert.equal(await town.garden.registry.resolveSecret(secret), 's3cret')
})

test('headers, limits and the circuit breaker are passed on', async () => {
  await town.register()
  await town.expose({
    transformation: { request: { headers: { remove: ['x-internal'], add: ['x: y'] } } },
    traffic: { circuitBreaker: { enabled: true }, rateLimit: { provider: { limits: { minute: 5 } } } },
  })
  const { spec } = town.route('z1')!
  assert.deepEqual(spec.transformation, { request: { headers: { remove: ['x-internal'] } } })
  assert.deepEqual(spec.traffic, { circuitBreaker: { enabled: true }, rateLimit: { limits: { minute: 5 } } })
})

test('a category that is not open to the provider stops a new exposure and ends none', async () => {
  await town.register({ category: 'internal' })
  await town.expose()
  await town.put(ApiCategory, 'poc', 'internal', { labelValue: 'other', active: true })
  assert.equal(town.exposure(), 'True/Provisioned', 'without a Team object there is nothing to check')
  await town.put(Team, 'poc', 'eni--hyperion', { group: 'eni', name: 'hyperion', email: 'h@example.com' })
  assert.equal(town.exposure(), 'False/ApiCategoryPolicyResolutionFailed')
  const allowTeams = { categories: ['Infrastructure'] }
  await town.put(ApiCategory, 'poc', 'internal', { labelValue: 'Internal', active: false, allowTeams })
  assert.equal(town.exposure(), 'False/ApiCategoryTeamCategoryNotAllowed')
  assert.ok(town.route('z1'))
  await town.put(ApiCategory, 'poc', 'internal', { labelValue: 'Internal', active: false })
  assert.equal(town.exposure(), 'True/Provisioned')
})

test('a broken zone of a subscriber stops nobody else, and keeps its route and trust', async () => {
  await town.register()
  await town.expose()
  await town.subscribe()
  await town.delete(Zone, 'poc', 'z2')
  assert.equal(town.exposure('ZonesServed'), 'False/ZoneNotServed')
  assert.equal(town.exposure(), 'True/Provisioned')
  assert.ok(security('z1')?.trustedIssuers?.includes(lmsIssuer('z2')))
  assert.ok(town.route('z2'))
  await town.zone('z2')
  assert.equal(town.exposure('ZonesServed'), 'True/Served')
})

test('an exposure without application, with a bad upstream or in no zone says so', async () => {
  await town.register()
  await town.expose({ provider: undefined })
  assert.match(town.message(ApiExposure, HYPERION, 'foo--eni-foo-v1'), /spec.provider/)
  await town.expose({ upstreams: [{ url: 'ftp:x' }] })
  assert.equal(town.exposure(), 'False/ValidationFailed')
  await town.expose({ upstreams: [{ url: 'https://me:hush@up.example' }] })
  assert.match(
    town.message(ApiExposure, HYPERION, 'foo--eni-foo-v1'),
    /^The upstream "https:\/\/…@up\.example" is no http or https address without a user name/,
  )
  await town.expose({ zone: zoneRef('z9') })
  assert.match(town.message(ApiExposure, HYPERION, 'foo--eni-foo-v1'), /Zone poc\/z9 does not exist/)
  await town.expose({ provider: undefined, zone: zoneRef('z1') })
  const { spec } = town.get(ApiExposure, HYPERION, 'foo--eni-foo-v1')
  const labelled = { labels: { 'cp.ei.vendor.de/application': 'foo' } }
  await town.garden.put(ApiExposure, 'foo--eni-foo-v1', spec, { namespace: HYPERION, metadata: labelled })
  await town.settle()
  assert.equal(town.exposure(), 'True/Provisioned')
  await town.delete(Application, HYPERION, 'foo')
  assert.equal(town.exposure(), 'False/PreconditionNotMet')
  assert.ok(town.route('z1'))
})

test('a route somebody changed is set right again', async () => {
  await town.register()
  await town.expose()
  const { spec } = town.route('z1')!
  await town.put(Route, 'poc--z1', 'eni-foo-v1', { ...spec, paths: ['/hijacked'] })
  assert.deepEqual(town.route('z1')?.spec.paths, [BASE_PATH])
})

test('an exposure that goes takes all its routes', async () => {
  await town.register()
  await town.expose({ traffic: { failover: { zones: [zoneRef('z3')] } } })
  await town.subscribe()
  await town.delete(ApiExposure, HYPERION, 'foo--eni-foo-v1')
  assert.ok(!town.route('z1') && !town.route('z2') && !town.route('z3'))
  assert.equal(town.subscription('ApiExposureExists'), 'False/NoApiExposure')
  assert.equal(town.consumeRoute(), undefined)
})
