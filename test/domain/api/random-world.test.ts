import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { isStatus } from '#domain/errors.ts'
import type { Kind } from '#domain/kind.ts'
import { Zone } from '#domain/kinds/admin/zone.ts'
import { ApiExposure } from '#domain/kinds/api/api-exposure.ts'
import { ApiSubscription } from '#domain/kinds/api/api-subscription.ts'
import { Application } from '#domain/kinds/application/application.ts'
import { Approval } from '#domain/kinds/approval/approval.ts'
import { ApprovalRequest } from '#domain/kinds/approval/approval-request.ts'
import { ConsumeRoute } from '#domain/kinds/gateway/consume-route.ts'
import { Route } from '#domain/kinds/gateway/route.ts'
import { ApiSpecification } from '#domain/kinds/rover/api-specification.ts'
import type { Resource } from '#domain/object.ts'
import { always } from '#test/support/property.ts'
import { Oracle } from './oracle.ts'
import { Town, zoneRef } from './town.ts'

const TEAMS = ['poc--eni--hyperion', 'poc--eni--pandora', 'poc--eni--titan']
const ZONES = ['z1', 'z2', 'z3', 'w1']
/** Two spellings of one name, another API, and one that is reserved. */
const PATHS = ['/eni/a/v1', '/Eni/a/v1', '/eni/b/v1', '/sse//b']

/** Few enough to meet: most stories are about two teams and two APIs. */
const team = fc.constantFrom(...TEAMS.slice(0, 2), ...TEAMS)
const zone = fc.constantFrom(...ZONES)
const path = fc.constantFrom('/eni/a/v1', '/eni/a/v1', '/eni/b/v1', '/eni/b/v1', ...PATHS)
const slug = (p: string): string => p.replaceAll('/', '-').toLowerCase().replace(/^-+/, '')

/** Prints as its text, so that a counterexample reads as a story. */
interface Step {
  readonly run: (town: Town) => Promise<void>
  readonly [fc.toStringMethod]: () => string
}
const step = (text: string, run: Step['run']): Step => ({ run, [fc.toStringMethod]: () => `\n  ${text}` })

const remove = (kind: Kind, namespace: string, name: string): Step =>
  step(`delete ${kind.kind} ${namespace}/${name}`, (town) => town.delete(kind, namespace, name))

const register = fc.tuple(team, path).map(([t, p]) =>
  step(`${t} registers ${p}`, (town) => {
    const spec = { basepath: p, version: '1.0.0', hash: 'x', specification: 'f' }
    return town.put(ApiSpecification, t, slug(p), spec)
  }),
)
const expose = fc
  .record({
    t: team,
    p: path,
    z: zone,
    visibility: fc.constantFrom('World', 'Zone', 'Enterprise'),
    strategy: fc.constantFrom('Auto', 'Simple'),
    standIn: fc.option(zone),
  })
  .map(({ t, p, z, visibility, strategy, standIn }) => {
    const zones = standIn === null || standIn === z ? [] : [zoneRef(standIn)]
    const text = `${t} exposes ${p} in ${z} (${visibility}, ${strategy}, stands in: ${zones.map((s) => s.name).join()})`
    return step(text, (town) =>
      town.put(ApiExposure, t, `app--${slug(p)}`, {
        apiBasePath: p,
        upstreams: [{ url: `https://${t}.example.com` }],
        visibility,
        approval: { strategy },
        zone: zoneRef(z),
        provider: { name: 'app', namespace: t },
        traffic: { failover: { zones } },
      }),
    )
  })
const subscribe = fc
  .record({ t: team, p: path, z: zone, failover: fc.subarray(ZONES, { maxLength: 2 }), at: fc.nat(1) })
  .map(({ t, p, z, failover, at }) =>
    step(`${t}/sub${at} subscribes ${p} in ${z} (fails over: ${failover.join()})`, (town) =>
      town.put(ApiSubscription, t, `sub${at}`, {
        apiBasePath: p,
        zone: zoneRef(z),
        requestor: { application: { name: 'app', namespace: t } },
        traffic: failover.length === 0 ? {} : { failover: { zone: failover.map(zoneRef) } },
      }),
    ),
  )
