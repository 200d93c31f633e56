import { ENVIRONMENT_LABEL, environmentOf } from '#domain/environment.ts'
import { Zone, type ZoneSpec, type ZoneStatus } from '#domain/kinds/admin/zone.ts'
import { Consumer } from '#domain/kinds/gateway/consumer.ts'
import { Client } from '#domain/kinds/identity/client.ts'
import { NotificationChannel } from '#domain/kinds/notification/notification-channel.ts'
import type { TeamSpec, TeamStatus } from '#domain/kinds/organization/team.ts'
import { isNamespaceName } from '#domain/names.ts'
import { compareText, label, refTo, type ObjectRef } from '#domain/object.ts'
import { mailChannel, webhookChannel } from './notice.ts'
import { child, provisioned, waiting, type Child, type Planner } from './plan.ts'
import { defineAggregate, indexKey, type View, type World } from './world.ts'
import { strayLabel } from './zone.ts'
import { hasTeamApi } from './zone-issuers.ts'

const zonesWithTeamApi = defineAggregate<ZoneSpec, ZoneStatus>({
  name: 'zonesWithTeamApi',
  kind: Zone,
  entries: (o) => {
    const { namespace = '', name, labels } = o.metadata
    return hasTeamApi(o.spec) ? [{ key: environmentOf(namespace, labels), value: indexKey(namespace, name) }] : []
  },
})

/** A team is reached at its addresses; where one zone has a team API, it also gets a client for it (platform §9.2). */
export const planTeam: Planner<TeamSpec, TeamStatus> = (self, world) => {
  const environment = environmentOf(self.namespace, self.labels)
  const namespace = `${environment}--${self.name}`
  if (!isNamespaceName(namespace)) {
    const message = `${namespace}, where the team would write, is no namespace; give the team a shorter name or correct the label ${ENVIRONMENT_LABEL}`
    return waiting('ValidationFailed', message, { status: {} })
  }
  if (environmentOf(namespace) !== environment)
    return waiting('ValidationFailed', strayLabel(namespace), { status: {} })
  const access = teamApiAccess(self, world, environment)
  return provisioned({
    children: [...channels(self, environment), ...(access?.children ?? [])],
    status: {
      namespace,
      notificationChannelRef: mailChannel(environment, self.name),
      ...access?.status,
    },
  })
}

function channels(self: View<TeamSpec>, environment: string): readonly Child[] {
  const { members = [], email, webhook } = self.spec
  const labels = { [label('team')]: self.name }
  const recipients = [...new Set([email, ...members.map((m) => m.email)].map((a) => a.toLowerCase()))].toSorted(
    compareText,
  )
  return [
    child(NotificationChannel, { ...mailChannel(environment, self.name), labels, spec: { email: { recipients } } }),
    ...(webhook === undefined
      ? []
      : [
          child(NotificationChannel, {
            ...webhookChannel(environment, self.name),
            labels,
            spec: { webhook: { url: webhook } },
          }),
        ]),
  ]
}

interface Access {
  readonly children: readonly Child[]
  readonly status: TeamStatus
}

/** Only where exactly one zone offers it; none is needed (decisions §7.5). */
function teamApiAccess(self: View<TeamSpec>, world: World, environment: string): Access | undefined {
  const zones = world.values(zonesWithTeamApi, environment)
  if (zones.length !== 1) return undefined
  const [namespace = '', name = ''] = zones[0]?.split('|') ?? []
  const zone = world.derive(teamApiOf, namespace, name)
  if (zone.realm === undefined || zone.gateway === undefined) return undefined
  const clientId = `${self.name}--team-user`
  const labels = { [label('team')]: self.name, [label('zone')]: name }
  const client = child(Client, {
    namespace: environment,
    name: clientId,
    labels,
    spec: { realm: refTo(zone.realm), clientId, clientSecret: self.spec.secret },
  })
  const consumer = child(Consumer, {
    namespace: `${environment}--${self.name}`,
    name: clientId,
    labels,
    spec: { gateway: refTo(zone.gateway), name: clientId },
  })
  return {
    children: [client, consumer],
    status: { identityClientRef: refTo(client), gatewayConsumerRef: refTo(consumer) },
  }
}

const teamApiOf = (
  world: World,
  namespace: string,
  name: string,
): { realm?: ObjectRef | undefined; gateway?: ObjectRef | undefined } => {
  const status = world.get(Zone, { namespace, name })?.status
  return { realm: status?.teamApiIdentityRealm, gateway: status?.gateway }
}
