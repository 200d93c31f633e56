import fc from 'fast-check'
import { application, callbackSubscriber, eventType, exposure, local, proxy, streamSubscriber, zone } from './drafts.ts'
import type { Site } from './oracle.ts'
import type { Draft } from './story.ts'

export const NAMES = ['a', 'b', 'c', 'd', 'e']
export const TYPES = ['one.v1', 'two.v1']

export interface Plot {
  readonly sites: readonly Site[]
  /** Zone of the exposure of each type. */
  readonly exposures: readonly string[]
  readonly subscribers: readonly { readonly zone: string; readonly type: string; readonly stream: boolean }[]
}

export const plots: fc.Arbitrary<Plot> = fc.integer({ min: 1, max: NAMES.length }).chain((size) => {
  const zones = NAMES.slice(0, size)
  const someZone = fc.constantFrom(...zones)
  const site = (name: string): fc.Arbitrary<Site> =>
    fc.record({
      zone: fc.constant(name),
      basePath: fc.constantFrom('/', '/gw', '/a/b'),
      target: fc.oneof(fc.constant(undefined), someZone),
      mesh: fc.oneof(fc.constant(undefined), fc.subarray(zones)),
      clientId: fc.constantFrom('eventstore', `cb-${name}`),
      replay: fc.boolean(),
    })
  const subscriber = fc.record({ zone: someZone, type: fc.constantFrom(...TYPES), stream: fc.boolean() })
  return fc.record({
    sites: fc.tuple(...zones.map(site)),
    exposures: fc.tuple(...TYPES.map(() => someZone)),
    subscribers: fc.array(subscriber, { maxLength: 6 }),
  })
})

export const appOf = (i: number): string => `app${i}`

export function draftsOf({ sites, exposures, subscribers }: Plot): readonly Draft[] {
  return [
    ...sites.map((s) => zone(s.zone, { basePath: s.basePath })),
    ...sites.map((s) => {
      const options = { mesh: s.mesh, clientId: s.clientId, replay: s.replay }
      return s.target === undefined ? local(s.zone, options) : proxy(s.zone, s.target, options)
    }),
    application('shop', sites[0]?.zone ?? ''),
    ...TYPES.flatMap((type, i) => [eventType(type), exposure(exposures[i] ?? '', {}, type)]),
    ...subscribers.flatMap((s, i) =>
      s.stream ? streamSubscriber(appOf(i), s.zone, {}, s.type) : callbackSubscriber(appOf(i), s.zone, {}, s.type),
    ),
  ]
}

export const exposureZone = (plot: Plot, type: string): string => plot.exposures[TYPES.indexOf(type)] ?? ''
