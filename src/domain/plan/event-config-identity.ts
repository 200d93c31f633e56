import { keyOf } from '#domain/environment.ts'
import type { Kind } from '#domain/kind.ts'
import { Consumer } from '#domain/kinds/gateway/consumer.ts'
import { Client } from '#domain/kinds/identity/client.ts'
import { Realm } from '#domain/kinds/identity/realm.ts'
import { EventStore, type EventStoreSpec } from '#domain/kinds/pubsub/event-store.ts'
import { labelValue, nameValue } from '#domain/names.ts'
import { label, type Named, type ObjectRef, refTo } from '#domain/object.ts'
import { joinUrl } from '#domain/url.ts'
import { addressProblem } from './backend-address.ts'
import { generatedSecret, hasLostSecret, NEW_SECRET } from './client-secret.ts'
import { adminClientId, type Ground } from './event-config-ground.ts'
import { part, type Part } from './event-config-part.ts'
import { configAt, type EventConfigSpec, type EventConfigStatus } from './event-zones.ts'
import { zoneAt } from './zone-links.ts'
import { isObstacle, missing, type Obstacle, unmet } from './obstacle.ts'
import { absent, astray, ofEnvironment } from './of-environment.ts'
import { type Child, child } from './plan.ts'
import type { World } from './world.ts'

type EventClient = NonNullable<NonNullable<EventConfigSpec['mesh']>['client']>

const ADMIN_REALM = 'spec.local.admin.client.realm'
const MESH_REALM = 'spec.mesh.client.realm'
const TOKEN_PATH = 'protocol/openid-connect/token'

const labelsOf = ({ self }: Ground): Readonly<Record<string, string>> => ({
  [label('domain')]: 'event',
  [label('zone')]: labelValue(self.spec.zone.name),
})

/** §5.2.10: one id for the Client, the Consumer and the allow-lists; every EventConfig has its own. */
export function planMeshIdentity(ground: Ground): Part {
  const { self, zone, clientId } = ground
  const ref = clientRef(self.namespace, clientId)
  const realm = realmOf(self.spec.mesh?.client, zone.status.identityRealm)
  if (realm === undefined) return part({ obstacles: [noRealm(zone)] })
  const wrong = realmAstray(ground, MESH_REALM, realm)
  if (wrong !== undefined) return part({ obstacles: [wrong] })
  const foreign = foreignTo(ground, Client, ref) ?? foreignTo(ground, Consumer, ref)
  if (foreign !== undefined) return part({ obstacles: [foreign] })
  const consumer = child(Consumer, {
    ...ref,
    labels: labelsOf(ground),
    spec: { gateway: refTo(ground.host.gateway), name: clientId },
  })
  return part({
    children: [clientChild(ground, ref, { clientId, realm, given: self.spec.mesh?.client }), consumer],
    status: withObserved('meshClient', ground, ref),
    pending: [...noSuchRealm(ground, realm), ...refusals(ground, [Client, Consumer], ref)],
  })
}

/** The identity a backend is configured with; a proxy EventConfig uses its backend's. */
export function planAdminIdentity(ground: Ground): Part {
  const { self, zone } = ground
  const { local } = self.spec
  if (local === undefined) return part({})
  const clientId = adminClientId(self.spec)
  const ref = clientRef(self.namespace, clientId)
  const realm = realmOf(local.admin.client, zone.status.internalIdentityRealm)
  if (realm === undefined) return part({ obstacles: [noRealm(zone)] })
  const wrong = realmAstray(ground, ADMIN_REALM, realm)
  if (wrong !== undefined) return part({ obstacles: [wrong] })
  const foreign = foreignTo(ground, Client, ref)
  if (foreign !== undefined) return part({ obstacles: [foreign] })
  return part({
    children: [clientChild(ground, ref, { clientId, realm, given: local.admin.client })],
    status: withObserved('adminClient', ground, ref),
    pending: refusals(ground, [Client], ref),
  })
}

/** The backend as Subscribers are registered at it: its own, or the target's. */
export function planStore(ground: Ground): Part {
  const { self, world, environment, target } = ground
  if (isObstacle(target)) return part({ obstacles: [target] })
  const backend = target?.zone ?? self.spec.zone.name
  const access = world.derive(adminAccess, environment, backend)
  if (isObstacle(access)) return part({ obstacles: [access] })
  if (access === undefined)
    return part({ pending: [`The admin client of zone ${backend} is being made`], status: lastStore(self.status) })
  const overwriteEnvironmentName = self.spec.overwriteEnvironmentName || environment
  const ref = { namespace: self.namespace, name: self.name }
  const store = child(EventStore, { ...ref, labels: labelsOf(ground), spec: { ...access, overwriteEnvironmentName } })
  return part({ children: [store], status: { eventStore: refTo(ref) } })
}

const lastStore = ({ eventStore }: EventConfigStatus): EventConfigStatus => (eventStore ? { eventStore } : {})

