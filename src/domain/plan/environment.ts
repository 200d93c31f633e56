import { environmentOf } from '#domain/environment.ts'
import { Environment, type EnvironmentSpec, type EnvironmentStatus } from '#domain/kinds/admin/environment.ts'
import { Zone } from '#domain/kinds/admin/zone.ts'
import type { Resource } from '#domain/object.ts'
import { provisioned, waiting, type Planner } from './plan.ts'
import { byAge, defineAggregate, defineIndex, type World } from './world.ts'

const environmentOfResource = (r: Resource): string => environmentOf(r.metadata.namespace ?? '', r.metadata.labels)

const environmentsByRealm = defineIndex<EnvironmentSpec, EnvironmentStatus>({
  name: 'environmentsByRealm',
  kind: Environment,
  keys: (o) => (o.spec.realmName === undefined ? [] : [o.spec.realmName]),
})

/** Environments that have zones, which therefore use their own name as realm, whether or not an object says so. */
const environmentsWithZones = defineAggregate({
  name: 'environmentsWithZones',
  kind: Zone,
  entries: (zone) => [{ key: environmentOfResource(zone), value: environmentOfResource(zone) }],
})

/**
 * Whose realm name it is already, if it is somebody's: realms of two environments would have the same issuers
 * (decisions §6.6). The name of an environment is its own; for any other the oldest that asks for it has it.
 */
export function realmTakenBy(world: World, environment: string, realmName: string): string | undefined {
  if (realmName === environment) return undefined
  if (world.values(environmentsWithZones, realmName).length > 0) return realmName
  if (world.get(Environment, { namespace: realmName, name: realmName }) !== undefined) return realmName
  const first = world.list(environmentsByRealm, realmName).toSorted(byAge)[0]
  return first === undefined || first.name === environment ? undefined : first.name
}

/** The realm of every zone of an environment: what its Environment says, else its name (decisions §7.1). */
export function realmNameOf(world: World, environment: string): string {
  const realmName = world.get(Environment, { namespace: environment, name: environment })?.spec.realmName
  if (realmName === undefined || realmTakenBy(world, environment, realmName) !== undefined) return environment
  return realmName
}

export const planEnvironment: Planner<EnvironmentSpec, EnvironmentStatus> = (self, world) => {
  if (self.name !== self.namespace) {
    const message = `An Environment is named like its namespace; call it ${self.namespace} or move it to namespace ${self.name}`
    return waiting('ValidationFailed', message, { status: {} })
  }
  const { realmName } = self.spec
  const owner = realmName === undefined ? undefined : realmTakenBy(world, self.name, realmName)
  if (owner !== undefined) {
    const message = `Realm ${realmName} already belongs to environment ${owner}; delete this Environment and create it with another realmName. Until then ${self.name} is used`
    return waiting('ValidationFailed', message, { status: {} })
  }
  return provisioned({ status: {}, reason: 'EnvironmentProvided', message: 'Environment provided' })
}
