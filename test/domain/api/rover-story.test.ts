import assert from 'node:assert/strict'
import { afterEach, beforeEach, test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { isStatus } from '#domain/errors.ts'
import { ApiExposure } from '#domain/kinds/api/api-exposure.ts'
import { ApiSubscription } from '#domain/kinds/api/api-subscription.ts'
import { Application } from '#domain/kinds/application/application.ts'
import { Approval } from '#domain/kinds/approval/approval.ts'
import { ApprovalRequest } from '#domain/kinds/approval/approval-request.ts'
import { EventConfig } from '#domain/kinds/event/event-config.ts'
import { EventExposure } from '#domain/kinds/event/event-exposure.ts'
import { EventSubscription } from '#domain/kinds/event/event-subscription.ts'
import { EventType } from '#domain/kinds/event/event-type.ts'
import { ConsumeRoute } from '#domain/kinds/gateway/consume-route.ts'
import { Consumer } from '#domain/kinds/gateway/consumer.ts'
import { Route } from '#domain/kinds/gateway/route.ts'
import { Client } from '#domain/kinds/identity/client.ts'
import { Team } from '#domain/kinds/organization/team.ts'
import { EventSpecification } from '#domain/kinds/rover/event-specification.ts'
import { Rover } from '#domain/kinds/rover/rover.ts'
import { BASE_PATH, PANDORA, Town, zoneRef } from './town.ts'

let town: Town
beforeEach(async () => {
  town = await Town.open()
})
afterEach(() => town.close())

const apiExposure = (basePath: string, more: object = {}) => ({
  api: {
    basePath,
    upstreams: [{ url: 'https://up.example.com/x' }],
    visibility: 'World',
    approval: { strategy: 'Auto' },
    ...more,
  },
})
const apiSubscription = (basePath: string, more: object = {}) => ({ api: { basePath, ...more } })
const rover = (spec: object, name = 'web', namespace = PANDORA): Promise<void> =>
  town.put(Rover, namespace, name, { zone: 'z2', ...spec })
const ready = (name = 'web', namespace = PANDORA): string => town.condition(Rover, namespace, name)
const partOf = (kind: string, name = 'web') =>
  town.get(Rover, PANDORA, name).status?.parts?.find((part) => part.kind === kind)

test('37: an application that calls nobody has neither client nor consumer, until it subscribes', async () => {
  await rover({ exposures: [] })
  const { spec } = town.get(Application, PANDORA, 'web')
  assert.equal(spec.team, 'eni--pandora')
  assert.ok(!spec.needsClient && !spec.needsConsumer)
  assert.equal(ready(), 'True/Provisioned')
  assert.equal(town.find(Client, PANDORA, 'eni--pandora--web--z2'), undefined)
  await rover({ subscriptions: [apiSubscription(BASE_PATH)] })
  assert.ok(
    town.find(Client, PANDORA, 'eni--pandora--web--z2') && town.find(Consumer, PANDORA, 'eni--pandora--web--z2'),
  )
})

test('38: what is no longer in the file goes with all it had, also while something else waits', async () => {
  await town.register()
  await town.expose()
  const foo = apiSubscription(BASE_PATH)
  const waiting = apiSubscription('/eni/nobody/v1')
  await rover({ subscriptions: [foo, waiting] })
  assert.equal(ready(), 'False/SubResourceNotReady')
  assert.equal(partOf('ApiSubscription')?.ready, true)
  assert.ok(town.consumeRoute('z2', 'web--eni-foo-v1'))
  await rover({ subscriptions: [waiting] })
  assert.equal(town.find(ApiSubscription, PANDORA, 'web--eni-foo-v1'), undefined)
  for (const kind of [ConsumeRoute, Approval, ApprovalRequest]) assert.deepEqual(await town.all(kind), [])
  assert.equal(town.route('z2'), undefined)
  assert.ok(town.find(ApiSubscription, PANDORA, 'web--eni-nobody-v1'))
})

test('38: also what was in the file for a moment only, before the Rover could say so', async () => {
  await town.register()
  await town.expose()
  const foo = apiSubscription(BASE_PATH)
  const waiting = apiSubscription('/eni/nobody/v1')
  const write = (subscriptions: readonly object[]) =>
    town.garden.put(Rover, 'web', { zone: 'z2', subscriptions }, { namespace: PANDORA })
  await write([foo, waiting])
  while (town.find(ApiSubscription, PANDORA, 'web--eni-foo-v1') === undefined) await setImmediate()
  assert.equal(town.get(Rover, PANDORA, 'web').status?.apiSubscriptions, undefined)
  await write([waiting])
  await town.settle()
  assert.equal(town.find(ApiSubscription, PANDORA, 'web--eni-foo-v1'), undefined)
  assert.deepEqual(await town.all(ConsumeRoute), [])
})

test('a file becomes an application with all that it provides and consumes', async () => {
  await town.put(Team, 'poc', 'eni--pandora', { group: 'eni', name: 'pandora', email: 'p@example.com' })
  await rover({
    ipRestrictions: { allow: ['10.0.0.0/8'] },
    exposures: [
      apiExposure('/eni/web/v1', {
        approval: { strategy: 'FourEyes', trustedTeams: [{ group: 'eni', team: 'titan' }] },
        transformation: { request: { headers: { remove: ['x-a'], add: ['x-b: 1'] } } },
        traffic: {
          failover: { zones: ['z3'] },
          loadBalancing: { strategy: 'RoundRobin' },
          circuitBreaker: { enabled: true },
          rateLimit: {
            provider: { limits: { second: 10 } },
            consumers: { default: { limits: { second: 1 } }, overrides: [{ consumer: 'c', limits: { second: 2 } }] },
          },
        },
        security: { m2m: { basic: { username: 'u', password: 'secret!' } } },
      }),
      { event: { eventType: 'eni.web-shop.v1', scopes: [{ name: 's', trigger: {} }] } },
    ],
    subscriptions: [
      apiSubscription(BASE_PATH, {
        security: { m2m: { scopes: ['read'] } },
        traffic: { failover: { zones: ['z3', 'z2'] } },
      }),
      apiSubscription(BASE_PATH, { organization: 'acme' }),
      { event: { eventType: 'eni.other.v1', delivery: { callback: 'https://cb.example.com/x' }, scopes: ['a'] } },
    ],
  })
  const application = town.get(Application, PANDORA, 'web').spec
  assert.equal(application.teamEmail, 'p@example.com')
  assert.deepEqual(application.failoverZones, [zoneRef('z3')])
  assert.deepEqual(application.security, { ipRestrictions: { allow: ['10.0.0.0/8'] } })
  const exposure = town.get(ApiExposure, PANDORA, 'web--eni-web-v1')
  assert.deepEqual(exposure.spec.approval, { strategy: 'FourEyes', trustedTeams: ['eni--titan', 'eni--pandora'] })
  assert.deepEqual(exposure.spec.transformation, { request: { headers: { remove: ['x-a'] } } })
  assert.deepEqual(exposure.spec.traffic?.failover, { zones: [zoneRef('z3')] })
  assert.deepEqual(exposure.spec.traffic?.rateLimit?.subscriberRateLimit, {
    default: { limits: { second: 1 } },
    overrides: [{ subscriber: 'c', limits: { second: 2 } }],
  })
  assert.equal(exposure.metadata.labels?.['cp.ei.vendor.de/application'], 'web')
  const password = exposure.spec.security?.m2m?.basic?.password ?? ''
  assert.equal(await town.garden.registry.resolveSecret(password), 'secret!')
  const subscription = town.get(ApiSubscription, PANDORA, 'web--eni-foo-v1').spec
  assert.deepEqual(subscription?.traffic, { failover: { zone: [zoneRef('z3')] } })
  assert.deepEqual(subscription?.security, { m2m: { scopes: ['read'] } })
  assert.equal(town.get(ApiSubscription, PANDORA, 'acme--web--eni-foo-v1').spec?.organization, 'acme')
  const [event] = await town.all(EventExposure)
  assert.match(event?.metadata.name ?? '', /^web--eni-web-shop-v1--[0-9a-f]{8}$/)
  assert.equal(event?.spec.provider.kind, 'Application')
  assert.equal(
    town.get(EventSubscription, PANDORA, 'web--eni-other-v1').spec.delivery.callback,
    'https://cb.example.com/x',
  )
  const { status } = town.get(Rover, PANDORA, 'web')
  assert.deepEqual(status?.application, { name: 'web', namespace: PANDORA })
  assert.deepEqual(
    status?.apiSubscriptions?.map((r) => r.name),
    ['acme--web--eni-foo-v1', 'web--eni-foo-v1'],
  )
  assert.equal(partOf('ApiExposure')?.subject, '/eni/web/v1')
  assert.match(partOf('ApiExposure')?.message ?? '', /No Api registers/)
})

test('events and APIs of one file become ready together', async () => {
  const backend = 'https://events.example.com'
  const local = { admin: { url: backend }, publishEventUrl: `${backend}/p`, serverSendEventUrl: `${backend}/s` }
  await town.put(EventConfig, 'poc--z2', 'poc', { zone: zoneRef('z2'), local })
  await town.put(EventSpecification, PANDORA, 'web', { type: 'eni.web.v1', version: '1.0.0', description: 'd' })
  const type = town.get(EventType, PANDORA, 'eni-web-v1')
  assert.deepEqual(type.spec, { type: 'eni.web.v1', version: '1.0.0', description: 'd', category: 'other' })
  assert.equal(town.condition(EventSpecification, PANDORA, 'web'), 'True/Provisioned')
  await town.register({ basepath: '/eni/web/v1' }, PANDORA, 'eni-web-v1')
  await rover({ exposures: [apiExposure('/eni/web/v1'), { event: { eventType: 'eni.web.v1' } }] })
  assert.equal(ready(), 'True/Provisioned')
  assert.ok(town.get(Rover, PANDORA, 'web').status?.parts?.every((part) => part.ready))
  const routes = (await town.all(Route)).map((r) => `${r.metadata.namespace}/${r.metadata.name}`)
  assert.equal(new Set(routes).size, routes.length)
  await town.delete(Rover, PANDORA, 'web')
  for (const kind of [ApiExposure, EventExposure]) assert.deepEqual(await town.all(kind), [])
  assert.equal(town.find(Application, PANDORA, 'web'), undefined)
  assert.equal(town.route('z2', 'eni-web-v1'), undefined)
  await town.delete(EventSpecification, PANDORA, 'web')
  assert.deepEqual(await town.all(EventType), [])
})

test('failover into all zones that offer it follows the zones', async () => {
  await rover({ subscriptions: [apiSubscription(BASE_PATH, { traffic: { failover: { enabled: true } } })] })
  const zones = () => town.get(ApiSubscription, PANDORA, 'web--eni-foo-v1').spec?.traffic.failover?.zone
  assert.equal(zones(), undefined)
  await town.zone('z3', { failover: true })
  assert.deepEqual(zones(), [zoneRef('z3')])
})

test('no Team is needed, but the namespace of one is', async () => {
  await rover({})
  assert.equal(town.get(Application, PANDORA, 'web').spec.teamEmail, 'pandora@eni.invalid')
  await rover({}, 'web', 'default')
  assert.equal(ready('web', 'default'), 'False/ValidationFailed')
})

test('what a file says twice, or cannot mean, is refused where it stands', async () => {
  const refused = (spec: object, field: string): Promise<void> =>
    assert.rejects(rover(spec), (e) => isStatus(e, 'Invalid') && e.details?.causes?.[0]?.field === field)
  await refused({ exposures: [apiExposure('/eni/a'), apiExposure('/Eni/A/')] }, 'spec.exposures[1].api.basePath')
  await refused({ subscriptions: [apiSubscription('/a'), apiSubscription('/a')] }, 'spec.subscriptions[1].api.basePath')
  const event = { event: { eventType: 'a.b' } }
  await refused({ exposures: [event, event] }, 'spec.exposures[1].event.eventType')
  const upstreams = [{ url: 'https://a.example.com', weight: 1 }, { url: 'https://b.example.com' }]
  await refused({ exposures: [apiExposure('/a', { upstreams })] }, 'spec.exposures[0].api.upstreams')
  const limited = (limits: object) => ({
    exposures: [apiExposure('/a', { traffic: { rateLimit: { provider: { limits } } } })],
  })
  const field = 'spec.exposures[0].api.traffic.rateLimit.provider.limits'
  await refused(limited({}), field)
  await refused(limited({ second: 5, minute: 5 }), field)
  await refused({ exposures: [{}] }, 'spec.exposures[0]')
  const many = Array.from({ length: 151 }, (_, i) => apiSubscription(`/a${i}`))
  await refused({ subscriptions: many }, 'spec.subscriptions')
})

test('an entry that makes no name does not stop the others', async () => {
  await rover({ subscriptions: [apiSubscription('/ä'), apiSubscription(BASE_PATH)] })
  assert.equal(ready(), 'False/ValidationFailed')
  assert.match(town.message(Rover, PANDORA, 'web'), /spec.subscriptions\[0\].api makes no name/)
  assert.ok(town.find(ApiSubscription, PANDORA, 'web--eni-foo-v1'))
})
