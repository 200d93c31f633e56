import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { PresetUrl, ZoneSpec } from '#domain/kinds/admin/zone.ts'
import { issuerBaseOf, linksOfZone } from '#domain/plan/zone-issuers.ts'
import { defaultPreset, gatewayUrl, hasFeature, loopbackHost, presetFor } from '#domain/plan/zone-presets.ts'

const url = (hostname: string, more: Partial<PresetUrl> = {}): PresetUrl => ({
  hostname,
  basePath: '/',
  scheme: 'https',
  ...more,
})
const spec = (urls: readonly PresetUrl[], more: Partial<ZoneSpec> = {}): ZoneSpec => ({
  visibility: 'Enterprise',
  gateway: {
    presets: [
      { name: 'other', urls: [url('other.example.com')], features: [{ name: 'CONSUMERFAILOVER', enabled: true }] },
      { name: 'main', default: true, urls, features: [{ name: 'x', enabled: false }] },
    ],
  },
  ...more,
})
const address = (urls: readonly PresetUrl[]): string | undefined => gatewayUrl(defaultPreset(spec(urls))!)

test('the gateway is advertised at the first URL that is not hidden', () => {
  assert.equal(address([url('a.example', { hidden: true }), url('b.example'), url('c.example')]), 'https://b.example')
  assert.equal(address([url('a.example', { hidden: true })]), undefined)
})

test('a port is printed only where it is not that of the scheme', () => {
  assert.equal(address([url('a.example', { port: 443 })]), 'https://a.example')
  assert.equal(address([url('a.example', { port: 8443, basePath: '/t/' })]), 'https://a.example:8443/t')
  assert.equal(address([url('a.example', { scheme: 'http', port: 443 })]), 'http://a.example:443')
})

test('features are found whatever their case, and only when they are on', () => {
  assert.equal(presetFor(spec([]), 'ConsumerFailover')?.name, 'other')
  assert.equal(presetFor(spec([]), 'x'), undefined)
  assert.ok(hasFeature({ features: [{ name: 'RateLimiting', enabled: true }] }, 'ratelimiting'))
  assert.ok(!hasFeature({}, 'ratelimiting'))
})

test('a loopback host is found in any preset, hidden or not', () => {
  assert.equal(loopbackHost(spec([url('a.example')])), undefined)
  assert.equal(loopbackHost(spec([url('a.example'), url('127.0.0.2', { hidden: true })])), '127.0.0.2')
})

test('issuers of one zone are pairwise distinct, and carry the prefix of the gateway (§5.2.1)', () => {
  const open = spec([url('gw.example', { basePath: '/t' })], { visibility: 'World' })
  const issuerBase = issuerBaseOf({ issuerBase: 'https://issuer.example/' }, 'z1', open)
  const links = linksOfZone(open, { gatewayUrl: 'https://gw.example/t', issuerBase, realmName: 'poc' })
  assert.equal(links.gatewayIssuer, 'https://issuer.example/zones/z1/auth/realms/poc')
  assert.equal(links.gatewayLmsIssuer, 'https://gw.example/t/spacegate/auth/realms/poc')
  const issuers = [links.gatewayIssuer, links.gatewayLmsIssuer, links.internalIssuer]
  assert.equal(new Set(issuers).size, 3)
})
