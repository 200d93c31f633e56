import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { application, eventType, exposure, local, proxy, streamSubscriber, zone } from './drafts.ts'
import { travel, type Journey } from './gateways.ts'
import { rowOf } from './route-rows.ts'
import { Story } from './story.ts'

const issuers = {
  normal: (z: string): string => `https://issuer.example/zones/${z}/auth/realms/prod`,
  lms: (z: string): string => `https://${z}.gw.example/auth/realms/prod`,
}

/** b and s run backends, e and p use that of b; the exposure is in e, and streams are read everywhere (§12.1). */
describe('calls through the gateways', () => {
  const ZONES = ['b', 'e', 's', 'p']
  let story: Story
  before(async () => {
    story = await Story.of([
      ...ZONES.map((z) => zone(z)),
      local('b', { clientId: 'cb-b' }),
      proxy('e', 'b', { clientId: 'cb-e' }),
      local('s', { clientId: 'cb-s' }),
      proxy('p', 'b', { clientId: 'cb-p' }),
      eventType(),
      application('shop', 'e'),
      exposure('e'),
      ...ZONES.flatMap((z) => streamSubscriber(`sse-${z}`, z)),
    ])
  })
  after(() => story.end())

  const call = (z: string, path: string, issuer: string, consumer: string): Journey =>
    travel(story.eventRoutes(), `https://${z}.gw.example${path}`, { issuer, consumer }, issuers)
  const PUBLISH = '/eventbackend/events/v1'
  const STREAM = '/eventbackend/sse/v1/orders.v1/some-id'
  const callback = (z: string): string => `/eventbackend-${z}/callback/v1?callback=https%3A%2F%2Fc.example%2F`

  for (const [what, path, at] of [
    ['publish', PUBLISH, 'https://b.backend.example/publish'],
    ['stream', STREAM, 'https://b.backend.example/sse'],
  ] as const)
    it(`§5.2.3: a ${what} in a proxy zone enters with the normal issuer and goes on with the LMS issuer`, () => {
      for (const z of ['e', 'p']) {
        const journey = call(z, path, issuers.normal(z), 'anyone')
        assert.deepEqual(journey, { type: 'arrived', at, hops: [`${z} PROXY`, 'b PRIMARY'] })
        assert.equal(call(z, path, issuers.lms(z), 'anyone').type, 'refused', 'the LMS issuer is for the next hop')
        assert.equal(call('b', path, issuers.lms(z), 'gateway').type, 'arrived')
        assert.equal(call('b', path, issuers.normal(z), 'anyone').type, 'refused', 'nobody skips a gateway')
      }
    })

  it('§5.2.2: the issuers of a route are those of the hop that arrives there, whatever its kind', () => {
    for (const row of story.eventRoutes().map(rowOf)) {
      const issuersOf = row.trusted.split(', ')
      assert.ok(issuersOf.includes(`I(${row.zone})`), `${row.route} in ${row.zone}`)
      if (row.type === 'PROXY') assert.equal(row.trusted, `I(${row.zone})`, `${row.route} in ${row.zone}`)
      assert.ok(!issuersOf.includes(`L(${row.zone})`), 'no gateway calls itself')
    }
  })

  it('§5.2.5: a callback goes on as consumer gateway with the LMS issuer of the zone of the backend', () => {
    for (const z of ['e', 's', 'p']) {
      const journey = call('b', callback(z), issuers.normal('b'), 'cb-b')
      assert.deepEqual(journey, { type: 'arrived', at: 'https://c.example/', hops: ['b PROXY', `${z} PRIMARY`] })
      assert.equal(call(z, callback(z), issuers.lms('b'), 'gateway').type, 'arrived')
      assert.equal(call(z, callback(z), issuers.lms('b'), 'cb-b').type, 'refused', 'the hop is made by gateway')
      assert.equal(call(z, callback(z), issuers.normal('b'), 'gateway').type, 'refused', 'with its own issuer')
    }
  })

  it('§5.2.9: publish and streams check the issuer only, callbacks the consumer as well', () => {
    for (const path of [PUBLISH, STREAM]) {
      assert.equal(call('b', path, issuers.normal('b'), 'whoever').type, 'arrived')
      assert.equal(call('b', path, 'https://evil.example', 'whoever').type, 'refused')
    }
    for (const z of ZONES) {
      const own = call(z, callback(z), issuers.normal(z), `cb-${z}`)
      assert.equal(own.type, 'arrived')
      for (const stranger of ['whoever', `cb-${z === 'b' ? 's' : 'b'}`])
        assert.deepEqual(call(z, callback(z), issuers.normal(z), stranger), {
          type: 'refused',
          by: `${z} callback--${z}`,
          why: `consumer ${stranger}`,
        })
      assert.equal(call(z, callback(z), 'https://evil.example', `cb-${z}`).type, 'refused')
    }
  })

  it('§12.1: the callback client of a proxy zone opens nothing at the gateway of the backend', () => {
    for (const z of ZONES) assert.equal(call('b', callback(z), issuers.normal('b'), 'cb-e').type, 'refused')
    for (const z of ZONES) assert.equal(call('b', callback(z), issuers.normal('e'), 'cb-e').type, 'refused')
  })

  it('§6.2.2: PRIMARY and PROXY say where a route leads, not which kind of EventConfig its zone has', () => {
    const kinds = (z: string): ReadonlySet<string> =>
      new Set(
        story
          .eventRoutes()
          .map(rowOf)
          .flatMap((row) => (row.zone === z ? [row.type] : [])),
      )
    for (const z of ZONES) assert.deepEqual([...kinds(z)].toSorted(), ['PRIMARY', 'PROXY'], z)
    for (const { type, upstream } of story.eventRoutes().map(rowOf))
      assert.equal(type === 'PROXY', upstream.includes('.gw.example/'), upstream)
  })
})
