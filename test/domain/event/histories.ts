import fc from 'fast-check'
import { Zone } from '#domain/kinds/admin/zone.ts'
import { Application } from '#domain/kinds/application/application.ts'
import { EventExposure } from '#domain/kinds/event/event-exposure.ts'
import { zone, zoneRef, type ZoneOptions } from './drafts.ts'
import { Oracle, type Site } from './oracle.ts'
import { appOf, draftsOf, exposureZone, type Plot, TYPES } from './plots.ts'
import type { Draft } from './story.ts'

const ZONES = ['a', 'b', 'c']
const APPS = ['shop', ...[0, 1, 2].map(appOf)]
const SUBSCRIBERS = APPS.length - 1
/** The type that zones of the world do not see. */
const ENTERPRISE = TYPES[1]

/** What people declared. Where an application lives is its own matter: its subscriptions may be elsewhere. */
export interface Declared extends Plot {
  readonly homes: Readonly<Record<string, string>>
  readonly zones: Readonly<Record<string, ZoneOptions>>
}

export function declaredDrafts(declared: Declared): readonly Draft[] {
  return draftsOf(declared).map((draft) => ({ ...draft, spec: { ...draft.spec, ...declaredFields(declared, draft) } }))
}

function declaredFields({ homes, zones, sites }: Declared, { kind, metadata: { name }, spec }: Draft): object {
  if (kind === Application) return { zone: zoneRef(homes[name] ?? '') }
  if (kind === EventExposure) return { visibility: spec.eventType === ENTERPRISE ? 'Enterprise' : 'World' }
  if (kind !== Zone) return {}
  return zone(name, { basePath: sites.find((site) => site.zone === name)?.basePath ?? '/', ...zones[name] }).spec
}

export const BEGINNING: Declared = {
  sites: ZONES.map((name) => ({
    zone: name,
    basePath: '/',
    target: undefined,
    mesh: undefined,
    clientId: 'eventstore',
    replay: false,
  })),
  exposures: TYPES.map((_, i) => ZONES[i] ?? ''),
  subscribers: [
    { zone: 'b', type: TYPES[0] ?? '', stream: false },
    { zone: 'c', type: TYPES[0] ?? '', stream: true },
    { zone: 'a', type: TYPES[1] ?? '', stream: false },
  ],
  homes: { shop: 'a', app0: 'b', app1: 'c', app2: 'a' },
  zones: {},
}

export const nameOf = ({ kind, metadata }: Draft): string => `${kind.kind} ${metadata.namespace}/${metadata.name}`
const DRAFT_NAMES = declaredDrafts(BEGINNING).map(nameOf)

/** Prints as its text, so that a counterexample reads as a story. */
export interface Step {
  readonly change: (declared: Declared) => Declared
  /** Deletes the draft of this name, until it is declared again. */
  readonly drop: string | undefined
  /** The next step does not wait for the consequences of this one. */
  readonly hasty: boolean
  readonly [fc.toStringMethod]: () => string
}

type What = Partial<Pick<Step, 'change' | 'drop'>> & { readonly text: string }

const steps = (what: fc.Arbitrary<What>): fc.Arbitrary<Step> =>
  fc.tuple(what, fc.boolean()).map(([{ text, change = (declared: Declared) => declared, drop }, hasty]) => ({
    change,
    drop,
    hasty,
    [fc.toStringMethod]: () => `\n  ${text}${hasty ? ', and at once' : ''}`,
  }))

const replaced = <T>(list: readonly T[], at: number, change: (old: T) => T): readonly T[] =>
  list.map((old, i) => (i === at ? change(old) : old))

const someZone = fc.constantFrom(...ZONES)
const siteChange: fc.Arbitrary<Partial<Site>> = fc.oneof(
  fc.record({ basePath: fc.constantFrom('/', '/gw', '/a/b') }),
  fc.record({ target: fc.oneof({ weight: 2, arbitrary: fc.constant(undefined) }, someZone) }),
  fc.record({ mesh: fc.oneof(fc.constant(undefined), fc.subarray(ZONES)) }),
  fc.record({ clientId: fc.constantFrom('eventstore', 'other') }),
  fc.record({ replay: fc.boolean() }),
)

const changeSite = fc.tuple(fc.nat(ZONES.length - 1), siteChange).map(([at, change]) => ({
  text: `${ZONES[at]} becomes ${JSON.stringify(change)}`,
  change: (d: Declared) => ({ ...d, sites: replaced(d.sites, at, (site) => ({ ...site, ...change })) }),
}))
const changeZone = fc
  .tuple(someZone, fc.constantFrom('World' as const, 'Enterprise' as const), fc.constantFrom('one', 'two'))
  .map(([name, visibility, at]) => ({
    text: `${name} is for the ${visibility} at ${name}.${at}.example`,
    change: (d: Declared) => ({ ...d, zones: { ...d.zones, [name]: { visibility, host: `${name}.${at}.example` } } }),
  }))
const moveApplication = fc.tuple(fc.constantFrom(...APPS), someZone).map(([app, home]) => ({
  text: `${app} moves to ${home}`,
  change: (d: Declared) => ({ ...d, homes: { ...d.homes, [app]: home } }),
}))
const moveSubscription = fc
  .tuple(fc.nat(SUBSCRIBERS - 1), fc.record({ zone: someZone, stream: fc.boolean() }))
  .map(([at, what]) => ({
    text: `the subscription of ${appOf(at)} becomes ${what.stream ? 'a stream' : 'callbacks'} in ${what.zone}`,
    change: (d: Declared) => ({ ...d, subscribers: replaced(d.subscribers, at, (old) => ({ ...old, ...what })) }),
  }))
const moveExposure = fc.tuple(fc.nat(TYPES.length - 1), someZone).map(([at, to]) => ({
  text: `the exposure of ${TYPES[at]} moves to ${to}`,
  change: (d: Declared) => ({ ...d, exposures: replaced(d.exposures, at, () => to) }),
}))
const drop = fc.constantFrom(...DRAFT_NAMES).map((name) => ({ text: `${name} goes`, drop: name }))
const restore = fc.constant({ text: 'what went comes back' })

export const histories: fc.Arbitrary<readonly Step[]> = fc.array(
  steps(
    fc.oneof(
      { weight: 3, arbitrary: changeSite },
      { weight: 2, arbitrary: changeZone },
      { weight: 3, arbitrary: moveApplication },
      { weight: 2, arbitrary: moveSubscription },
      moveExposure,
      { weight: 4, arbitrary: drop },
      { weight: 2, arbitrary: restore },
    ),
  ),
  { minLength: 1, maxLength: 16, size: 'max' },
)

/** Whether every subscription is served: then nothing may be left of what was before. */
export function isOpen(declared: Declared): boolean {
  const oracle = new Oracle(declared.sites)
  return (
    declared.sites.every((site) => oracle.isReady(site.zone)) &&
    declared.subscribers.every(({ zone: at, type, stream }) => {
      const exposed = exposureZone(declared, type)
      if (type === ENTERPRISE && declared.zones[at]?.visibility === 'World') return false
      return oracle.may(exposed, at) && (stream || oracle.ingress(exposed, at) !== '')
    })
  )
}
