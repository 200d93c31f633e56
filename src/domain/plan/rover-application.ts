import { Application, type ApplicationSpec } from '#domain/kinds/application/application.ts'
import { Team } from '#domain/kinds/organization/team.ts'
import type { RoverSpec } from '#domain/kinds/rover/rover.ts'
import { labelValue } from '#domain/names.ts'
import { compareText, label } from '#domain/object.ts'
import { ofEnvironment } from './of-environment.ts'
import { type Child, child } from './plan.ts'
import { failoverOf, type Home } from './rover-parts.ts'
import type { World } from './world.ts'

/** Platform §2.3.3 step 1. */
export function applicationChild(world: World, spec: RoverSpec, home: Home): Child<typeof Application> {
  const { rover, environment, team, zone } = home
  const subscriptions = spec.subscriptions ?? []
  const calls = subscriptions.length > 0 || (spec.exposures ?? []).some(({ event }) => event !== undefined)
  const failover = [...new Set(subscriptions.flatMap(({ api }) => (api ? failoverOf(home, api) : [])))]
  const application: ApplicationSpec = {
    team,
    teamEmail:
      ofEnvironment(world, environment, Team, { namespace: environment, name: team })?.spec.email ??
      unknownAddress(team),
    zone,
    needsClient: calls,
    needsConsumer: calls,
    ...secretOf(world, spec, home),
    ...(failover.length > 0 && {
      failoverZones: failover.toSorted(compareText).map((name) => ({ name, namespace: environment })),
    }),
    ...(spec.ipRestrictions && { security: { ipRestrictions: spec.ipRestrictions } }),
    ...(spec.externalIds && { externalIds: spec.externalIds }),
  }
  return child(Application, {
    ...rover,
    labels: {
      [label('zone')]: labelValue(zone.name),
      [label('application')]: labelValue(rover.name),
      [label('team')]: labelValue(team),
    },
    spec: application,
    initial: ['rotatedSecret', 'rotatedAt'],
  })
}

/** No Team object is needed (decisions §7.5), and an address below `.invalid` reaches nobody. */
function unknownAddress(team: string): string {
  const [group = '', name = ''] = team.split('--')
  return `${name}@${group}.invalid`
}

/**
 * The file's secret where it gives one, else the application's own. A secret that is no longer in the file is gone with
 * it, so the application gets a new one.
 */
function secretOf(world: World, { clientSecret }: RoverSpec, { rover }: Home): Pick<ApplicationSpec, 'secret'> {
  if (clientSecret !== undefined && clientSecret !== '') return { secret: clientSecret }
  const last = world.get(Application, rover)?.spec.secret
  return last?.startsWith(`$<Rover/${rover.namespace}/${rover.name}/`) === true ? { secret: 'rotate' } : {}
}
