import assert from 'node:assert/strict'
import { Zone } from '#domain/kinds/admin/zone.ts'
import { EventConfig } from '#domain/kinds/event/event-config.ts'
import { EventSubscription } from '#domain/kinds/event/event-subscription.ts'
import { Subscriber } from '#domain/kinds/pubsub/subscriber.ts'
import { CALLBACK, configRef, subscriptionRef, zoneRef } from './drafts.ts'
import { travel, type Issuers } from './gateways.ts'
import { Oracle } from './oracle.ts'
import { appOf, exposureZone, type Plot, TYPES } from './plots.ts'
import { rowOf } from './route-rows.ts'
import type { Story } from './story.ts'

export const shownRoutes = (story: Story, ready: (zone: string) => boolean): readonly string[] =>
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

export function expectedRoutes(plot: Plot, oracle: Oracle): readonly string[] {
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

export function checkConfigs(story: Story, oracle: Oracle): void {
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
export function checkJourneys(story: Story, plot: Plot, oracle: Oracle): void {
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

export function check(story: Story, plot: Plot): void {
  const oracle = new Oracle(plot.sites)
  assert.deepEqual(
    shownRoutes(story, (z) => oracle.isReady(z)),
    expectedRoutes(plot, oracle),
  )
  checkConfigs(story, oracle)
  checkSubscribers(story, plot, oracle)
  checkJourneys(story, plot, oracle)
}
