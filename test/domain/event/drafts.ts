import { Zone } from '#domain/kinds/admin/zone.ts'
import { Application } from '#domain/kinds/application/application.ts'
import { EventConfig } from '#domain/kinds/event/event-config.ts'
import { EventExposure } from '#domain/kinds/event/event-exposure.ts'
import { EventSubscription } from '#domain/kinds/event/event-subscription.ts'
import { EventType } from '#domain/kinds/event/event-type.ts'
import type { Named } from '#domain/object.ts'
import type { Draft } from './story.ts'

/** The smallest forms of everything, in one environment and with names that tell what they are. */
export const ENVIRONMENT = 'prod'
export const at = (zone: string): string => `${ENVIRONMENT}--${zone}`
export const TEAM = 'prod--shop--orders'
export const OTHER_TEAM = 'prod--shop--billing'
export const TYPE = 'orders.v1'

export const zoneRef = (name: string): Named => ({ name, namespace: ENVIRONMENT })
export const configRef = (zone: string): Named => ({ name: ENVIRONMENT, namespace: at(zone) })

export interface ZoneOptions {
  readonly visibility?: 'World' | 'Enterprise'
  readonly basePath?: string
  readonly host?: string
}

export const zone = (name: string, options: ZoneOptions = {}): Draft => ({
  kind: Zone,
  metadata: zoneRef(name),
  spec: {
    visibility: options.visibility ?? 'Enterprise',
    gateway: {
      presets: [
        {
          name: 'main',
          default: true,
          urls: [
            { hostname: options.host ?? `${name}.gw.example`, basePath: options.basePath ?? '/', scheme: 'https' },
          ],
        },
      ],
    },
  },
})

interface ConfigOptions {
  /** Names: selective; undefined: omitted. */
  readonly mesh?: readonly string[] | 'full' | undefined
  readonly clientId?: string
  readonly replay?: boolean
  readonly environment?: string
}

const meshSpec = ({ mesh, clientId }: ConfigOptions): object | undefined => {
  if (mesh === undefined && clientId === undefined) return undefined
  const names = mesh === undefined || mesh === 'full' ? { fullMesh: true } : { fullMesh: false, zoneNames: mesh }
  return clientId === undefined ? names : { ...names, client: { clientId } }
}

const config = (name: string, options: ConfigOptions, role: object): Draft => {
  const mesh = meshSpec(options)
  const { environment: overwriteEnvironmentName } = options
  return {
    kind: EventConfig,
    metadata: configRef(name),
    spec: {
      zone: zoneRef(name),
      ...role,
      ...(mesh && { mesh }),
      ...(overwriteEnvironmentName && { overwriteEnvironmentName }),
    },
  }
}

export const local = (name: string, options: ConfigOptions = {}): Draft =>
  config(name, options, {
    local: {
      admin: { url: `https://${name}.backend.example/api/v1/resources` },
      publishEventUrl: `https://${name}.backend.example/publish`,
      serverSendEventUrl: `https://${name}.backend.example/sse`,
      ...(options.replay && { voyagerApiUrl: `https://${name}.backend.example/voyager` }),
    },
  })

export const proxy = (name: string, target: string, options: ConfigOptions = {}): Draft =>
  config(name, options, { proxy: { targetZone: zoneRef(target) } })

export const application = (name: string, home: string, namespace = TEAM): Draft => ({
  kind: Application,
  metadata: { name, namespace },
  spec: {
    team: namespace.split('--').slice(1).join('--'),
    teamEmail: 'team@shop.example',
    zone: zoneRef(home),
    needsClient: true,
    needsConsumer: true,
  },
})

export const eventType = (type = TYPE, namespace = TEAM, spec: object = {}): Draft => ({
  kind: EventType,
  metadata: { name: type.replaceAll('.', '-'), namespace },
  spec: { type, version: '1.0.0', ...spec },
})

export const exposureRef = (type = TYPE): Named => ({ name: `shop--${type.replaceAll('.', '-')}`, namespace: TEAM })

export const exposure = (home: string, spec: object = {}, type = TYPE): Draft => ({
  kind: EventExposure,
  metadata: exposureRef(type),
  spec: {
    eventType: type,
    provider: { name: 'shop', namespace: TEAM },
    zone: zoneRef(home),
    approval: { strategy: 'Auto' },
    visibility: 'World',
    ...spec,
  },
})

export const subscriptionRef = (app: string, type = TYPE): Named => ({
  name: `${app}--${type.replaceAll('.', '-')}`,
  namespace: OTHER_TEAM,
})

interface SubscriptionOptions {
  readonly delivery: object
  readonly spec: object
  readonly type: string
}

const subscription = (app: string, home: string, { delivery, spec, type }: SubscriptionOptions): Draft => ({
  kind: EventSubscription,
  metadata: subscriptionRef(app, type),
  spec: {
    eventType: type,
    requestor: { name: app, namespace: OTHER_TEAM },
    zone: zoneRef(home),
    delivery: { payload: 'Data', ...delivery },
    ...spec,
  },
})

export const CALLBACK = 'https://consumer.example/events'

/** An application in the zone and its subscription. */
export const callbackSubscriber = (app: string, home: string, spec: object = {}, type = TYPE): readonly Draft[] => [
  application(app, home, OTHER_TEAM),
  subscription(app, home, { delivery: { type: 'Callback', callback: CALLBACK }, spec, type }),
]

export const streamSubscriber = (app: string, home: string, spec: object = {}, type = TYPE): readonly Draft[] => [
  application(app, home, OTHER_TEAM),
  subscription(app, home, { delivery: { type: 'ServerSentEvent' }, spec, type }),
]

/** The same in environment `stage`. */
export function staged({ kind, metadata, spec }: Draft): Draft {
  const text = JSON.stringify({ metadata, spec }).replaceAll('"prod', '"stage').replaceAll('.example', '.stage.example')
  return { kind, ...JSON.parse(text) }
}
