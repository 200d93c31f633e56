import { verdict, type Verdict } from '#domain/condition.ts'
import { environmentOf, keyOf } from '#domain/environment.ts'
import { Client, type ClientSpec, type ClientStatus } from '#domain/kinds/identity/client.ts'
import { Realm } from '#domain/kinds/identity/realm.ts'
import { isUsable, readinessOf } from './obstacle.ts'
import { astray, ofEnvironment } from './of-environment.ts'
import { provisioned, waiting, type Planner } from './plan.ts'
import { byAge, defineIndex, indexKey, type View, type World } from './world.ts'
import { tokenUrlOf } from './zone-issuers.ts'

const clientsById = defineIndex<ClientSpec, ClientStatus>({
  name: 'clientsById',
  kind: Client,
  keys: ({ metadata, spec }) => [idKey(environmentOf(metadata.namespace ?? '', metadata.labels), spec)],
})

/** A client of another environment is none of the realm, and so nobody's rival. */
const idKey = (environment: string, { realm, clientId }: ClientSpec): string =>
  indexKey(environment, realm.namespace, realm.name, clientId)

/** A client can get tokens as soon as its realm is served (platform §6.3). */
export const planClient: Planner<ClientSpec, ClientStatus> = (self, world) => {
  const environment = environmentOf(self.namespace, self.labels)
  const first = olderTwin(self, world, environment)
  if (first !== undefined) {
    const message = `Client ${keyOf(first)} is older and has clientId ${self.spec.clientId} in the same realm; choose another clientId`
    return waiting('ValidationFailed', message, { status: {} })
  }
  const at = keyOf(self.spec.realm)
  const realm = ofEnvironment(world, environment, Realm, self.spec.realm)
  const issuerUrl = realm?.status.issuerUrl
  if (realm === undefined) {
    const message =
      astray(world, environment, { kind: Realm, ref: self.spec.realm, field: 'spec.realm' }) ??
      `Realm ${at} does not exist; create it or a zone that has it`
    return waiting('PreconditionNotMet', message, { status: {} })
  }
  // A realm that has just been changed is not looked at yet: a client that works goes on working.
  if (issuerUrl === undefined || !isUsable(readinessOf(realm), self.status.issuerUrl !== undefined)) {
    return waiting('PreconditionNotMet', `Realm ${at} is not ready; see its conditions`, { status: {} })
  }
  const rotation = rotationOf(self.spec, world)
  return provisioned({
    status: { issuerUrl, tokenUrl: tokenUrlOf(issuerUrl), ...rotation.status },
    conditions: rotation.conditions,
  })
}

/** Two secrets for one id would open the door with either; the oldest client has the id. */
function olderTwin(self: View<ClientSpec>, world: World, environment: string): View | undefined {
  const first = world
    .list(clientsById, idKey(environment, self.spec))
    .filter((c) => !c.deleting)
    .toSorted(byAge)[0]
  return first === undefined || first.uid === self.uid ? undefined : first
}

interface Rotation {
  readonly status: ClientStatus
  readonly conditions: readonly Verdict[]
}

/** The issuer accepts the previous secret until its time is over, whoever still writes it. */
function rotationOf({ rotatedClientSecret, rotatedSecretExpiresAt }: ClientSpec, world: World): Rotation {
  if (rotatedClientSecret === undefined || rotatedSecretExpiresAt === undefined) return { status: {}, conditions: [] }
  if (world.reached(rotatedSecretExpiresAt)) {
    return { status: {}, conditions: [verdict('SecretRotation', false, 'Completed', 'The previous secret has ended')] }
  }
  const message = `The previous secret is accepted until ${rotatedSecretExpiresAt}`
  return { status: { rotatedSecretExpiresAt }, conditions: [verdict('SecretRotation', true, 'Rotated', message)] }
}
