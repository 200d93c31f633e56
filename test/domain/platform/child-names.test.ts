import assert from 'node:assert/strict'
import { afterEach, beforeEach, test } from 'node:test'
import type { Kind } from '#domain/kind.ts'
import { Zone } from '#domain/kinds/admin/zone.ts'
import { ApiSubscription } from '#domain/kinds/api/api-subscription.ts'
import { Application } from '#domain/kinds/application/application.ts'
import { Approval } from '#domain/kinds/approval/approval.ts'
import { ApprovalRequest } from '#domain/kinds/approval/approval-request.ts'
import { EventConfig } from '#domain/kinds/event/event-config.ts'
import { Route } from '#domain/kinds/gateway/route.ts'
import { Notification } from '#domain/kinds/notification/notification.ts'
import { Team } from '#domain/kinds/organization/team.ts'
import { Rover } from '#domain/kinds/rover/rover.ts'
import { isNamespaceName, isResourceName, labelValue, normalize } from '#domain/names.ts'
import { PANDORA, Town, zoneRef } from '#test/domain/api/town.ts'

/** Texts people may write where a name is made from them, and which are none. */
const HOSTILE = ['Möbel & Co', 'a!', '...', '🚂', '__proto__', 'constructor', '-', ' ', 'x'.repeat(400), 'İ'.repeat(60)]

let town: Town
beforeEach(() => {
  town = new Town()
})
afterEach(() => town.close())

/** What a planner cannot provision it says; only what may pass by itself is tried again. */
async function assertSaid(kind: Kind, namespace: string, name: string, said: RegExp): Promise<void> {
  const { garden } = town
  assert.match(town.message(kind, namespace, name), said)
  assert.equal(town.condition(kind, namespace, name), 'False/ValidationFailed')
  await garden.advance(10_000)
  garden.runs.clear()
  await garden.advance(1_000_000)
  assert.deepEqual(
    [...garden.runs.keys()].filter((key) => key.endsWith(name)),
    [],
  )
}

const managed = (...names: readonly string[]): object => ({
  routes: names.map((name, i) => ({ name, path: `/m${i}`, url: 'https://up.example.com', type: 'Proxy' })),
})
async function zoneWith(managedRoutes: object): Promise<void> {
  await town.zone('z1')
  const { spec } = town.get(Zone, 'poc', 'z1')
  await town.put(Zone, 'poc', 'z1', { ...spec, managedRoutes })
}

test('any text becomes a legal label, and different texts different ones', () => {
  const texts = [...HOSTILE, '🚂🚂', 'a?', '.', 'x'.repeat(401), 'Möbel + Co']
  const labels = texts.map(labelValue)
  for (const value of labels) assert.match(value, /^([a-z0-9]([-a-z0-9.]{0,61}[a-z0-9])?)?$/, value)
  const empty = texts.filter((text) => normalize(text) === '').length
  assert.equal(new Set(labels).size, texts.length - empty + 1)
})

test('what the server takes as a name and as a namespace', () => {
  for (const name of ['a', 'a.b', 'a--b', '0', 'x'.repeat(253)]) assert.ok(isResourceName(name), name)
  for (const name of ['', '-a', 'a-', 'a..b', '.a', 'A', 'a_b', 'x'.repeat(254)]) assert.ok(!isResourceName(name), name)
  assert.ok(isNamespaceName('x'.repeat(63)) && !isNamespaceName('x'.repeat(64)) && !isNamespaceName('a.b'))
})

test('a long run of separators is worked off in one go', () => {
  assert.equal(normalize(`a${'/'.repeat(1_000_000)}b${'/'.repeat(1_000_000)}`).length, 1_000_002)
})

test('Zone: the name of a managed route that is no name is made one', async () => {
  await zoneWith(managed('Team API', 'plain'))
  assert.equal(town.condition(Zone, 'poc', 'z1'), 'True/Provisioned')
  assert.ok(town.find(Route, 'poc--z1', 'gateway--team-api') && town.find(Route, 'poc--z1', 'gateway--plain'))
})

test('Zone: a managed route whose name cannot become one is named, and nothing is tried again', async () => {
  for (const name of ['Möbel & Co', '...', '🚂', '-', ' ']) {
    await zoneWith(managed('fine', name))
    await assertSaid(Zone, 'poc', 'z1', /^".*" in spec\.managedRoutes\.routes\[1\]\.name makes no name/)
  }
})

