import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { Zone } from '#domain/kinds/admin/zone.ts'
import { EventConfig } from '#domain/kinds/event/event-config.ts'
import { EventSubscription } from '#domain/kinds/event/event-subscription.ts'
import { Subscriber } from '#domain/kinds/pubsub/subscriber.ts'
import { always } from '#test/support/property.ts'
import {
  application,
  CALLBACK,
  callbackSubscriber,
  configRef,
  eventType,
  exposure,
  local,
  proxy,
  streamSubscriber,
  subscriptionRef,
  zone,
  zoneRef,
} from './drafts.ts'
import { travel, type Issuers } from './gateways.ts'
import { Oracle, type Site } from './oracle.ts'
import { rowOf } from './route-rows.ts'
import { type Draft, Story } from './story.ts'

const RUNS = 25
const NAMES = ['a', 'b', 'c', 'd', 'e']
const TYPES = ['one.v1', 'two.v1']

interface Plot {
  readonly sites: readonly Site[]
  /** Zone of the exposure of each type. */
  readonly exposures: readonly string[]
  readonly subscribers: readonly { readonly zone: string; readonly type: string; readonly stream: boolean }[]
}

const plots: fc.Arbitrary<Plot> = fc.integer({ min: 1, max: NAMES.length }).chain((size) => {
  const zones = NAMES.slice(0, size)
  const someZone = fc.constantFrom(...zones)
  const site = (name: string): fc.Arbitrary<Site> =>
    fc.record({
      zone: fc.constant(name),
      basePath: fc.constantFrom('/', '/gw', '/a/b'),
      target: fc.oneof(fc.constant(undefined), someZone),
      mesh: fc.oneof(fc.constant(undefined), fc.subarray(zones)),
      clientId: fc.constantFrom('eventstore', `cb-${name}`),
      replay: fc.boolean(),
    })
  const subscriber = fc.record({ zone: someZone, type: fc.constantFrom(...TYPES), stream: fc.boolean() })
  return fc.record({
    sites: fc.tuple(...zones.map(site)),
    exposures: fc.tuple(...TYPES.map(() => someZone)),
    subscribers: fc.array(subscriber, { maxLength: 6 }),
  })
})

const appOf = (i: number): string => `app${i}`

function draftsOf({ sites, exposures, subscribers }: Plot): readonly Draft[] {
  return [
    ...sites.map((s) => zone(s.zone, { basePath: s.basePath })),
    ...sites.map((s) => {
      const options = { mesh: s.mesh, clientId: s.clientId, replay: s.replay }
      return s.target === undefined ? local(s.zone, options) : proxy(s.zone, s.target, options)
    }),
    application('shop', sites[0]?.zone ?? ''),
    ...TYPES.flatMap((type, i) => [eventType(type), exposure(exposures[i] ?? '', {}, type)]),
    ...subscribers.flatMap((s, i) =>
      s.stream ? streamSubscriber(appOf(i), s.zone, {}, s.type) : callbackSubscriber(appOf(i), s.zone, {}, s.type),
    ),
  ]
}

const shownRoutes = (story: Story, ready: (zone: string) => boolean): readonly string[] =>
  story
    .eventRoutes()
    .map(rowOf)
    .filter((r) => ready(r.zone))
    .map((r) =>
      [
        r.zone,
        r.route,
        r.type,
        r.upstream.replace(' dynamic by callback', ''),
        r.trusted.split(', '),
        r.allowed.split(', '),
      ].join(' '),
    )
    .toSorted()

const exposureZone = (plot: Plot, type: string): string => plot.exposures[TYPES.indexOf(type)] ?? ''

/** Granted are streams whose way is clear; only those have routes. */
function listeners(plot: Plot, oracle: Oracle, type: string): readonly string[] {
  const exposed = exposureZone(plot, type)
  return plot.subscribers
    .filter(
      (s) =>
        s.stream && s.type === type && oracle.may(exposed, s.zone) && oracle.isReady(s.zone) && oracle.isReady(exposed),
    )
    .map((s) => s.zone)
}

