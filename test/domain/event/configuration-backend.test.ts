import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import { configurationBackend } from '#controllers/actuators/configuration-backend.ts'
import type { ActuatorContext } from '#control/actuator.ts'
import type { SubscriberPending, SubscriberSpec, SubscriberStatus } from '#domain/kinds/pubsub/subscriber.ts'
import type { Resource } from '#domain/object.ts'
import type { SubscriptionEffect } from '#domain/plan/subscriber.ts'
import { subscriptionIdOf, wireSubscription } from '#domain/plan/subscriber-body.ts'
import { ManualClock } from '#lib/clock.ts'
import type { Log } from '#lib/log.ts'
import { HttpBackend } from './http-backend.ts'

const ID = 'a54dad1115b720028d75c405ad33ea71928352aa'
const PUBLISHED = { eventType: 'orders.v1', publisherId: 'shop--orders--shop' }

const CALLBACK_SPEC: SubscriberSpec = {
  publisher: { name: 'orders.v1', namespace: 'prod--b' },
  subscriberId: 'shop--billing--app',
  delivery: {
    type: 'Callback',
    payload: 'Data',
    callback: 'https://b.gw.example/eventbackend-s/callback/v1?callback=https%3A%2F%2Fc.example%2F',
    eventRetentionTime: '7d',
    circuitBreakerOptOut: true,
    enforceGetHttpRequestMethodForHealthCheck: true,
    redeliveriesPerSecond: 5,
    retryableStatusCodes: [502, 503],
  },
  appliedScopes: ['read'],
  trigger: { selectionFilter: { attributes: { k: 'v' } }, responseFilter: { mode: 'Exclude', paths: ['a.b'] } },
  publisherTrigger: { selectionFilter: { expression: { eq: { field: '$.x', value: 1 } } } },
}

