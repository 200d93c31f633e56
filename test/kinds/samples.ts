import type { Kind } from '#domain/kind.ts'
import { ApiSubscription } from '#domain/kinds/api/api-subscription.ts'
import { EventConfig } from '#domain/kinds/event/event-config.ts'
import { EventExposure } from '#domain/kinds/event/event-exposure.ts'
import { EventSubscription } from '#domain/kinds/event/event-subscription.ts'
import { EventType } from '#domain/kinds/event/event-type.ts'
import { ApiSpecification } from '#domain/kinds/rover/api-specification.ts'
import { apiVersionOf } from '#domain/kind.ts'
import { normalize, validate, validateStatus } from '#domain/structural.ts'

export const KIND = { ApiSpecification, ApiSubscription, EventConfig, EventExposure, EventSubscription, EventType }
export type KindName = keyof typeof KIND

const zone = { name: 'aws', namespace: 'prod' }
const application = { name: 'shop', namespace: 'prod--eni--shop' }
const at = '2026-01-31T10:20:30Z'
const conditions = [
  { type: 'Ready', status: 'True', reason: 'Provisioned', message: '', lastTransitionTime: at, observedGeneration: 1 },
]
const trigger = {
  responseFilter: { mode: 'Exclude', paths: ['a.b'] },
  selectionFilter: { attributes: { region: 'eu' }, expression: { and: [{ eq: ['a', null] }] } },
}
const client = { clientId: 'mesh', clientSecret: 's', realm: zone }
const madeClient = { name: 'c', namespace: 'n', observedGeneration: 1, uid: 'u' }

/** Every field of the specification's tables with a value it allows. */
const FULL: Record<KindName, { readonly spec: object; readonly status: object }> = {
  ApiSpecification: {
    spec: {
      basepath: '/eni/shop/v1',
      category: 'x',
      hash: 'h',
      scopes: ['read'],
      specification: 'f1',
      version: '1.0',
      xvendor: true,
    },
    status: { api: { ...zone, uid: 'u' }, conditions },
  },
  ApiSubscription: {
    spec: {
      apiBasePath: '/eni/shop/v1',
      organization: 'other',
      requestor: { application },
      security: { m2m: { client: { clientId: 'c', clientSecret: 's' }, scopes: ['a'] } },
      traffic: { failover: { zone: [{ ...zone, name: 'gcp' }] } },
      zone,
    },
    status: {
      approval: zone,
      approvalRequest: zone,
      conditions,
      consumeRoute: zone,
      failoverConsumeRoutes: [zone],
      failoverRoutes: [zone],
      remoteApiSubscription: zone,
      route: zone,
    },
  },
  EventConfig: {
    spec: {
      local: {
        admin: { client, url: 'https://backend/api' },
        publishEventUrl: 'https://backend/publish',
        serverSendEventUrl: 'https://backend/sse',
        voyagerApiUrl: 'https://backend/replay',
      },
      mesh: { client: { ...client, clientId: 'mesh2' }, fullMesh: false, zoneNames: ['gcp'] },
      overwriteEnvironmentName: 'e',
      zone,
    },
    status: {
      adminClient: madeClient,
      callbackRoute: zone,
      callbackUrl: 'u',
      conditions,
      eventStore: zone,
      meshClient: madeClient,
      proxyCallbackRoutes: [zone],
      proxyCallbackUrls: { gcp: 'u' },
      proxyVoyagerRoutes: [zone],
      proxyVoyagerUrls: { gcp: 'u' },
      publishRoute: zone,
      publishUrl: 'u',
      voyagerRoute: zone,
      voyagerUrl: 'u',
    },
  },
  EventExposure: {
    spec: {
      additionalPublisherIds: ['p'],
      approval: { strategy: 'Auto', trustedTeams: ['eni--shop'] },
      eventType: 'de.vendor.order.v1',
      provider: { apiVersion: 'v1', kind: 'Application', ...application, uid: 'u' },
      scopes: [{ name: 's', trigger }],
      visibility: 'World',
      zone,
    },
    status: {
      active: true,
      callbackURL: 'u',
      conditions,
      proxyRoutes: [zone],
      publishURL: 'u',
      publisher: zone,
      route: zone,
      sseUrls: { a: 'u' },
    },
  },
  EventSubscription: {
    spec: {
      delivery: {
        callback: 'https://shop/hook',
        circuitBreakerOptOut: false,
        enforceGetHttpRequestMethodForHealthCheck: true,
        eventRetentionTime: '7d',
        payload: 'DataRef',
        redeliveriesPerSecond: 5,
        retryableStatusCodes: [500],
        type: 'Callback',
      },
      eventType: 'de.vendor.order.v1',
      requestor: { apiVersion: 'v1', kind: 'Application', ...application, uid: 'u' },
      scopes: ['s'],
      trigger,
      zone,
    },
    status: {
      activeScopes: ['s'],
      approval: zone,
      approvalRequest: zone,
      conditions,
      subscriber: zone,
      subscriptionID: 'i',
      url: 'https://gw/sse',
    },
  },
  EventType: {
    spec: { category: 'other', description: 'd', specification: 'f', type: 'de.vendor.order.v1', version: '1.0.0' },
    status: { active: true, conditions },
  },
}

export type Tree = Record<string, any>

/** A complete object of a kind; every call makes a new one. */
export function full(name: KindName): Tree {
  const { spec, status } = JSON.parse(JSON.stringify(FULL[name])) as Tree
  return { apiVersion: apiVersionOf(KIND[name]), kind: name, metadata: { name: 'x', namespace: 'n' }, spec, status }
}

/** The same with one value changed at a path like `spec.scopes[0].name`; `undefined` removes it. */
export function changed(name: KindName, path: string, value: unknown): Tree {
  const object = full(name)
  const steps = path.split(/[.[\]]+/).filter((step) => step !== '')
  const last = steps.pop() ?? ''
  let place = object
  for (const step of steps) place = place[step] ??= {}
  if (value === undefined) delete place[last]
  else place[last] = value
  return object
}

export const kindOf = (name: KindName): Kind => KIND[name]

/** What admission would say about the object: causes of spec and status, in one list. */
export function causes(name: KindName, object: Tree) {
  const normal = normalize(kindOf(name), object).object
  return [...validate(kindOf(name), normal), ...validateStatus(kindOf(name), normal)]
}