/** How the backend of a zone is configured; undefined while its client is not there yet. */
export function adminAccess(
  world: World,
  environment: string,
  zoneName: string,
): Omit<EventStoreSpec, 'overwriteEnvironmentName'> | Obstacle | undefined {
  const config = configAt(world, environment, zoneName)
  const local = config?.spec.local
  if (config === undefined || local === undefined) return unmet(`Zone ${zoneName} has no event backend`)
  const wrong = addressProblem(local.admin.url, 'spec.local.admin.url')
  if (wrong !== undefined) return wrong
  const zone = zoneAt(world, environment, config.spec.zone)
  const realm = realmOf(local.admin.client, zone?.status.internalIdentityRealm)
  if (realm === undefined) return noRealm(config.spec.zone)
  const issuer = issuerOf(world, environment, realm)
  if (isObstacle(issuer)) return issuer
  const clientId = adminClientId(config.spec)
  const { namespace, name } = clientRef(config.namespace, clientId)
  if (world.get(Client, { namespace, name }) === undefined) return undefined
  const given = local.admin.client?.clientSecret
  // What the Client was given before is gone: the backend is configured with the new one as soon as it is there.
  if (!given && world.derive(hasLostSecret, namespace, name)) return undefined
  const clientSecret = given || generatedSecret(world, namespace, name)
  return {
    url: local.admin.url,
    tokenUrl: joinUrl(issuer, TOKEN_PATH),
    clientId,
    ...(clientSecret && { clientSecret }),
  }
}

function issuerOf(world: World, environment: string, ref: ObjectRef): string | Obstacle {
  const realm = ofEnvironment(world, environment, Realm, ref)
  if (realm === undefined)
    return absent(
      world,
      environment,
      { kind: Realm, ref, field: ADMIN_REALM },
      'create it or correct the realm of the admin client',
    )
  return realm.status.issuerUrl || unmet(`Realm ${keyOf(ref)} has no issuer yet: see its conditions`)
}

/** §2.2: an empty reference means the default realm. */
const realmOf = (client: EventClient | undefined, fallback: ObjectRef | undefined): ObjectRef | undefined => {
  const given = client?.realm
  const chosen = given !== undefined && (given.name !== '' || given.namespace !== '') ? given : fallback
  return chosen && refTo(chosen)
}

/** Nothing is made in another environment because of a reference (event-domain §0.2). */
function realmAstray({ world, environment }: Ground, field: string, ref: ObjectRef): Obstacle | undefined {
  const message = astray(world, environment, { kind: Realm, ref, field })
  return message === undefined ? undefined : unmet(message)
}

const noRealm = (zone: Named): Obstacle => unmet(`Zone ${keyOf(zone)} has no identity realm yet: see its conditions`)

const clientRef = (namespace: string, clientId: string): Named => ({ namespace, name: nameValue(clientId) })

interface Identity {
  readonly clientId: string
  readonly realm: ObjectRef
  readonly given: EventClient | undefined
}

/** Without a given secret the server makes one, and it stays in the Client (decisions §8.24). */
function clientChild(ground: Ground, ref: Named, { clientId, realm, given }: Identity): Child {
  const lost = !given?.clientSecret && ground.world.derive(hasLostSecret, ref.namespace, ref.name)
  const secret = lost ? NEW_SECRET : given?.clientSecret
  const spec = { realm, clientId, ...(secret && { clientSecret: secret }) }
  return child(Client, { ...ref, labels: labelsOf(ground), spec, ...(!secret && { initial: ['clientSecret'] }) })
}

/** Nobody's identity is taken over: an object of that name that is not ours stays as it is (§13.11). */
function foreignTo(ground: Ground, kind: Kind, ref: Named): Obstacle | undefined {
  const existing = ground.world.get(kind, ref)
  if (existing === undefined || existing.controllerUid === ground.self.uid) return undefined
  const id = `spec.${kind === Client ? 'mesh.client.clientId or spec.local.admin' : 'mesh'}.client.clientId`
  return unmet(`${kind.kind} ${keyOf(ref)} belongs to someone else: delete it or choose another ${id}`)
}

/** The realms of a zone are made with it; only one that is chosen can be a mistake. */
function noSuchRealm({ self, world }: Ground, realm: ObjectRef): readonly string[] {
  if (self.spec.mesh?.client?.realm === undefined || world.get(Realm, realm) !== undefined) return []
  return [missing('Realm', realm, `create it or correct ${MESH_REALM}`).message]
}

/** That an identity is refused, an id that is taken say, in its own words: it does not become ready by itself. */
const refusals = ({ world }: Ground, kinds: readonly Kind[], ref: Named): readonly string[] =>
  kinds.flatMap((kind) => {
    const said = world.get(kind, ref)?.condition('Ready')
    if (said?.status !== 'False' || said.reason !== 'ValidationFailed') return []
    return [`${kind.kind} ${keyOf(ref)} is not ready: ${said.message}`]
  })

/** §2.5 AdminClient: which Client, and which generation of it was seen. */
function withObserved(field: 'meshClient' | 'adminClient', ground: Ground, ref: Named): EventConfigStatus {
  const client = ground.world.get(Client, ref)
  return client === undefined ? {} : { [field]: { ...refTo(ref), observedGeneration: client.generation } }
}
