import { compareText } from '#domain/object.ts'

/** The consumer every hop between two gateways is made by (§5.2.5). */
export const GATEWAY_CONSUMER = 'gateway'

/** The issuers or consumers of a route: each once, in a stable order, and never an empty one. */
export function distinct(values: Iterable<string | undefined>): readonly string[] {
  const present = [...values].filter((value) => value !== undefined && value !== '') as string[]
  return [...new Set(present)].toSorted(compareText)
}

/** A peer whose traffic arrives at a route; `lmsIssuer` is undefined while its Zone does not say. */
export interface Sender {
  readonly zone: string
  readonly lmsIssuer: string | undefined
}

/** §5.2.2, §5.2.3: the local issuer for local callers, and the LMS issuer of every gateway that forwards here. */
export const trustedIssuers = (own: string, senders: readonly Sender[]): readonly string[] =>
  distinct([own, ...senders.map((s) => s.lmsIssuer)])

/**
 * The same while some sender's issuer is unknown: what the route trusted last and no known zone accounts for stays
 * trusted (decisions §4.3), so that a zone that is briefly not described is not locked out.
 */
export function trustedIssuersKeeping(trust: {
  readonly own: string
  readonly senders: readonly Sender[]
  readonly last: readonly string[]
  readonly known: readonly string[]
}): readonly string[] {
  const unaccounted = trust.last.filter((issuer) => !trust.known.includes(issuer))
  return distinct([...trustedIssuers(trust.own, trust.senders), ...unaccounted])
}

/** §5.2.6: who may call a zone's PRIMARY callback route. */
export const callbackConsumers = (clientId: string, senders: readonly Sender[]): readonly string[] =>
  distinct([clientId, senders.length > 0 ? GATEWAY_CONSUMER : undefined])
