import type { RoverSpec } from '#domain/kinds/rover/rover.ts'
import type { RoverApiExposure, RoverApiSubscription } from '#domain/kinds/rover/rover-api.ts'
import type { RoverEventExposure, RoverEventSubscription } from '#domain/kinds/rover/rover-event.ts'
import { ApiExposure, type ApiExposureSpec } from '#domain/kinds/api/api-exposure.ts'
import { ApiSubscription } from '#domain/kinds/api/api-subscription.ts'
import { Application } from '#domain/kinds/application/application.ts'
import { EventExposure } from '#domain/kinds/event/event-exposure.ts'
import { EventSubscription } from '#domain/kinds/event/event-subscription.ts'
import { apiVersionOf } from '#domain/kind.ts'
import { eventTypeSlug, isResourceName, labelValue, nameValue } from '#domain/names.ts'
import { label, type Named, type ObjectRef, refTo, type TypedRef } from '#domain/object.ts'
import type { ApiSubscriptionSpec } from './api-offer.ts'
import { type Child, child } from './plan.ts'

/** The application a file describes and where it lives. */
export interface Home {
  readonly rover: Named
  readonly environment: string
  /** `<group>--<team>` */
  readonly team: string
  readonly zone: ObjectRef
  /** The zones that stand in for others, where an entry asks for all of them. */
  readonly failoverZones: readonly string[]
}

/** An entry of the file and the object it stands for. */
export interface Part {
  /** Where it stands, for messages: `spec.exposures[3].api`. */
  readonly field: string
  /** Base path or event type. */
  readonly subject: string
  /** The text its name is made from that could keep it from being one. */
  readonly text: string
  readonly child: Child
}

export const partsOf = (spec: RoverSpec, home: Home): readonly Part[] => [
  ...(spec.exposures ?? []).flatMap(({ api, event }, i) => [
    ...(api ? [part(`spec.exposures[${i}].api`, api.basePath, apiExposure(home, api))] : []),
    ...(event ? [part(`spec.exposures[${i}].event`, event.eventType, eventExposure(home, event))] : []),
  ]),
  ...(spec.subscriptions ?? []).flatMap(({ api, event }, i) => [
    ...(api ? [apiSubscriptionPart(`spec.subscriptions[${i}].api`, home, api)] : []),
    ...(event ? [part(`spec.subscriptions[${i}].event`, event.eventType, eventSubscription(home, event))] : []),
  ]),
]

const part = (field: string, subject: string, made: Child, text = subject): Part => ({
  field,
  subject,
  text,
  child: made,
})

/** Of base path and organization it is the latter that people forget to write as a name. */
function apiSubscriptionPart(field: string, home: Home, api: RoverApiSubscription): Part {
  const { basePath, organization } = api
  const alone = apiPartName(home.rover.name, { basePath })
  const text = organization !== undefined && isResourceName(alone) ? organization : basePath
  return part(field, basePath, apiSubscription(home, api), text)
}

const pathSlug = (basePath: string): string => basePath.replaceAll('/', '-').replace(/^-+|-+$/g, '')

export const apiPartName = (
  rover: string,
  { basePath, organization }: Pick<RoverApiSubscription, 'basePath' | 'organization'>,
): string => nameValue(`${organization ? `${organization}--` : ''}${rover}--${pathSlug(basePath)}`)

export const eventPartName = (rover: string, eventType: string): string =>
  nameValue(`${rover}--${eventTypeSlug(eventType)}`)

const labelsOf = ({ rover, zone }: Home, subject: 'basepath' | 'eventtype', value: string) => ({
  [label(subject)]: labelValue(value),
  [label('zone')]: labelValue(zone.name),
  [label('application')]: labelValue(rover.name),
})

/** The owning team trusts itself; in the list only while there is room (platform D-25). */
function approvalOf({ team }: Home, { strategy, trustedTeams = [] }: NonNullable<RoverApiExposure['approval']>) {
  const named = [...new Set(trustedTeams.map((trusted) => `${trusted.group}--${trusted.team}`))]
  return { strategy, trustedTeams: named.includes(team) || named.length >= 10 ? named : [...named, team] }
}

