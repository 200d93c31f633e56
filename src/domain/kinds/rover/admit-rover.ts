import type { FieldError } from '#domain/errors.ts'
import type { Admission, Admitted } from '#domain/kind.ts'
import { quote, when } from '#domain/kinds/advice.ts'
import { normalize } from '#domain/names.ts'
import { isLoopback, parseUrl } from '#domain/url.ts'
import type { RoverSpec, RoverStatus } from './rover.ts'
import type { RoverApiExposure } from './rover-api.ts'

/** What a file says twice or cannot mean is refused where it is written (platform §2.3.2). */
export function admitRover({ object }: Admission<RoverSpec, RoverStatus>): Admitted<RoverSpec, RoverStatus> {
  if (object.metadata.deletionTimestamp !== undefined) return { object }
  const { exposures = [], subscriptions = [] } = object.spec
  const apis = exposures.flatMap(({ api }, i) => (api ? [{ api, at: `spec.exposures[${i}].api` }] : []))
  const errors = [
    ...twins('spec.exposures', exposures),
    ...twins('spec.subscriptions', subscriptions),
    ...apis.flatMap(({ api, at }) => [...weightErrors(api, at), ...limitErrors(api, at)]),
  ]
  return { object, errors, warnings: apis.flatMap(({ api, at }) => upstreamAdvice(api, at)) }
}

interface Entry {
  readonly api?: { readonly basePath: string; readonly organization?: string | undefined } | undefined
  readonly event?: { readonly eventType: string } | undefined
}

/** The name of the object an entry becomes: base paths that differ in case or slashes only share it. */
function subjectOf({ api, event }: Entry): readonly [field: string, key: string, text: string] {
  if (api === undefined) return ['event.eventType', `event ${event?.eventType}`, event?.eventType ?? '']
  return ['api.basePath', `api ${api.organization ?? ''} ${normalize(api.basePath)}`, api.basePath]
}

function twins(list: string, entries: readonly Entry[]): readonly FieldError[] {
  const seen = new Set<string>()
  return entries.flatMap((entry, i): readonly FieldError[] => {
    const [field, key, text] = subjectOf(entry)
    const again = seen.has(key)
    seen.add(key)
    if (!again) return []
    return [
      { reason: 'FieldValueDuplicate', field: `${list}[${i}].${field}`, message: `Duplicate value: ${quote(text)}` },
    ]
  })
}

const wrong = (field: string, message: string): FieldError => ({
  reason: 'FieldValueInvalid',
  field,
  message: `Invalid value: "object": ${message}`,
})

function weightErrors({ upstreams }: RoverApiExposure, at: string): readonly FieldError[] {
  const weighted = upstreams.filter(({ weight }) => weight !== undefined).length
  if (weighted === 0 || weighted === upstreams.length) return []
  return [wrong(`${at}.upstreams`, 'either all upstreams have a weight or none')]
}

function limitErrors({ traffic }: RoverApiExposure, at: string): readonly FieldError[] {
  const { provider, consumers } = traffic?.rateLimit ?? {}
  const field = `${at}.traffic.rateLimit`
  const all = [
    ...(provider ? [{ limits: provider.limits, at: `${field}.provider.limits` }] : []),
    ...(consumers?.default ? [{ limits: consumers.default.limits, at: `${field}.consumers.default.limits` }] : []),
    ...(consumers?.overrides ?? []).map(({ limits }, i) => ({
      limits,
      at: `${field}.consumers.overrides[${i}].limits`,
    })),
  ]
  return all.flatMap(({ limits, at: where }): readonly FieldError[] => {
    const windows = [limits.second ?? 0, limits.minute ?? 0, limits.hour ?? 0].filter((calls) => calls > 0)
    if (windows.length === 0) return [wrong(where, 'at least one of second, minute and hour must be more than 0')]
    const rising = windows.every((calls, i) => i === 0 || windows[i - 1]! < calls)
    return rising ? [] : [wrong(where, 'a longer time must allow more calls than a shorter one')]
  })
}

/** Gateways run elsewhere: what only this machine reaches, they do not. */
const upstreamAdvice = ({ upstreams }: RoverApiExposure, at: string): readonly string[] =>
  upstreams.flatMap(({ url }, i) => {
    const host = parseUrl(url)?.hostname
    const local =
      host === undefined || isLoopback(host) || !host.includes('.') || /\.svc(\.|$)|\.cluster\.local$/.test(host)
    return when(local, () => `${at}.upstreams[${i}].url ${quote(url)} is no address gateways of other machines reach`)
  })