describe('the configuration backend', () => {
  const backend = new HttpBackend()
  before(() => backend.start())
  after(() => backend.stop())
  beforeEach(() => {
    for (const list of [backend.received, backend.tokenRequests, backend.answers, backend.tokenAnswers]) list.length = 0
  })

  const stop = new AbortController()
  const lines: string[] = []
  const log: Log = {
    debug: () => {},
    info: () => {},
    warn: (m) => void lines.push(m),
    error: () => {},
    writes: () => true,
    with: () => log,
  }
  const secrets = new Map([['$<admin>', 'p+ss:w%rd']])
  const context: ActuatorContext = {
    signal: stop.signal,
    log,
    resolveSecret: async (ref) => secrets.get(ref),
    readFile: async (id) => (id === 'prod--shop--orders--schema' ? '{"type":"object"}' : undefined),
  }

  const registration = (path = '/api') => ({
    eventStore: { name: 'prod', namespace: 'prod--b' },
    url: backend.origin + path,
    environment: 'prod',
    ...PUBLISHED,
    subscriberId: 'shop--billing--app',
    tokenUrl: `${backend.origin}/token`,
    clientId: 'event admin',
    clientSecret: '$<admin>',
  })
  const effect = (spec = CALLBACK_SPEC, more: object = {}): SubscriptionEffect => ({
    id: ID,
    registration: registration(),
    subscription: wireSubscription(ID, spec, { ...PUBLISHED, ...more }),
  })
  const resource = (status?: SubscriberStatus, spec = CALLBACK_SPEC): Resource<SubscriberSpec, SubscriberStatus> => ({
    apiVersion: 'pubsub.cp.ei.vendor.de/v1',
    kind: 'Subscriber',
    metadata: { name: 'app', namespace: 'prod--shop--billing' },
    spec,
    ...(status && { status }),
  })
  const registered = (path?: string): SubscriberStatus => ({ subscriptionId: ID, registration: registration(path) })
  const make = (options: object = {}) => configurationBackend({ clock: new ManualClock(0), ...options })

  it('36: gets the whole subscription in a PUT, byte for byte', async () => {
    const result = await make().apply(
      resource(),
      effect(CALLBACK_SPEC, { additionalPublisherIds: ['x--y--z'] }),
      context,
    )
    assert.deepEqual(result, { type: 'ok', status: { subscriptionId: ID, registration: registration() } })
    const [request] = backend.received
    assert.equal(request?.method, 'PUT')
    assert.equal(request?.path, `/api/subscriber.eventbackend.vendor.de/v1/subscriptions/${ID}`)
    assert.equal(request?.contentType, 'application/json')
    assert.equal(request?.authorization, 'Bearer token-1')
    assert.equal(
      request?.body,
      `{"apiVersion":"subscriber.eventbackend.vendor.de/v1","kind":"Subscription","metadata":{"name":"${ID}","namespace":"default"},` +
        '"spec":{"environment":"prod","subscription":{' +
        `"subscriptionId":"${ID}","subscriberId":"shop--billing--app","publisherId":"shop--orders--shop","type":"orders.v1",` +
        '"deliveryType":"callback","payloadType":"data","callback":"https://b.gw.example/eventbackend-s/callback/v1?callback=https%3A%2F%2Fc.example%2F",' +
        '"additionalPublisherIds":["x--y--z"],"appliedScopes":["read"],"eventRetentionTime":"7d","circuitBreakerOptOut":true,' +
        '"retryableStatusCodes":[502,503],"redeliveriesPerSecond":5,"enforceGetHttpRequestMethodForHealthCheck":true,' +
        '"trigger":{"responseFilterMode":"EXCLUDE","responseFilter":["a.b"],"selectionFilter":{"k":"v"}},' +
        '"publisherTrigger":{"advancedSelectionFilter":{"eq":{"field":"$.x","value":1}}}}}}',
    )
  })

  it('gets the schema of the payload where one is stored', async () => {
    const withSchema = (file: string) => ({ ...effect(), jsonSchema: { file, checksum: 'x' } })
    await make().apply(resource(), withSchema('prod--shop--orders--schema'), context)
    const sent = JSON.parse(backend.received.at(-1)?.body ?? '').spec.subscription
    assert.equal(sent.jsonSchema, '{"type":"object"}')
    await make().apply(resource(), withSchema('prod--shop--orders--gone'), context)
    assert.equal('jsonSchema' in JSON.parse(backend.received.at(-1)?.body ?? '').spec.subscription, false)
  })

  it('36: gets a stream without anything that is empty or off', async () => {
    const spec: SubscriberSpec = {
      publisher: CALLBACK_SPEC.publisher,
      subscriberId: 'shop--billing--app',
      delivery: {
        type: 'ServerSentEvent',
        payload: 'DataRef',
        circuitBreakerOptOut: false,
        retryableStatusCodes: [],
        eventRetentionTime: '',
      },
      trigger: {},
      appliedScopes: [],
    }
    await make().apply(resource(), effect(spec), context)
    assert.deepEqual(JSON.parse(backend.received[0]?.body ?? '').spec.subscription, {
      subscriptionId: ID,
      subscriberId: 'shop--billing--app',
      publisherId: 'shop--orders--shop',
      type: 'orders.v1',
      deliveryType: 'server_sent_event',
      payloadType: 'data_ref',
      trigger: {},
    })
  })

  it('is addressed by the group of the installation', async () => {
    await make({ group: 'subscriber.other.example/v2' }).apply(resource(), effect(), context)
    assert.equal(backend.received[0]?.path, `/api/subscriber.other.example/v2/subscriptions/${ID}`)
    assert.equal(JSON.parse(backend.received[0]?.body ?? '').apiVersion, 'subscriber.other.example/v2')
  })

  it('is sent numbers beyond doubles as they were given', async () => {
    const spec = {
      ...CALLBACK_SPEC,
      publisherTrigger: { selectionFilter: { expression: { eq: { field: 'x', value: 9007199254740993n } } } },
    }
    await make().apply(resource(), effect(spec), context)
    assert.match(backend.received[0]?.body ?? '', /"value":9007199254740993\}/)
  })

  it('37: knows a subscription by the sha1 of environment, type and subscriber', () =>
    assert.equal(subscriptionIdOf('legacy-horizon', 'de.telekom.test.event.v1', 'my-consumer-app'), ID))

  it('is called with a token for the admin client, fetched once for many', async () => {
    const actuator = make()
    await Promise.all([1, 2, 3].map(() => actuator.apply(resource(), effect(), context)))
    await actuator.apply(resource(), effect(), context)
    assert.equal(backend.tokenRequests.length, 1)
    const [request] = backend.tokenRequests
    assert.equal(request?.body, 'grant_type=client_credentials')
    assert.equal(request?.authorization, `Basic ${Buffer.from('event+admin:p%2Bss%3Aw%25rd').toString('base64')}`)
  })

  it('gets a new token before the old one ends, and when the old one is refused', async () => {
    const clock = new ManualClock(0)
    const actuator = make({ clock })
    await actuator.apply(resource(), effect(), context)
    clock.advance(289_000)
    await actuator.apply(resource(), effect(), context)
    assert.equal(backend.tokenRequests.length, 1)
    clock.advance(2000)
    await actuator.apply(resource(), effect(), context)
    assert.equal(backend.tokenRequests.length, 2)
    backend.answers.push(401)
    assert.equal((await actuator.apply(resource(), effect(), context)).type, 'ok')
    assert.equal(backend.tokenRequests.length, 3)
    backend.answers.push(401, 401)
    assert.equal((await actuator.apply(resource(), effect(), context)).type, 'retry')
  })

  const classes: readonly (readonly [status: number, type: string])[] = [
    [200, 'ok'],
    [201, 'ok'],
    [204, 'retry'],
    [302, 'retry'],
    [400, 'blocked'],
    [403, 'blocked'],
    [404, 'retry'],
    [405, 'blocked'],
    [409, 'retry'],
    [429, 'retryAfter'],
    [500, 'retry'],
    [502, 'retry'],
    [503, 'retryAfter'],
    [504, 'retry'],
  ]
  for (const [status, type] of classes)
    it(`40: answering ${status} to a PUT means ${type}`, async () => {
      backend.answers.push(status)
      const result = await make().apply(resource(), effect(), context)
      assert.equal(result.type, type)
      if (result.type === 'retryAfter') assert.equal(result.seconds, 3)
      if (result.type !== 'ok')
        assert.match(result.message, new RegExp(`answers ${status} to PUT of subscription ${ID}`))
    })

  it('says on one line why it refuses', async () => {
    backend.answers.push(400)
    const result = await make().apply(resource(), effect(), context)
    assert.ok(
      result.type === 'blocked' && result.message.endsWith('{"message":"name\\ndiffers"}'),
      JSON.stringify(result),
    )
  })

  it('39: is sent a DELETE with the same body; 404 is as good as done', async () => {
    for (const status of [200, 204, 404]) {
      backend.answers.push(status)
      assert.deepEqual(await make().remove(resource(registered()), context), { type: 'ok', status: undefined })
    }
    const [request] = backend.received
    assert.equal(request?.method, 'DELETE')
    assert.equal(request?.path, `/api/subscriber.eventbackend.vendor.de/v1/subscriptions/${ID}`)
    const body = JSON.parse(request?.body ?? '')
    assert.deepEqual(
      body,
      JSON.parse(
        JSON.stringify({
          apiVersion: 'subscriber.eventbackend.vendor.de/v1',
          kind: 'Subscription',
          metadata: { name: ID, namespace: 'default' },
          spec: { environment: 'prod', subscription: wireSubscription(ID, CALLBACK_SPEC, PUBLISHED) },
        }),
      ),
    )
  })

  it('39: failing to remove is tried again', async () => {
    backend.answers.push(500)
    assert.equal((await make().remove(resource(registered()), context)).type, 'retry')
    assert.deepEqual(await make().remove(resource(), context), { type: 'ok', status: undefined })
  })

  const pending = (path?: string): SubscriberPending => ({
    subscriptionId: ID,
    registration: registration(path),
  })
  const paths = (): readonly string[] => backend.received.map((r) => `${r.method} ${r.path.split('/')[1]}`)

  it('is asked to remove what may have been registered although nobody heard of it', async () => {
    const actuator = make()
    const begun = { pending: [pending(), pending('/other')] }
    assert.equal(actuator.isUnfinished?.(resource(begun)), true)
    assert.equal((await actuator.remove(resource(begun), context)).type, 'ok')
    assert.deepEqual(paths(), ['DELETE api', 'DELETE other'])
    backend.received.length = 0
    backend.answers.push(500)
    assert.equal((await actuator.remove(resource(begun), context)).type, 'retry')
    backend.received.length = 0
    await actuator.remove(resource({ ...registered(), pending: [pending()] }), context)
    assert.deepEqual(paths(), ['DELETE api'], 'once per place')
  })

  it('knows before each call what may have to be removed, also of a call before', () => {
    const intended = (status?: SubscriberStatus) => make().intend?.(resource(status), effect())
    assert.deepEqual(intended(), { pending: [pending()] })
    assert.deepEqual(intended({ pending: [pending('/other')] }), { pending: [pending('/other'), pending()] })
    assert.equal(intended(registered()), undefined)
    assert.deepEqual(intended(registered('/old')), { pending: [pending()] })
  })

  it('is cleaned of everything else once it has said yes', async () => {
    const result = await make().apply(
      resource({ ...registered('/old'), pending: [pending('/other'), pending()] }),
      effect(),
      context,
    )
    assert.deepEqual(paths(), ['PUT api', 'DELETE old', 'DELETE other'])
    assert.ok(result.type === 'ok')
    assert.deepEqual(result.status, { ...registered(), pending: undefined })
  })

  const outcomes: readonly (readonly [status: number, untouched: boolean])[] = [
    [204, false],
    [302, true],
    [400, true],
    [401, true],
    [404, true],
    [408, false],
    [409, true],
    [429, false],
    [500, false],
    [503, false],
  ]
  for (const [status, untouched] of outcomes)
    it(`answering ${status} to a PUT has ${untouched ? 'registered nothing' : 'perhaps registered it'}`, async () => {
      backend.answers.push(status, status)
      const result = await make().apply(resource(), effect(), context)
      assert.equal('untouched' in result && result.untouched, untouched)
    })

  it('that says yes has registered it, whatever becomes of the place of before', async () => {
    backend.answers.push(200, 404, 200, 409)
    assert.equal((await make().apply(resource(registered('/old')), effect(), context)).type, 'ok')
    const result = await make().apply(resource(registered('/old')), effect(), context)
    assert.ok(result.type === 'retry' && result.untouched !== true)
  })

  it('is not held up by a place of before that nobody has credentials for', async () => {
    const { clientSecret: _, ...without } = registration('/old')
    const result = await make().apply(resource({ subscriptionId: ID, registration: without }), effect(), context)
    assert.equal(result.type, 'ok')
    assert.deepEqual(paths(), ['PUT api'])
  })

  it('loses a registration without credentials rather than waiting for ever', async () => {
    const lost = { ...registered(), registration: { ...registration(), clientSecret: '$<gone>' } }
    assert.equal((await make().remove(resource(lost), context)).type, 'ok')
    assert.equal(backend.received.length, 0)
    assert.ok(lines.some((line) => line.startsWith('registration left at the backend')))
  })

  it('is left for another one: first registered there, then removed here (decisions §8.6)', async () => {
    const result = await make().apply(resource(registered('/old')), effect(), context)
    assert.equal(result.type, 'ok')
    assert.deepEqual(
      backend.received.map((r) => `${r.method} ${r.path.split('/')[1]}`),
      ['PUT api', 'DELETE old'],
    )
    backend.received.length = 0
    backend.answers.push(200, 503)
    assert.equal((await make().apply(resource(registered('/old')), effect(), context)).type, 'retryAfter')
    backend.answers.push(200, 403)
    assert.equal((await make().apply(resource(registered('/old')), effect(), context)).type, 'ok')
  })

  it('is told to drop the old id when type or subscriber changed', async () => {
    const former = { ...registered(), subscriptionId: 'old-id' }
    await make().apply(resource(former), effect(), context)
    assert.deepEqual(
      backend.received.map((r) => `${r.method} ${r.path.split('/').at(-1)}`),
      [`PUT ${ID}`, 'DELETE old-id'],
    )
  })

  it('without a token endpoint that answers is tried again later', async () => {
    backend.tokenAnswers.push(401, 503, {})
    const actuator = make()
    assert.equal((await actuator.apply(resource(), effect(), context)).type, 'retry')
    assert.equal((await actuator.apply(resource(), effect(), context)).type, 'retryAfter')
    assert.equal((await actuator.apply(resource(), effect(), context)).type, 'retry')
    assert.equal(backend.received.length, 0)
    const closed = new HttpBackend()
    await closed.start()
    const tokenUrl = `${closed.origin}/token`
    await closed.stop()
    const nowhere = { ...effect(), registration: { ...registration(), tokenUrl } }
    const result = await actuator.apply(resource(), nowhere, context)
    assert.ok(
      result.type === 'retry' && /does not answer \(ECONNREFUSED\): start the issuer, or name one/.test(result.message),
      JSON.stringify(result),
    )
  })

  it('with a secret nobody has is refused', async () => {
    const unknown = { ...effect(), registration: { ...registration(), clientSecret: '$<gone>' } }
    const result = await make().apply(resource(), unknown, context)
    const message = 'The secret of client "event admin" cannot be found'
    assert.deepEqual(result, { type: 'blocked', message, untouched: true })
  })

  it('that does not answer in time is tried again', async () => {
    backend.answers.push(() => {})
    const result = await make({ timeoutMs: 50 }).apply(resource(), effect(), context)
    assert.ok(
      result.type === 'retry' && result.message.endsWith('does not answer: no answer in time'),
      JSON.stringify(result),
    )
  })
})
