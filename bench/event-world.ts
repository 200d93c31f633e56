import { application, type Draft, ENVIRONMENT, eventConfig, eventType, exposure, subscription, zone } from './world.ts'

export interface EventSize {
  readonly zones: number
  readonly exposures: number
  readonly subscriptions: number
  /** Subscriptions created one at a time, and at once. */
  readonly singles: number
  readonly burst: number
  readonly idleMs: number
}

export const PROVIDERS = `${ENVIRONMENT}--shop--orders`
export const SUBSCRIBERS = `${ENVIRONMENT}--shop--billing`
/** Subscriptions of one application; each to another type. */
const PER_APPLICATION = 20

export interface EventWorld {
  readonly ground: readonly Draft[]
  readonly offers: readonly Draft[]
  readonly subscriptions: readonly Draft[]
}

/** Everything spread evenly over the zones; subscribers read types of all zones. */
export function eventWorld(size: EventSize, backend: string): EventWorld {
  const zones = Array.from({ length: size.zones }, (_, i) => `z${i + 1}`)
  const at = (i: number): string => zones[i % zones.length]!
  const types = Array.from({ length: size.exposures }, (_, i) => `type.n${i}.v1`)
  const applications = Math.ceil(size.subscriptions / PER_APPLICATION)
  return {
    ground: [...zones.map((z) => zone(z)), ...zones.map((z) => eventConfig(z, backend))],
    offers: [
      ...zones.map((z) => application(PROVIDERS, `provider-${z}`, z)),
      ...Array.from({ length: applications }, (_, i) => application(SUBSCRIBERS, `app-${i}`, at(i))),
      ...types.map((type) => eventType(PROVIDERS, type)),
      ...types.map((type, i) => exposure(PROVIDERS, type, `provider-${at(i)}`, at(i))),
    ],
    subscriptions: Array.from({ length: size.subscriptions }, (_, i) => {
      const app = Math.floor(i / PER_APPLICATION)
      const type = types[(app * 7 + (i % PER_APPLICATION) * 11) % types.length]!
      return subscription(SUBSCRIBERS, type, `app-${app}`, at(app))
    }),
  }
}
