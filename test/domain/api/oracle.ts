import { ApiExposure } from '#domain/kinds/api/api-exposure.ts'
import { ApiSubscription } from '#domain/kinds/api/api-subscription.ts'
import { Api } from '#domain/kinds/api/api.ts'
import { Approval } from '#domain/kinds/approval/approval.ts'
import { ApprovalRequest } from '#domain/kinds/approval/approval-request.ts'
import type { Resource } from '#domain/object.ts'
import { Zone } from '#domain/kinds/admin/zone.ts'

/**
 * What should be there, computed from the specs alone and in other words than the planners': lists and loops over the whole
 * world. `before` says which permissions a waiting subscription had and may keep.
 */
export interface Expected {
  /** `zone/name TYPE path`, sorted. */
  readonly routes: readonly string[]
  /** `namespace/name → zone/route consumer`, sorted; what must be there. */
  readonly permissions: readonly string[]
  /** Subscriptions that may keep what they had, and nothing else. */
  readonly waiting: ReadonlySet<string>
  /** Names whose only exposures spell the base path otherwise than it is registered: their routes may stay. */
  readonly misspelt: ReadonlySet<string>
}

type Any = Resource<any, any>

const slug = (path: string): string =>
  path
    .replaceAll('/', '-')
    .toLowerCase()
    .replace(/^-+|-+$/g, '')
const id = (r: Any): string => `${r.metadata.namespace}/${r.metadata.name}`
const age = (r: Any): string => `${r.metadata.creationTimestamp} ${r.metadata.namespace} ${r.metadata.name}`
const first = (all: readonly Any[]): Any | undefined => all.toSorted((a, b) => (age(a) < age(b) ? -1 : 1))[0]
const RESERVED = /^(publish$|callback--|voyager--|sse--|gateway--)/

export class Oracle {
  readonly #all: readonly Any[]

  constructor(resources: readonly Resource[]) {
    this.#all = resources
  }

  #of(kind: { readonly kind: string }): readonly Any[] {
    return this.#all.filter((r) => r.kind === kind.kind)
  }

  /** The base path that counts for a name. */
  #registered(name: string): string | undefined {
    const path = first(this.#of(Api).filter((api) => slug(api.spec.basePath) === name))?.spec.basePath as
      | string
      | undefined
    return path === undefined || RESERVED.test(name) || path.toLowerCase().startsWith('/eventbackend')
      ? undefined
      : path
  }

  #exposure(path: string): Any | undefined {
    if (this.#registered(slug(path)) !== path) return undefined
    return first(this.#of(ApiExposure).filter((e) => e.spec.apiBasePath === path))
  }

  #sees(subscription: Any, exposure: Any): boolean {
    const { visibility, zone } = exposure.spec
    if (visibility === 'World') return true
    if (visibility === 'Zone') return zone.name === subscription.spec.zone.name
    return this.#of(Zone).find((z) => z.metadata.name === subscription.spec.zone.name)?.spec.visibility === 'Enterprise'
  }

  #approval(subscription: Any): 'granted' | 'denied' | 'open' {
    const { namespace, name } = subscription.metadata
    const at = (kind: { kind: string }, n: string) => this.#of(kind).find((r) => id(r) === `${namespace}/${n}`)
    const approval = at(Approval, `apisubscription--${name}`)?.spec
    if (approval?.state === 'Rejected' || approval?.state === 'Suspended') return 'denied'
    const request = at(ApprovalRequest, subscription.status?.approvalRequest?.name ?? '')
    const same = approval?.approvedRequest?.name === request?.metadata.name
    return request?.spec.state === 'Granted' && approval?.state === 'Granted' && same ? 'granted' : 'open'
  }

  #zonesOf(subscription: Any): readonly string[] {
    const { zone, traffic } = subscription.spec
    return [...new Set<string>([zone.name, ...(traffic.failover?.zone ?? []).map((z: { name: string }) => z.name)])]
  }

  expected(permissionsNow: readonly Any[]): Expected {
    const waiting = new Set<string>()
    const permissions: string[] = []
    const calls = new Map<string, Set<string>>()
    const call = (name: string, zone: string): void => void calls.set(name, (calls.get(name) ?? new Set()).add(zone))
    for (const subscription of this.#of(ApiSubscription)) {
      const exposure = this.#exposure(subscription.spec.apiBasePath)
      const name = slug(subscription.spec.apiBasePath)
      const approval = this.#approval(subscription)
      const sees = exposure !== undefined && this.#sees(subscription, exposure)
      if (sees) for (const zone of this.#zonesOf(subscription)) call(name, zone)
      if (exposure === undefined || approval === 'denied') continue
      if (sees && approval === 'granted') {
        const app = subscription.spec.requestor.application
        const consumer = `${app.namespace.split('--').slice(1).join('--')}--${app.name}`
        for (const zone of this.#zonesOf(subscription))
          permissions.push(
            `${subscription.metadata.namespace}/${zone}--${subscription.metadata.name} → poc--${zone}/${name} ${consumer}`,
          )
      } else waiting.add(id(subscription))
    }
    for (const permission of permissionsNow) {
      const owner = `${permission.metadata.namespace}/${permission.metadata.ownerReferences?.[0]?.name}`
      const { name, namespace } = permission.spec.route
      if (waiting.has(owner)) call(name, namespace.slice('poc--'.length))
    }
    const routes = this.#routes(calls).toSorted()
    return { routes, permissions: permissions.toSorted(), waiting, misspelt: this.#misspelt() }
  }

  #misspelt(): ReadonlySet<string> {
    const names = this.#of(ApiExposure).map((e) => slug(e.spec.apiBasePath))
    return new Set(
      names.filter((name) => {
        const path = this.#registered(name)
        return path !== undefined && this.#exposure(path) === undefined
      }),
    )
  }

  #routes(calls: ReadonlyMap<string, ReadonlySet<string>>): readonly string[] {
    const exposures = new Map<string, Any>()
    for (const e of this.#of(ApiExposure)) {
      const inForce = this.#exposure(e.spec.apiBasePath)
      if (inForce !== undefined && id(inForce) === id(e)) exposures.set(slug(e.spec.apiBasePath), e)
    }
    return [...exposures].flatMap(([name, { spec }]) => {
      const standIns: string[] = (spec.traffic?.failover?.zones ?? []).map((z: { name: string }) => z.name)
      const callers = [...(calls.get(name) ?? [])].filter((zone) => zone !== spec.zone.name)
      const senders = callers.length === 0 ? [] : [...new Set([...callers, ...standIns])]
      const trust = senders.map((zone) => `trusts ${zone}`).toSorted()
      return [
        [`poc--${spec.zone.name}/${name} PRIMARY ${spec.apiBasePath}`, ...trust].join(' '),
        ...standIns.map((zone) => `poc--${zone}/${name} SECONDARY ${spec.apiBasePath}`),
        ...callers
          .filter((zone) => !standIns.includes(zone))
          .map((zone) => `poc--${zone}/${name} PROXY ${spec.apiBasePath}`),
      ]
    })
  }
}
