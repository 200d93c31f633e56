import assert from 'node:assert/strict'
import type { Controller } from '#control/controller.ts'
import type { TurnLimits } from '#control/engine-options.ts'
import { apiControllers } from '#controllers/api.ts'
import { eventControllers } from '#controllers/event.ts'
import { platformControllers } from '#controllers/platform.ts'
import type { Kind, ResourceOf } from '#domain/kind.ts'
import { Zone } from '#domain/kinds/admin/zone.ts'
import { ApiExposure } from '#domain/kinds/api/api-exposure.ts'
import { ApiSubscription } from '#domain/kinds/api/api-subscription.ts'
import { Application } from '#domain/kinds/application/application.ts'
import { Approval } from '#domain/kinds/approval/approval.ts'
import { ApprovalRequest } from '#domain/kinds/approval/approval-request.ts'
import { ConsumeRoute } from '#domain/kinds/gateway/consume-route.ts'
import { Route } from '#domain/kinds/gateway/route.ts'
import { KINDS } from '#domain/kinds/index.ts'
import { ApiSpecification } from '#domain/kinds/rover/api-specification.ts'
import { Garden } from '#test/control/fixture.ts'

export const HYPERION = 'poc--eni--hyperion'
export const PANDORA = 'poc--eni--pandora'
export const BASE_PATH = '/eni/foo/v1'
export const zoneRef = (name: string) => ({ name, namespace: 'poc' })

const preset = (name: string, basePath: string): object => ({
  name: 'default',
  default: true,
  urls: [{ hostname: `gw.${name}.example.com`, basePath }],
})

const failoverPreset = (name: string): object => ({
  name: 'failover',
  features: [{ name: 'ConsumerFailover', enabled: true }],
  urls: [{ hostname: `any.${name}.example.com` }],
})

interface ZoneOptions {
  readonly visibility?: string
  readonly basePath?: string
  readonly failover?: boolean
}

/** The fixture of the acceptance scenarios (platform §13), on the real registry and engine. */
export class Town {
  readonly garden: Garden

  constructor(
    controllers: readonly Controller[] = [...platformControllers(), ...apiControllers(), ...eventControllers()],
    turn?: TurnLimits,
  ) {
    this.garden = new Garden({ kinds: KINDS, controllers, turn }).start()
  }

  /** Zones z1 to z3, the provider's application `foo` in z1 and the consumer's `shop` in z2. */
  static async open(turn?: TurnLimits): Promise<Town> {
    const town = new Town(undefined, turn)
    for (const name of ['z1', 'z2', 'z3']) await town.zone(name)
    await town.application('foo', HYPERION, 'z1')
    await town.application('shop', PANDORA, 'z2')
    await town.settle()
    return town
  }

  async close(): Promise<void> {
    await this.garden.stop()
    await this.garden.registry.close()
  }

  settle(): Promise<void> {
    return this.garden.settle()
  }

  async put(kind: Kind, namespace: string, name: string, spec: object): Promise<void> {
    await this.garden.put(kind, name, spec, { namespace })
    await this.settle()
  }

  async delete(kind: Kind, namespace: string, name: string): Promise<void> {
    await this.garden.delete(kind, name, namespace)
    await this.settle()
  }

  zone(name: string, { visibility = 'Enterprise', basePath = '/', failover = false }: ZoneOptions = {}): Promise<void> {
    const presets = [preset(name, basePath), ...(failover ? [failoverPreset(name)] : [])]
    return this.put(Zone, 'poc', name, { visibility, gateway: { presets } })
  }

  application(name: string, namespace: string, zone: string): Promise<void> {
    const team = namespace.split('--').slice(1).join('--')
    return this.put(Application, namespace, name, { team, teamEmail: `${name}@example.com`, zone: zoneRef(zone) })
  }

  register(spec: object = {}, namespace = HYPERION, name = 'eni-foo-v1'): Promise<void> {
    const file = `${namespace}--${name}`
    const all = { basepath: BASE_PATH, version: '1.4.0', category: 'other', hash: 'x', specification: file, ...spec }
    return this.put(ApiSpecification, namespace, name, all)
  }