function expectedRoutes(plot: Plot, oracle: Oracle): readonly string[] {
  const streams = TYPES.flatMap((type) =>
    oracle.streamRoutes(
      `sse--${type.replaceAll('.', '-')}`,
      `/eventbackend/sse/v1/${type}`,
      exposureZone(plot, type),
      listeners(plot, oracle, type),
    ),
  )
  const all = [...oracle.callbackRoutes(), ...oracle.publishRoutes(), ...oracle.replayRoutes(), ...streams]
  return all.filter((line) => oracle.isReady(line.split(' ')[0] ?? '')).toSorted()
}

function checkConfigs(story: Story, oracle: Oracle): void {
  for (const { zone: z, target } of oracle.sites) {
    assert.equal(story.ready(EventConfig, configRef(z)) === 'True', oracle.isReady(z), `EventConfig of ${z}`)
    const {
      callbackUrl,
      proxyCallbackUrls,
      proxyCallbackRoutes = [],
    } = story.get(EventConfig, configRef(z)).status ?? {}
    const reachable = oracle.sites
      .filter((s) => s.zone !== z && oracle.isReady(z))
      .map((s) => [s.zone, oracle.ingress(z, s.zone)] as const)
    assert.deepEqual(proxyCallbackUrls, Object.fromEntries(reachable.filter(([, url]) => url !== '')), `URLs of ${z}`)
    assert.equal(callbackUrl, oracle.isReady(z) ? oracle.ingress(z, z) : '', `URL of ${z}`)
    if (target !== undefined) assert.deepEqual(proxyCallbackRoutes, [])
  }
}

function checkSubscribers(story: Story, plot: Plot, oracle: Oracle): void {
  for (const [i, { zone: z, type, stream }] of plot.subscribers.entries()) {
    const exposed = exposureZone(plot, type)
    const open = oracle.isReady(exposed) && oracle.isReady(z) && oracle.may(exposed, z)
    const served = open && (stream || oracle.ingress(exposed, z) !== '')
    const ref = subscriptionRef(appOf(i), type)
    assert.equal(
      story.ready(EventSubscription, ref) === 'True',
      served,
      `${ref.name} in ${z}: ${story.condition(EventSubscription, ref, 'Ready').message}`,
    )
    const callback = story.find(Subscriber, ref)?.spec.delivery.callback
    assert.equal(
      callback,
      served && !stream ? `${oracle.ingress(exposed, z)}?callback=${encodeURIComponent(CALLBACK)}` : undefined,
    )
    // §3: no Subscriber survives a mesh denial.
    if (!stream && !oracle.may(exposed, z)) assert.equal(story.find(Subscriber, ref), undefined)
  }
}

/** What holds in every world, whatever the rules say in detail. */
function checkJourneys(story: Story, plot: Plot, oracle: Oracle): void {
  const links = (z: string) => story.get(Zone, zoneRef(z)).status?.links
  const issuers: Issuers = {
    normal: (z) => links(z)?.gatewayIssuer ?? '',
    lms: (z) => links(z)?.gatewayLmsIssuer ?? '',
  }
  const all = oracle.sites.flatMap((s) => [issuers.normal(s.zone), issuers.lms(s.zone)])
  assert.equal(new Set(all).size, all.length, 'issuers are distinct')
  const routes = story.eventRoutes()
  for (const r of routes)
    assert.ok((r.spec.security?.trustedIssuers ?? []).length > 0, `${r.metadata.name} trusts someone`)

  for (const { zone: z, clientId } of oracle.sites.filter((s) => oracle.isReady(s.zone))) {
    const backend = oracle.backend(z)
    const somebody = { issuer: issuers.normal(z), consumer: 'anyone' }
    const { publishUrl = '', voyagerUrl, proxyVoyagerUrls = {} } = story.get(EventConfig, configRef(z)).status ?? {}
    const published = travel(routes, publishUrl, somebody, issuers)
    assert.deepEqual(
      published.type === 'arrived' && published.at,
      `https://${backend}.backend.example/publish`,
      JSON.stringify(published),
    )
    for (const [t, url] of [[backend, voyagerUrl] as const, ...Object.entries(proxyVoyagerUrls)]) {
      if (url === undefined) continue
      const replayed = travel(routes, url, somebody, issuers)
      assert.deepEqual(
        replayed.type === 'arrived' && replayed.at,
        `https://${t}.backend.example/voyager`,
        JSON.stringify(replayed),
      )
    }
    const own = oracle.url(z, `/eventbackend-${z}/callback/v1?callback=x`)
    const stranger = travel(routes, own, { issuer: issuers.normal(z), consumer: `not-${clientId}` }, issuers)
    assert.equal(stranger.type, 'refused')
  }
  checkDeliveries(story, plot, oracle, issuers)
}

