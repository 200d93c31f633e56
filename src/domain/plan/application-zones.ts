import { environmentOf } from '#domain/environment.ts'
import type { SpecOf, StatusOf } from '#domain/kind.ts'
import { Zone, type Threshold } from '#domain/kinds/admin/zone.ts'
import { ApiExposure } from '#domain/kinds/api/api-exposure.ts'
import { ApiSubscription } from '#domain/kinds/api/api-subscription.ts'
import { EventExposure } from '#domain/kinds/event/event-exposure.ts'
import { EventSubscription } from '#domain/kinds/event/event-subscription.ts'
import { label, type Named, type ObjectRef, type Resource } from '#domain/object.ts'
import { otherEnvironment } from './of-environment.ts'
import { defineAggregate, indexKey, type World } from './world.ts'
import { zoneAt } from './zone-links.ts'
import { gracePeriod } from './zone-identity.ts'

/** Who names an application of another environment does not use it. */
const entry = ({ metadata }: Resource, application: Named, zone: Named) => ({
  key: indexKey(environmentOf(metadata.namespace ?? '', metadata.labels), application.namespace, application.name),
  value: indexKey(zone.namespace, zone.name),
})

const isThere = (o: Resource): boolean => o.metadata.deletionTimestamp === undefined

const zonesOfEventExposures = defineAggregate<SpecOf<typeof EventExposure>, StatusOf<typeof EventExposure>>({
  name: 'applicationZonesOfEventExposures',
  kind: EventExposure,
  entries: (o) => (isThere(o) ? [entry(o, o.spec.provider, o.spec.zone)] : []),
})

const zonesOfEventSubscriptions = defineAggregate<SpecOf<typeof EventSubscription>, StatusOf<typeof EventSubscription>>(
  {
    name: 'applicationZonesOfEventSubscriptions',
    kind: EventSubscription,
    entries: (o) => (isThere(o) ? [entry(o, o.spec.requestor, o.spec.zone)] : []),
  },
)

const zonesOfApiSubscriptions = defineAggregate<SpecOf<typeof ApiSubscription>, StatusOf<typeof ApiSubscription>>({
  name: 'applicationZonesOfApiSubscriptions',
  kind: ApiSubscription,
  entries: (o) => {
    if (!isThere(o) || o.spec === undefined) return []
    const { requestor, zone, traffic } = o.spec
    return [zone, ...(traffic.failover?.zone ?? [])].map((z) => entry(o, requestor.application, z))
  },
})

const zonesOfApiExposures = defineAggregate<SpecOf<typeof ApiExposure>, StatusOf<typeof ApiExposure>>({
  name: 'applicationZonesOfApiExposures',
  kind: ApiExposure,
  entries: (o) => {
    const provider = providerOf(o)
    return isThere(o) && provider !== undefined ? [entry(o, provider, o.spec.zone)] : []
  },
})

/** The providing application: named in the spec, else by the label (platform §3.4.1). */
export function providerOf(o: Resource<SpecOf<typeof ApiExposure>>): Named | undefined {
  if (o.spec.provider !== undefined) return o.spec.provider
  const name = o.metadata.labels?.[label('application')]
  return name === undefined ? undefined : { name, namespace: o.metadata.namespace ?? '' }
}

/** The zones an application calls because of what it exposes and subscribes to (decisions §7.3). */
export function zonesOfUse(world: World, environment: string, application: Named): readonly ObjectRef[] {
  const key = indexKey(environment, application.namespace, application.name)
  const uses = [zonesOfApiExposures, zonesOfApiSubscriptions, zonesOfEventExposures, zonesOfEventSubscriptions]
  const found = new Set(uses.flatMap((aggregate) => world.values(aggregate, key)))
  return [...found].map((value) => {
    const [namespace = '', name = ''] = value.split('|')
    return { name, namespace }
  })
}

/** What an application needs of a zone it calls. */
export interface ZoneAccess {
  readonly exists: boolean
  /** The environment of the zone, where that is another one: then it does not exist here. */
  readonly elsewhere: string | undefined
  readonly realm: ObjectRef | undefined
  readonly gateway: ObjectRef | undefined
  readonly gracePeriod: string | undefined
  readonly expirationPeriod: string | undefined
  readonly thresholds: readonly Threshold[]
}

/** A derivation, so that thousands of applications sleep while their zone's status changes in other ways. */
export function zoneAccess(world: World, environment: string, namespace: string, name: string): ZoneAccess {
  const zone = zoneAt(world, environment, { namespace, name })
  const rotation = zone?.spec.identityProvider?.secretRotation
  return {
    exists: zone !== undefined,
    elsewhere: zone === undefined ? otherEnvironment(world, environment, Zone, { namespace, name }) : undefined,
    realm: zone?.status.identityRealm,
    gateway: zone?.status.gateway,
    gracePeriod: zone && gracePeriod(zone.spec),
    expirationPeriod: rotation?.expirationPeriod,
    thresholds: rotation?.notificationThresholds ?? [],
  }
}
