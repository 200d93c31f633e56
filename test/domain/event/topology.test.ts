import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { effectiveCallback, ingressFor, projectIngress } from '#domain/topology/callback.ts'
import { meshOf, supports, type Member, type Mesh } from '#domain/topology/mesh.ts'
import {
  callbackReceivers,
  callbackSenders,
  publishSenders,
  replayReceivers,
  replaySenders,
} from '#domain/topology/peers.ts'
import { callbackConsumers, trustedIssuers, trustedIssuersKeeping } from '#domain/topology/trust.ts'

const only = (...zoneNames: string[]): Mesh => meshOf({ fullMesh: false, zoneNames })
const member = (zone: string, rest: Partial<Member> = {}): Member => ({
  zone,
  target: undefined,
  mesh: meshOf(undefined),
  replay: true,
  ...rest,
})

describe('a mesh', () => {
  it('is full when omitted, and when only zone names are given (§2.5)', () => {
    assert.equal(supports(member('a', { mesh: meshOf(undefined) }), 'z'), true)
    assert.equal(supports(member('a', { mesh: meshOf({ zoneNames: ['b'] }) }), 'z'), true)
  })
  it('that is not full allows the named zones and its own', () => {
    const config = member('a', { mesh: only('b') })
    assert.deepEqual(
      ['a', 'b', 'c'].map((zone) => supports(config, zone)),
      [true, true, false],
    )
    assert.equal(supports(member('a', { mesh: only() }), 'b'), false)
  })
  it('ignores the names when it is full', () => {
    assert.equal(supports(member('a', { mesh: meshOf({ fullMesh: true, zoneNames: ['b'] }) }), 'c'), true)
  })
})

describe('a proxy EventConfig projects the URLs of its backend', () => {
  const zones = ['backend', 'excluded', 'exposure', 'subscriber']
  type Row = [proxy: Mesh, backend: Mesh, map: Record<string, string>, own: string, others: Record<string, string>]
  const full = meshOf(undefined)
  const rows: readonly Row[] = [
    [
      only('backend', 'subscriber'),
      only('exposure', 'subscriber'),
      { exposure: 'X', subscriber: 'Y', excluded: 'W' },
      'X',
      { backend: 'P', subscriber: 'Y' },
    ],
    [only('subscriber'), only('exposure'), { exposure: 'X', subscriber: 'Y' }, 'X', {}],
    [only('subscriber'), full, { exposure: '', subscriber: '' }, '', {}],
    [only('backend'), only('subscriber'), { exposure: 'stale' }, '', { backend: 'P' }],
    [full, full, { exposure: 'X', subscriber: 'Y' }, 'X', { backend: 'P', subscriber: 'Y' }],
    [
      meshOf({ fullMesh: true }),
      meshOf({ fullMesh: true }),
      { exposure: 'X', subscriber: 'Y' },
      'X',
      { backend: 'P', subscriber: 'Y' },
    ],
    [meshOf({ fullMesh: false }), full, { exposure: 'X', subscriber: 'Y' }, 'X', {}],
  ]
  for (const [i, [proxy, backend, map, own, others]] of rows.entries()) {
    it(`vector ${i + 1} of §12.3`, () => {
      const projected = projectIngress({
        proxy: { zone: 'exposure', mesh: proxy },
        backend: { zone: 'backend', mesh: backend },
        ingress: { callbackUrl: 'P', proxyCallbackUrls: map },
        zones,
      })
      assert.deepEqual(projected, { callbackUrl: own, proxyCallbackUrls: others })
    })
  }
})

describe('callbacks', () => {
  it('enter by the same-zone URL or by the entry of the zone, never by another (§6.2.4)', () => {
    const ingress = { callbackUrl: 'own', proxyCallbackUrls: { s: 'to-s' } }
    assert.equal(ingressFor(ingress, true, 'e'), 'own')
    assert.equal(ingressFor(ingress, false, 's'), 'to-s')
    assert.equal(ingressFor(ingress, false, 'x'), '')
    assert.equal(ingressFor(ingress, false, 'constructor'), '')
  })
  it('carry a subscriber URL with query and fragment unchanged (decisions §4.9)', () => {
    const url = 'https://consumer.example/events?a=1&b=2%20c+d#x'
    const callback = effectiveCallback('https://b.gw.example/eventbackend-s/callback/v1', url)
    assert.equal(new URL(callback).searchParams.get('callback'), url)
    assert.ok(callback.startsWith('https://b.gw.example/eventbackend-s/callback/v1?callback=https%3A%2F%2Fconsumer'))
  })
  it('of a subscriber URL that is not well-formed text still make a URL', () => {
    assert.doesNotThrow(() => effectiveCallback('https://b/', 'https://x/\ud800'))
  })
})

describe('peers', () => {
  const members = [
    member('b', { mesh: only('e', 's') }),
    member('e', { target: 'b', mesh: only('s', 'p') }),
    member('p', { target: 'b', mesh: only() }),
    member('s', { mesh: only(), replay: false }),
  ]
  const by = (zone: string): Member => members.find((m) => m.zone === zone) as Member

  it('hand callbacks over where the sending backend may, whatever the other direction says (§5.2.7)', () => {
    assert.deepEqual(callbackSenders('s', members), ['b'])
    assert.deepEqual(callbackSenders('b', members), [])
    assert.deepEqual(callbackReceivers(by('b'), members), ['e', 's'])
    assert.deepEqual(callbackReceivers(by('s'), members), [])
  })
  it('with a proxy EventConfig send no callbacks (§6.2.1)', () => {
    assert.deepEqual(callbackReceivers(by('e'), members), [])
    assert.deepEqual(callbackSenders('p', members), [])
  })
  it('publish to their target without any mesh (§4.1)', () =>
    assert.deepEqual(publishSenders('b', members), ['e', 'p']))
  it('replay from their target and where their mesh allows (§4.3)', () => {
    assert.deepEqual(replaySenders('b', members), ['e', 'p'])
    assert.deepEqual(replaySenders('s', members), ['b', 'e'])
    assert.deepEqual(replayReceivers(by('e'), members), [])
    assert.deepEqual(replayReceivers(member('e', { target: 'b' }), members), ['b'])
  })
})

describe('trust', () => {
  const senders = [
    { zone: 'y', lmsIssuer: 'L(y)' },
    { zone: 'x', lmsIssuer: 'L(x)' },
    { zone: 'u', lmsIssuer: undefined },
  ]
  it('is the own issuer and those of the senders, each once and sorted', () => {
    assert.deepEqual(trustedIssuers('I', [...senders, ...senders]), ['I', 'L(x)', 'L(y)'])
  })
  it('keeps what no known zone accounts for while a sender is unknown (decisions §4.3)', () => {
    const last = ['I', 'L(u)', 'L(gone)', 'L(x)']
    const known = ['L(x)', 'L(y)', 'L(gone)']
    assert.deepEqual(trustedIssuersKeeping({ own: 'I', senders, last, known }), ['I', 'L(u)', 'L(x)', 'L(y)'])
  })
  it('admits `gateway` to a callback route only when a peer sends to it (§5.2.6)', () => {
    assert.deepEqual(callbackConsumers('cb', []), ['cb'])
    assert.deepEqual(callbackConsumers('cb', senders), ['cb', 'gateway'])
  })
})