  expose(spec: object = {}, namespace = HYPERION, application = 'foo'): Promise<void> {
    const all = {
      apiBasePath: BASE_PATH,
      upstreams: [{ url: 'https://foo.example.com/api' }],
      visibility: 'World',
      approval: { strategy: 'Auto' },
      zone: zoneRef('z1'),
      provider: { name: application, namespace },
      ...spec,
    }
    return this.put(ApiExposure, namespace, `${application}--eni-foo-v1`, all)
  }

  /** Registers the API and exposes it. */
  async serve(spec: object = {}, scopes?: readonly string[]): Promise<void> {
    await this.register(scopes ? { scopes } : {})
    await this.expose(spec)
  }

  subscribe(spec: object = {}, application = 'shop', namespace = PANDORA): Promise<void> {
    const all = {
      apiBasePath: BASE_PATH,
      zone: zoneRef('z2'),
      requestor: { application: { name: application, namespace } },
      traffic: {},
      ...spec,
    }
    return this.put(ApiSubscription, namespace, `${application}--eni-foo-v1`, all)
  }

  /** As a person of the deciding team. */
  async decide(kind: Kind, name: string, state: string, who = 'ann'): Promise<void> {
    const namespace = PANDORA
    const { apiVersion, metadata, spec } = this.get(kind, namespace, name)
    const value = { apiVersion, kind: kind.kind, metadata, spec: { ...spec, state } }
    const user = { name: who, email: `${who}@example.com`, groups: [] }
    await this.garden.registry.update(kind, { namespace, name }, { value, duplicates: [] }, { user })
    await this.settle()
  }

  async decideRequest(state: string, who = 'ann', subscription = 'shop--eni-foo-v1'): Promise<void> {
    await this.decide(
      ApprovalRequest,
      this.get(ApiSubscription, PANDORA, subscription).status!.approvalRequest!.name,
      state,
      who,
    )
  }

  decideApproval(state: string, who = 'ann', subscription = 'shop--eni-foo-v1'): Promise<void> {
    return this.decide(Approval, `apisubscription--${subscription}`, state, who)
  }

  find<K extends Kind>(kind: K, namespace: string, name: string): ResourceOf<K> | undefined {
    return this.garden.find(kind, name, namespace) as ResourceOf<K> | undefined
  }

  get<K extends Kind>(kind: K, namespace: string, name: string): ResourceOf<K> {
    const found = this.find(kind, namespace, name)
    assert.ok(found, `${kind.kind} ${namespace}/${name} does not exist`)
    return found
  }

  condition(kind: Kind, namespace: string, name: string, type = 'Ready'): string {
    return this.garden.condition(kind, name, type, namespace)
  }

  message(kind: Kind, namespace: string, name: string, type = 'Ready'): string {
    const all = this.get(kind, namespace, name).status?.conditions as readonly { type: string; message: string }[]
    return all.find((c) => c.type === type)?.message ?? ''
  }

  exposure(type = 'Ready', name = 'foo--eni-foo-v1', namespace = HYPERION): string {
    return this.condition(ApiExposure, namespace, name, type)
  }

  subscription(type = 'Ready', name = 'shop--eni-foo-v1'): string {
    return this.condition(ApiSubscription, PANDORA, name, type)
  }

  route(zone: string, name = 'eni-foo-v1'): ResourceOf<typeof Route> | undefined {
    return this.find(Route, `poc--${zone}`, name)
  }

  consumeRoute(zone = 'z2', subscription = 'shop--eni-foo-v1'): ResourceOf<typeof ConsumeRoute> | undefined {
    return this.find(ConsumeRoute, PANDORA, `${zone}--${subscription}`)
  }

  async all<K extends Kind>(kind: K): Promise<readonly ResourceOf<K>[]> {
    const { items } = await this.garden.registry.list(kind, {})
    return items.map((item) => item.resource as ResourceOf<K>)
  }
}

export const issuer = (zone: string): string => `https://issuer.example/zones/${zone}/auth/realms/poc`
export const lmsIssuer = (zone: string): string => `https://gw.${zone}.example.com/auth/realms/poc`