const drop = fc.oneof(
  fc.tuple(team, path).map(([t, p]) => remove(ApiSpecification, t, slug(p))),
  fc.tuple(team, path).map(([t, p]) => remove(ApiExposure, t, `app--${slug(p)}`)),
  fc.tuple(team, fc.nat(1)).map(([t, at]) => remove(ApiSubscription, t, `sub${at}`)),
)
const move = fc.oneof(
  fc
    .tuple(team, zone)
    .map(([t, z]) => step(`the application of ${t} moves to ${z}`, (town) => town.application('app', t, z))),
  fc
    .tuple(zone, fc.constantFrom('World', 'Enterprise'))
    .map(([z, visibility]) => step(`${z} is for the ${visibility}`, (town) => town.zone(z, { visibility }))),
)
/** Gone for a while, and then again as it was. */
const detour = fc
  .oneof(
    team.map((t) => ({ kind: Application, namespace: t, name: 'app' })),
    zone.map((z) => ({ kind: Zone, namespace: 'poc', name: z })),
  )
  .map(({ kind, namespace, name }) =>
    step(`${kind.kind} ${namespace}/${name} goes and comes back`, async (town) => {
      const { secret: _reference, ...spec } = town.get<Kind>(kind, namespace, name).spec as Record<string, unknown>
      await town.delete(kind, namespace, name)
      invariants(await town.garden.resources())
      await town.put(kind, namespace, name, spec)
    }),
  )
const decide = fc
  .tuple(
    fc.constantFrom<Kind>(Approval, ApprovalRequest),
    fc.nat(20),
    fc.constantFrom('Granted', 'Rejected', 'Suspended'),
  )
  .map(([kind, at, state]) => step(`${kind.kind} no. ${at} becomes ${state}`, (town) => decided(town, kind, at, state)))

async function decided(town: Town, kind: Kind, at: number, state: string): Promise<void> {
  const all = await town.all(kind)
  const chosen = all[at % Math.max(all.length, 1)] as Resource<any> | undefined
  if (chosen === undefined) return
  const { apiVersion, metadata, spec } = chosen
  const value = { apiVersion, kind: kind.kind, metadata, spec: { ...spec, state } }
  const key = { namespace: metadata.namespace ?? '', name: metadata.name }
  const user = { name: 'ann', email: 'ann@example.com', groups: [] }
  await town.garden.registry.update(kind, key, { value, duplicates: [] }, { user }).catch((error: unknown) => {
    if (!isStatus(error, 'Invalid')) throw error
  })
  await town.settle()
}

const steps = fc.array(
  fc.oneof(
    { weight: 3, arbitrary: register },
    { weight: 4, arbitrary: expose },
    { weight: 5, arbitrary: subscribe },
    drop,
    { weight: 2, arbitrary: decide },
    { weight: 2, arbitrary: move },
    { weight: 2, arbitrary: detour },
  ),
  { minLength: 10, maxLength: 30, size: 'max' },
)

/** Two APIs of two teams, each with a subscriber of the other one: where most of the stories begin. */
async function begin(town: Town): Promise<void> {
  for (const [i, p] of ['/eni/a/v1', '/eni/b/v1'].entries()) {
    const [owner = '', caller = ''] = i === 0 ? TEAMS : TEAMS.slice(0, 2).toReversed()
    town.garden.clock.advance(1000)
    await town.put(ApiSpecification, owner, slug(p), { basepath: p, version: '1.0.0', hash: 'x', specification: 'f' })
    await town.put(ApiExposure, owner, `app--${slug(p)}`, {
      apiBasePath: p,
      upstreams: [{ url: `https://${owner}.example.com` }],
      visibility: 'World',
      approval: { strategy: 'Auto' },
      zone: zoneRef('z1'),
      provider: { name: 'app', namespace: owner },
    })
    await town.put(ApiSubscription, caller, `sub${i}`, {
      apiBasePath: p,
      zone: zoneRef('z2'),
      requestor: { application: { name: 'app', namespace: caller } },
      traffic: { failover: { zone: [zoneRef('z3')] } },
    })
  }
}

const issuerZone = (issuer: string): string | undefined => /^https:\/\/gw\.(\w+)\.example\.com/.exec(issuer)?.[1]

function routeText(route: Resource<any>): string {
  const { type, paths, security } = route.spec
  const base = `${route.metadata.namespace}/${route.metadata.name} ${type} ${paths[0]}`
  if (type !== 'PRIMARY') return base
  const trust = (security.trustedIssuers as string[]).flatMap((issuer) => issuerZone(issuer) ?? []).toSorted()
  return [base, ...trust.map((z) => `trusts ${z}`)].join(' ')
}