test('Zone: two managed routes, or one and a route of the issuer, do not fight over a name', async () => {
  await zoneWith(managed('Team API', 'team-api'))
  await assertSaid(Zone, 'poc', 'z1', /^"team-api" in spec\.managedRoutes\.routes\[1\]\.name .* as "Team API"/)
  await zoneWith(managed('poc--issuer'))
  await assertSaid(Zone, 'poc', 'z1', /^"poc--issuer" in .*routes\[0\]\.name .* a route of the gateway's issuer/)
})

test('Zone and Team: what has no room for its namespace says so', async () => {
  const name = 'z'.repeat(60)
  await town.zone(name)
  await assertSaid(Zone, 'poc', name, /more than 63 characters; give the zone a shorter name/)
  const group = 'g'.repeat(40)
  const team = { group, name: 't'.repeat(40), email: 't@example.com' }
  await town.put(Team, 'poc', `${group}--${team.name}`, team)
  await assertSaid(Team, 'poc', `${group}--${team.name}`, /is no namespace; give the team a shorter name/)
})

test('Zone: a label that names no environment is named', async () => {
  await town.zone('z1')
  const { spec } = town.get(Zone, 'poc', 'z1')
  const metadata = { labels: { 'cp.ei.vendor.de/environment': 'Pre_Prod' } }
  await town.garden.put(Zone, 'z2', spec, { namespace: 'poc', metadata })
  await town.settle()
  await assertSaid(Zone, 'poc', 'z2', /correct the label cp\.ei\.vendor\.de\/environment/)
})

test('Rover: whatever the zone is called, its children are accepted and say that there is none', async () => {
  for (const zone of HOSTILE.filter((text) => text.length <= 63)) {
    await town.put(Rover, PANDORA, 'web', { zone, subscriptions: [{ api: { basePath: '/eni/foo/v1' } }] })
    assert.equal(town.condition(Rover, PANDORA, 'web'), 'False/SubResourceNotReady', zone)
    assert.match(town.message(Application, PANDORA, 'web'), /does not exist/)
    assert.ok(town.find(ApiSubscription, PANDORA, 'web--eni-foo-v1'))
  }
})

test('Rover: an entry that makes no name is left out, and the text to change is named', async () => {
  await town.zone('z2')
  for (const [api, said] of [
    [{ basePath: '/eni/föö/v1' }, /^"\/eni\/föö\/v1" in spec\.subscriptions\[0\]\.api makes no name/],
    [
      { basePath: '/eni/foo/v1', organization: 'Möbel & Co' },
      /^"Möbel & Co" in spec\.subscriptions\[0\]\.api makes no name/,
    ],
  ] as const) {
    await town.put(Rover, PANDORA, 'web', {
      zone: 'z2',
      subscriptions: [{ api }, { api: { basePath: '/eni/bar/v1' } }],
    })
    await assertSaid(Rover, PANDORA, 'web', said)
    assert.ok(town.find(ApiSubscription, PANDORA, 'web--eni-bar-v1'), 'the others are made')
  }
})

/** Made by the platform alone, but from what others have written. */
async function request(name: string, more: object): Promise<void> {
  const spec = {
    action: 'subscribe',
    target: { kind: 'Ticket', name: 'concert', namespace: PANDORA },
    requester: { teamName: 'eni--pandora', teamEmail: 'p@example.com', reason: '' },
    decider: { teamName: 'eni--hyperion' },
    strategy: 'Simple',
    state: 'Pending',
    ...more,
  }
  await town.garden.source.create(ApprovalRequest, { metadata: { name, namespace: PANDORA }, spec: spec as never })
  await town.settle()
}

test('ApprovalRequest: a target that cannot exist is named and grants nothing', async () => {
  for (const name of ['Möbel & Co', '...', '🚂', 'A!']) {
    await request('r1', { target: { kind: 'Ticket', name, namespace: PANDORA } })
    await assertSaid(ApprovalRequest, PANDORA, 'r1', /^spec\.target names Ticket ".*", which no object can be called/)
    await town.delete(ApprovalRequest, PANDORA, 'r1')
  }
  assert.deepEqual(await town.all(Approval), [])
})

test('ApprovalRequest and Notification: any team and any action are accepted in what is made of them', async () => {
  const team = { group: 'eni', name: 'hyperion', email: 'h@example.com' }
  await town.put(Team, 'poc', 'eni--hyperion', team)
  for (const [i, text] of HOSTILE.entries()) {
    const requester = { teamName: text, teamEmail: 'p@example.com', reason: text }
    await request(`r${i}`, {
      action: text.slice(0, 63),
      requester,
      target: { kind: 'Ticket', name: `t${i}`, namespace: PANDORA },
    })
    assert.equal(town.condition(ApprovalRequest, PANDORA, `r${i}`), 'False/Pending', text)
    const { purpose } = town.get(Notification, PANDORA, `r${i}--pending-0--decider`).spec
    assert.ok(isResourceName(`${purpose}--mail`), `a template can be named after ${purpose}`)
    await town.decide(ApprovalRequest, `r${i}`, 'Granted')
    assert.equal(town.condition(ApprovalRequest, PANDORA, `r${i}`), 'True/Granted', text)
    assert.ok(town.find(Approval, PANDORA, `ticket--t${i}`), text)
  }
})

test('EventConfig: a client id that makes no name is named', async () => {
  await town.zone('z1')
  const local = {
    admin: { url: 'https://c.example' },
    publishEventUrl: 'https://p.example',
    serverSendEventUrl: 'https://s.example',
  }
  const put = (more: object): Promise<void> =>
    town.put(EventConfig, 'poc--z1', 'poc', { zone: zoneRef('z1'), local, ...more })
  await put({ mesh: { fullMesh: true, client: { clientId: 'Möbel & Co' } } })
  await assertSaid(EventConfig, 'poc--z1', 'poc', /"Möbel & Co" makes no name: .* in spec\.mesh\.client\.clientId/)
  await put({ mesh: { fullMesh: true, client: { clientId: 'a\nb' } } })
  await assertSaid(EventConfig, 'poc--z1', 'poc', /^The client id "a\\nb" makes no name/)
  await put({ local: { ...local, admin: { ...local.admin, client: { clientId: '...' } } } })
  await assertSaid(EventConfig, 'poc--z1', 'poc', /"\.\.\." makes no name: .* in spec\.local\.admin\.client\.clientId/)
})