function checkDeliveries(story: Story, plot: Plot, oracle: Oracle, issuers: Issuers): void {
  const routes = story.eventRoutes()
  for (const [i, { zone: z, type, stream }] of plot.subscribers.entries()) {
    const ref = subscriptionRef(appOf(i), type)
    const backend = oracle.backend(exposureZone(plot, type))
    if (story.ready(EventSubscription, ref) !== 'True') continue
    if (stream) {
      const url = story.get(EventSubscription, ref).status?.url ?? ''
      const read = travel(routes, url, { issuer: issuers.normal(z), consumer: 'anyone' }, issuers)
      assert.deepEqual(
        read.type === 'arrived' && read.at,
        `https://${backend}.backend.example/sse`,
        JSON.stringify(read),
      )
      continue
    }
    const callback = story.get(Subscriber, ref).spec.delivery.callback ?? ''
    const token = { issuer: issuers.normal(backend), consumer: oracle.site(backend).clientId }
    const journey = travel(routes, callback, token, issuers)
    assert.ok(journey.type === 'arrived', JSON.stringify(journey))
    assert.equal(journey.at, CALLBACK)
    assert.deepEqual(journey.hops, z === backend ? [`${z} PRIMARY`] : [`${backend} PROXY`, `${z} PRIMARY`])
    // §5.2.4: only the backend's own client enters there.
    const impostor = { issuer: issuers.normal(backend), consumer: `${token.consumer}-not` }
    assert.equal(travel(routes, callback, impostor, issuers).type, 'refused')
  }
}

function check(story: Story, plot: Plot): void {
  const oracle = new Oracle(plot.sites)
  assert.deepEqual(
    shownRoutes(story, (z) => oracle.isReady(z)),
    expectedRoutes(plot, oracle),
  )
  checkConfigs(story, oracle)
  checkSubscribers(story, plot, oracle)
  checkJourneys(story, plot, oracle)
}

describe('worlds made at random', () => {
  it('are what the specification says, and every advertised address leads where it should', async () => {
    await always(
      fc.asyncProperty(plots, fc.infiniteStream(fc.nat()), async (plot, random) => {
        const order = draftsOf(plot).map((draft) => ({ draft, rank: random.next().value as number }))
        const story = await Story.of(order.toSorted((a, b) => a.rank - b.rank).map(({ draft }) => draft))
        try {
          check(story, plot)
        } finally {
          await story.end()
        }
      }),
      { numRuns: RUNS },
    )
  })

  it('become what they would have been from the start, whatever they were before', async () => {
    await always(
      fc.asyncProperty(fc.tuple(plots, plots), async ([former, latter]) => {
        const story = await Story.of(draftsOf(former))
        try {
          await story.apply(...draftsOf(latter))
          const gone = former.sites.filter((s) => !latter.sites.some((l) => l.zone === s.zone))
          for (const s of gone) await story.delete(EventConfig, configRef(s.zone))
          for (const [i, s] of former.subscribers.entries()) {
            const same = latter.subscribers[i]?.type === s.type
            if (!same) await story.delete(EventSubscription, subscriptionRef(appOf(i), s.type))
          }
          const oracle = new Oracle(latter.sites)
          const isThere = (z: string): boolean => latter.sites.some((s) => s.zone === z)
          // Streams of what is blocked now stay as they were: ignorance never deletes.
          const settled = (lines: readonly string[]): readonly string[] =>
            lines.filter((line) => !line.includes(' sse--'))
          assert.deepEqual(
            settled(shownRoutes(story, (z) => isThere(z) && oracle.isReady(z))),
            settled(expectedRoutes(latter, oracle)),
          )
          checkConfigs(story, oracle)
          checkJourneys(story, latter, oracle)
        } finally {
          await story.end()
        }
      }),
      { numRuns: Math.ceil(RUNS / 2) },
    )
  })
})