const nameText = ({ metadata }: Resource): string => `${metadata.namespace}/${metadata.name}`

const permissionText = ({ metadata, spec }: Resource<any>): string =>
  `${metadata.namespace}/${metadata.name} → ${spec.route.namespace}/${spec.route.name} ${spec.consumerName}`

/** At the beginning nothing is new. */
const EVERYTHING = { has: () => true }

async function compare(town: Town, before: { has(text: string): boolean }): Promise<ReadonlySet<string>> {
  const resources = await town.garden.resources()
  const permissions = resources.filter((r) => r.kind === ConsumeRoute.kind)
  const expected = new Oracle(resources).expected(permissions)
  const routes = resources.filter(
    (r) => r.kind === Route.kind && r.metadata.labels?.['cp.ei.vendor.de/domain'] === 'api',
  )
  const exact = routes.filter((r) => !expected.misspelt.has(r.metadata.name))
  assert.deepEqual(exact.map(routeText).toSorted(), expected.routes)
  for (const route of routes)
    if (expected.misspelt.has(route.metadata.name)) assert.ok(before.has(nameText(route)), `${nameText(route)} is new`)
  const ownerOf = (r: Resource): string => `${r.metadata.namespace}/${r.metadata.ownerReferences?.[0]?.name}`
  const kept = permissions.filter((p) => expected.waiting.has(ownerOf(p))).map(permissionText)
  const served = permissions.filter((p) => !expected.waiting.has(ownerOf(p))).map(permissionText)
  assert.deepEqual(served.toSorted(), expected.permissions)
  for (const text of kept) assert.ok(before.has(text), `${text} is new, and its subscription waits`)
  invariants(resources)
  return new Set([...kept, ...served, ...routes.map(nameText)])
}

/** Whatever is missing. */
function invariants(resources: readonly Resource[]): void {
  const permissions = resources.filter((r): r is Resource<any> => r.kind === ConsumeRoute.kind)
  const names = new Set(resources.map((r) => `${r.kind} ${r.metadata.namespace}/${r.metadata.name}`))
  const routes = new Map(resources.filter((r) => r.kind === Route.kind).map((r) => [nameText(r), r]))
  for (const permission of permissions) {
    const { route } = permission.spec
    assert.ok(names.has(`Route ${route.namespace}/${route.name}`), `${permissionText(permission)} leads nowhere`)
    const approval = resources.find(
      (r) =>
        r.kind === Approval.kind &&
        r.metadata.namespace === permission.metadata.namespace &&
        r.metadata.name === `apisubscription--${permission.metadata.ownerReferences?.[0]?.name}`,
    ) as Resource<any> | undefined
    assert.equal(approval?.spec.state, 'Granted', `${permissionText(permission)} without a grant`)
    const owner = routes.get(`${route.namespace}/${route.name}`)?.metadata.annotations?.['cp.ei.vendor.de/owner'] ?? ''
    const provider = owner.split('/').at(-2)?.split('--').slice(1).join('--')
    assert.equal(approval?.spec.decider.teamName, provider, `${permissionText(permission)} by a grant of another team`)
  }
  const used = resources.filter((r): r is Resource<any> => r.kind === Route.kind)
  const addresses = used.flatMap((r) =>
    (r.spec.hostnames as string[]).flatMap((host) =>
      (r.spec.paths as string[]).map((p) => `${r.metadata.namespace} ${host}${p}`),
    ),
  )
  assert.equal(new Set(addresses).size, addresses.length, 'two routes answer on one address')
}

test('whatever is registered, exposed, subscribed, decided and moved: routes and permissions are what the specs say', async () => {
  await always(
    fc.asyncProperty(steps, fc.nat(3), async (story, empty) => {
      const town = new Town()
      try {
        for (const name of ['z1', 'z2', 'z3']) await town.zone(name)
        await town.zone('w1', { visibility: 'World' })
        for (const t of TEAMS) await town.application('app', t, 'z1')
        if (empty !== 0) await begin(town)
        let last = await compare(town, EVERYTHING)
        for (const { run } of story) {
          town.garden.clock.advance(1000)
          await run(town)
          await town.settle()
          last = await compare(town, last)
        }
      } finally {
        await town.close()
      }
    }),
    { numRuns: 12 },
  )
})
