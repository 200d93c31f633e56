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
  const given = givenSecret(world, spec, home)
  const application: ApplicationSpec = {
    team,
    teamEmail:
      ofEnvironment(world, environment, Team, { namespace: environment, name: team })?.spec.email ??
      unknownAddress(team),
    zone,
    needsClient: calls,
    needsConsumer: calls,
    ...(given.secret !== undefined && { secret: given.secret }),
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
    ...(given.last !== undefined && { annotations: { [GIVEN]: given.last } }),
    spec: application,
    initial: ['rotatedSecret', 'rotatedAt'],
  })
}

/** No Team object is needed (decisions §7.5), and an address below `.invalid` reaches nobody. */
function unknownAddress(team: string): string {
  const [group = '', name = ''] = team.split('--')
  return `${name}@${group}.invalid`
}

/** The secret of the file that the application was given last: what became of it since is the application's own affair. */
const GIVEN = label('rover-secret')

interface Given {
  readonly secret?: string
  /** The last one, this one included. */
  readonly last?: string | undefined
}

/**
 * Each secret that the file names is handed over once (platform §2.3.3 step 1): one that was rotated at the application
 * since stays, and so does one that is no longer in the file. While a rotation is in progress the application takes no other.
 */
function givenSecret(world: World, { clientSecret }: RoverSpec, { rover }: Home): Given {
  if (clientSecret === undefined || clientSecret === '') return {}
  const application = world.get(Application, rover)
  const last = application?.annotations[GIVEN]
  if (last === clientSecret) return { last }
  if (application?.condition('SecretRotation')?.reason === 'InProgress') return { last }
  return { secret: clientSecret, last: clientSecret }
}