const BY_DEFAULT = { strategy: 'Simple' } as const

function apiExposure(home: Home, api: RoverApiExposure): Child {
  const { basePath, upstreams, visibility, approval = BY_DEFAULT, transformation, traffic = {}, security } = api
  const remove = transformation?.request?.headers?.remove
  const { failover, rateLimit, circuitBreaker } = traffic
  const { provider, consumers } = rateLimit ?? {}
  const spec: ApiExposureSpec = {
    apiBasePath: basePath,
    upstreams,
    visibility,
    approval: approvalOf(home, approval),
    zone: home.zone,
    provider: refTo(home.rover),
    traffic: {
      ...(failover && { failover: { zones: failover.zones.map((name) => ({ name, namespace: home.environment })) } }),
      ...(rateLimit && {
        rateLimit: {
          ...(provider && { provider }),
          ...(consumers && { subscriberRateLimit: subscriberLimits(consumers) }),
        },
      }),
      ...(circuitBreaker && { circuitBreaker }),
    },
    ...(remove && { transformation: { request: { headers: { remove } } } }),
    ...(security && { security }),
  }
  const name = apiPartName(home.rover.name, { basePath })
  return child(ApiExposure, {
    namespace: home.rover.namespace,
    name,
    labels: labelsOf(home, 'basepath', basePath),
    spec,
  })
}

type Consumers = NonNullable<NonNullable<NonNullable<RoverApiExposure['traffic']>['rateLimit']>['consumers']>

const subscriberLimits = ({ default: others, overrides }: Consumers) => ({
  ...(others && { default: others }),
  ...(overrides && { overrides: overrides.map(({ consumer, limits }) => ({ subscriber: consumer, limits })) }),
})

/** Zones a subscription fails over to; those named, or all that offer it (platform D-1). */
export function failoverOf({ zone, failoverZones }: Home, { traffic }: RoverApiSubscription): readonly string[] {
  const { enabled, zones } = traffic?.failover ?? {}
  const names = zones ?? (enabled === true ? failoverZones : [])
  return [...new Set(names)].filter((name) => name !== zone.name)
}

function apiSubscription(home: Home, api: RoverApiSubscription): Child {
  const { basePath, organization, security } = api
  const zones = failoverOf(home, api).map((name) => ({ name, namespace: home.environment }))
  const spec: ApiSubscriptionSpec = {
    apiBasePath: basePath,
    zone: home.zone,
    requestor: { application: refTo(home.rover) },
    traffic: zones.length === 0 ? {} : { failover: { zone: zones } },
    ...(organization && { organization }),
    ...(security?.m2m && { security: { m2m: security.m2m } }),
  }
  const name = apiPartName(home.rover.name, api)
  return child(ApiSubscription, {
    namespace: home.rover.namespace,
    name,
    labels: labelsOf(home, 'basepath', basePath),
    spec,
  })
}

const applicationRef = ({ rover }: Home): TypedRef => ({
  apiVersion: apiVersionOf(Application),
  kind: Application.kind,
  ...refTo(rover),
})

function eventExposure(home: Home, event: RoverEventExposure): Child {
  const { eventType, visibility, approval = BY_DEFAULT, scopes, additionalPublisherIds } = event
  return child(EventExposure, {
    namespace: home.rover.namespace,
    name: eventPartName(home.rover.name, eventType),
    labels: labelsOf(home, 'eventtype', eventType),
    spec: {
      eventType,
      visibility,
      approval: approvalOf(home, approval),
      zone: home.zone,
      provider: applicationRef(home),
      ...(scopes && { scopes }),
      ...(additionalPublisherIds && { additionalPublisherIds }),
    },
  })
}

function eventSubscription(home: Home, event: RoverEventSubscription): Child {
  const { eventType, delivery, trigger, scopes } = event
  return child(EventSubscription, {
    namespace: home.rover.namespace,
    name: eventPartName(home.rover.name, eventType),
    labels: labelsOf(home, 'eventtype', eventType),
    spec: {
      eventType,
      zone: home.zone,
      requestor: applicationRef(home),
      delivery,
      ...(trigger && { trigger }),
      ...(scopes && { scopes }),
    },
  })
}
