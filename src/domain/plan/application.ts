import { environmentOf, keyOf, teamOf } from '#domain/environment.ts'
import type { ApplicationSpec, ApplicationStatus } from '#domain/kinds/application/application.ts'
import { Zone } from '#domain/kinds/admin/zone.ts'
import { Consumer } from '#domain/kinds/gateway/consumer.ts'
import { Client } from '#domain/kinds/identity/client.ts'
import { labelValue, zoneClientName } from '#domain/names.ts'
import { byNamespaceAndName, label, refTo, sameRef, type ObjectRef } from '#domain/object.ts'
import {
  previousSecret,
  rotationStatus,
  rotationVerdict,
  secretDeadline,
  type Previous,
} from './application-rotation.ts'
import { rotationNotices } from './application-notices.ts'
import { zoneAccess, zonesOfUse, type ZoneAccess } from './application-zones.ts'
import { leadsTo } from './of-environment.ts'
import { child, childRef, provisioned, waiting, type Child, type ChildRef, type Planner } from './plan.ts'
import type { View, World } from './world.ts'

type Self = View<ApplicationSpec, ApplicationStatus>

/** A zone the application calls. Its own zone and its failover zones decide about its readiness (decisions §8.2). */
interface Called {
  readonly zone: ObjectRef
  readonly access: ZoneAccess
  readonly role: 'own' | 'failover' | 'use'
}

/** A Client and a Consumer in every zone the application calls (decisions §7.3). */
export const planApplication: Planner<ApplicationSpec, ApplicationStatus> = (self, world) => {
  const clientId = `${self.spec.team}--${self.name}`
  const environment = environmentOf(self.namespace, self.labels)
  const called = zonesCalled(self, world, environment)
  const own = world.derive(zoneAccess, environment, self.spec.zone.namespace, self.spec.zone.name)
  const previous = previousSecret(self.spec, own, world)
  const deadline = secretDeadline(self, own)
  const wrong = strangeTeam(self)
  if (wrong !== undefined) return waiting('ValidationFailed', wrong, { status: { clientId } })

  const served = called.filter(isFirstOfName).flatMap((c) => provision(self, c, clientId, previous))
  const parts = {
    children: [...served, ...rotationNotices(self, world, { previous, deadline, thresholds: own.thresholds })],
    keep: called.flatMap((c) => kept(self, c, clientId)),
    status: {
      clientId,
      ...(self.spec.needsClient ? rotationStatus(self.spec, previous, deadline) : {}),
      clients: refsOf(served, Client.kind),
      consumers: refsOf(served, Consumer.kind),
    },
    conditions: rotationVerdict(self.spec, ownClient(self, clientId), world),
  }
  const [lacking] = called.flatMap((c) => (c.role === 'use' ? [] : (lack(self.spec, c, environment) ?? [])))
  return lacking === undefined ? provisioned(parts) : waiting('PreconditionNotMet', lacking, parts)
}

const ownClient = (self: Self, clientId: string): ObjectRef => ({
  name: zoneClientName(clientId, self.spec.zone.name),
  namespace: self.namespace,
})

/** In a team's namespace only that team owns applications: its name opens what others trust it with. */
function strangeTeam(self: Self): string | undefined {
  const team = teamOf(self.namespace)
  if (team === undefined || self.spec.team === `${team.group}--${team.team}`) return undefined
  return `Namespace ${self.namespace} belongs to team ${team.group}--${team.team}; set team to that, or move the Application`
}

/** A zone of another environment that others name for it is their mistake, and they report it (decisions §8.2). */
function zonesCalled(self: Self, world: World, environment: string): readonly Called[] {
  const own = [{ zone: self.spec.zone, role: 'own' as const }]
  const failover = (self.spec.failoverZones ?? []).map((zone) => ({ zone, role: 'failover' as const }))
  const use = zonesOfUse(world, environment, self).map((zone) => ({ zone, role: 'use' as const }))
  const all = [...own, ...failover, ...use]
  return all
    .filter((c, i) => all.findIndex((other) => sameRef(other.zone, c.zone)) === i)
    .map(({ zone, role }) => {
      const access = world.derive(zoneAccess, environment, zone.namespace, zone.name)
      return { zone: refTo(zone), role, access }
    })
    .filter(({ role, access }) => role !== 'use' || access.elsewhere === undefined)
}

const isServing = ({ access }: Called): boolean => access.realm !== undefined || access.gateway !== undefined

/** What it has in a zone is named after the zone, so of two with one name only the first counts. */
const isFirstOfName = (called: Called, i: number, all: readonly Called[]): boolean =>
  isServing(called) && all.findIndex((other) => isServing(other) && other.zone.name === called.zone.name) === i

/** What the zone lacks to serve the application, in words. */
function lack(spec: ApplicationSpec, { zone, access, role }: Called, environment: string): string | undefined {
  const at = keyOf(zone)
  const field = role === 'own' ? 'spec.zone' : 'spec.failoverZones'
  if (access.elsewhere !== undefined) return leadsTo(access.elsewhere, environment, { kind: Zone, ref: zone, field })
  if (!access.exists) return `Zone ${at} does not exist; create it or name another`
  if (spec.needsClient && access.realm === undefined) return `Zone ${at} has no identity realm yet; see its conditions`
  if (spec.needsConsumer && access.gateway === undefined) return `Zone ${at} has no gateway yet; see its conditions`
  return undefined
}

function provision(self: Self, called: Called, clientId: string, previous: Previous | undefined): readonly Child[] {
  const { zone, access, role } = called
  const { spec } = self
  const common = {
    namespace: self.namespace,
    name: zoneClientName(clientId, zone.name),
    labels: labelsOf(self, called),
    needs: role === 'use' ? ('exists' as const) : undefined,
  }
  const rotated = previous && { rotatedClientSecret: previous.secret, rotatedSecretExpiresAt: previous.expiresAt }
  const security = spec.security && { security: spec.security }
  return [
    ...(spec.needsClient && access.realm !== undefined
      ? [
          child(Client, {
            ...common,
            spec: { realm: refTo(access.realm), clientId, clientSecret: spec.secret, ...rotated },
          }),
        ]
      : []),
    ...(spec.needsConsumer && access.gateway !== undefined
      ? [child(Consumer, { ...common, spec: { gateway: refTo(access.gateway), name: clientId, ...security } })]
      : []),
  ]
}

/** What the application has in a zone that is unusable right now stays (decisions §8.16). */
function kept(self: Self, { zone, access }: Called, clientId: string): readonly ChildRef[] {
  const at = { namespace: self.namespace, name: zoneClientName(clientId, zone.name) }
  return [
    ...(self.spec.needsClient && access.realm === undefined ? [childRef(Client, at)] : []),
    ...(self.spec.needsConsumer && access.gateway === undefined ? [childRef(Consumer, at)] : []),
  ]
}

const labelsOf = (self: Self, { zone, role }: Called): Readonly<Record<string, string>> => ({
  [label('application')]: labelValue(self.name),
  [label('team')]: labelValue(self.spec.team),
  [label('zone')]: labelValue(zone.name),
  ...(role === 'failover' ? { [label('failover')]: 'true' } : {}),
})

const refsOf = (children: readonly Child[], kind: string): readonly ObjectRef[] =>
  children
    .filter((c) => c.kind.kind === kind)
    .map(refTo)
    .toSorted(byNamespaceAndName)
