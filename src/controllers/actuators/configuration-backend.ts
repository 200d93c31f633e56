import {
  type Actuator,
  type ActuatorContext,
  type ActuatorResult,
  applied,
  type Failure,
  refused,
  retry,
  retryAfter,
} from '#control/actuator.ts'
import type {
  SubscriberPending,
  SubscriberRegistration,
  SubscriberSpec,
  SubscriberStatus,
} from '#domain/kinds/pubsub/subscriber.ts'
import type { Resource } from '#domain/object.ts'
import type { SubscriptionEffect } from '#domain/plan/subscriber.ts'
import { wireSubscription, type WireSubscription } from '#domain/plan/subscriber-body.ts'
import { joinUrl } from '#domain/url.ts'
import { type Clock, systemClock } from '#lib/clock.ts'
import { encodeJson } from '#lib/json.ts'
import { type Credentials, TokenCache } from './client-credentials.ts'
import { failureOf, type HttpAnswer, type SendHttp, Unreached } from './http-call.ts'
import { sendHttp } from './send-http.ts'

export interface BackendOptions {
  /** Group and version of the backend's resources (decisions §4.14). */
  readonly group?: string | undefined
  readonly send?: SendHttp | undefined
  readonly clock?: Pick<Clock, 'now'> | undefined
  readonly timeoutMs?: number | undefined
}

export const SUBSCRIPTION_GROUP = 'subscriber.eventbackend.vendor.de/v1'
const TIMEOUT_MS = 5000
const BUSY_SECONDS = 3

/** One subscription at one backend, with what it takes to change it. */
interface Entry {
  readonly id: string
  readonly url: string
  readonly environment: string
  readonly subscription: WireSubscription
  readonly access: Pick<SubscriberRegistration, 'tokenUrl' | 'clientId' | 'clientSecret'>
}

/** Registers Subscribers at the configuration backend of their zone (event-domain §10). */
export function configurationBackend(
  options: BackendOptions = {},
): Actuator<SubscriberSpec, SubscriberStatus, SubscriptionEffect> {
  const { group = SUBSCRIPTION_GROUP, send = sendHttp, clock = systemClock, timeoutMs = TIMEOUT_MS } = options
  const line: Line = { group, send, timeoutMs, tokens: new TokenCache({ send, clock, timeoutMs }) }
  return {
    async apply(self, effect, context) {
      const { id, registration } = effect
      const { url, environment } = registration
      const subscription = await withSchema(effect, context)
      const put = await call(line, 'PUT', { id, url, environment, subscription, access: registration }, context)
      if (put.type !== 'ok') return put
      for (const former of entriesOf(self).filter((entry) => entry.id !== id || entry.url !== url)) {
        const left = await leave(line, former, context)
        if (left.type === 'blocked') leftBehind(former, left.message, context)
        else if (left.type !== 'ok') return { ...left, untouched: false }
      }
      return applied({ ...statusOf(effect), ...(self.status?.pending && { pending: undefined }) })
    },
    async remove(self, context) {
      for (const entry of entriesOf(self)) {
        const left = await leave(line, entry, context)
        if (left.type !== 'ok') return left
      }
      return applied()
    },
    intend: ({ status = {} }, { id: subscriptionId, registration }) => {
      if (isSamePlace(status, { subscriptionId, registration })) return undefined
      const others = (status.pending ?? []).filter((p) => !isSamePlace(p, { subscriptionId, registration }))
      return { pending: [...others, { subscriptionId, registration }] }
    },
    isUnfinished: ({ status }) => (status?.pending ?? []).length > 0,
    assume: (_self, effect) => statusOf(effect),
  }
}

const isSamePlace = (a: SubscriberStatus, b: SubscriberPending): boolean =>
  a.subscriptionId === b.subscriptionId && a.registration?.url === b.registration.url

/** The contract puts the schema between the options and the triggers; the backend does not mind the order. */
async function withSchema(
  { subscription, jsonSchema }: SubscriptionEffect,
  context: ActuatorContext,
): Promise<WireSubscription> {
  const text = jsonSchema === undefined ? undefined : await context.readFile(jsonSchema.file)
  return text === undefined ? subscription : { ...subscription, jsonSchema: text }
}

interface Line {
  readonly group: string
  readonly send: SendHttp
  readonly timeoutMs: number
  readonly tokens: TokenCache
}

/** What is registered, and what may be: what somebody wanted to register without hearing of it again. */
function entriesOf({ status, spec }: Resource<SubscriberSpec, SubscriberStatus>): readonly Entry[] {
  const { registration, subscriptionId, pending = [] } = status ?? {}
  const isRegistered = registration !== undefined && subscriptionId !== undefined
  const known = isRegistered ? { subscriptionId, registration } : undefined
  const others = pending.filter((p) => known === undefined || !isSamePlace(known, p))
  return (known === undefined ? others : [known, ...others]).map(({ subscriptionId: id, registration: access }) => {
    const { url, environment, subscriberId } = access
    return { id, url, environment, subscription: wireSubscription(id, { ...spec, subscriberId }, access), access }
  })
}

/** A registration whose credentials are gone cannot be removed by anyone; waiting for them would never end. */
async function leave(line: Line, entry: Entry, context: ActuatorContext): Promise<ActuatorResult> {
  const { clientSecret } = entry.access
  if (clientSecret === undefined || (await resolve(clientSecret, context)) === undefined) {
    context.log.warn('registration left at the backend: its credentials are gone', { url: entry.url, id: entry.id })
    return applied()
  }
  return call(line, 'DELETE', entry, context)
}

const statusOf = ({ id, registration }: SubscriptionEffect): SubscriberStatus => ({ subscriptionId: id, registration })

/** A move is done once the old place is clean; a place that refuses us for good does not hold it up. */
const leftBehind = ({ id }: Entry, why: string, { log }: ActuatorContext): void =>
  log.warn('former registration left at the backend', { id, why })

interface Call {
  readonly line: Line
  readonly method: 'PUT' | 'DELETE'
  readonly entry: Entry
  readonly credentials: Credentials
  readonly signal: AbortSignal
}

async function call(
  line: Line,
  method: 'PUT' | 'DELETE',
  entry: Entry,
  context: ActuatorContext,
): Promise<ActuatorResult> {
  const { tokenUrl, clientId, clientSecret } = entry.access
  if (tokenUrl === undefined || clientId === undefined || clientSecret === undefined)
    return untouched(retry(`No credentials for the configuration backend ${entry.url} are known yet`))
  const credentials = { tokenUrl, clientId, secret: clientSecret, resolve: (s: string) => resolve(s, context) }
  const request: Call = { line, method, entry, credentials, signal: context.signal }
  const first = await attempt(request)
  if (!isAnswer(first)) return first
  if (first.status !== 401) return resultOf(request, first)
  line.tokens.forget(credentials)
  const second = await attempt(request)
  return isAnswer(second) ? resultOf(request, second) : second
}

const isAnswer = (value: HttpAnswer | ActuatorResult): value is HttpAnswer => 'text' in value

async function attempt({ line, method, entry, credentials, signal }: Call): Promise<HttpAnswer | ActuatorResult> {
  const token = await line.tokens.token(credentials)
  if (token.type === 'no-secret') return untouched(refused(token.message))
  if (token.type === 'failed')
    return token.busy ? retryAfter(BUSY_SECONDS, token.message) : untouched(retry(token.message))
  try {
    return await line.send({
      method,
      url: joinUrl(entry.url, line.group, 'subscriptions', encodeURIComponent(entry.id)),
      headers: { authorization: `Bearer ${token.token}`, 'content-type': 'application/json' },
      body: encodeJson(bodyOf(line.group, entry)),
      signal,
      timeoutMs: line.timeoutMs,
    })
  } catch (error) {
    const failure = retry(`The configuration backend ${entry.url} does not answer: ${failureOf(error)}`)
    return error instanceof Unreached ? untouched(failure) : failure
  }
}

/** What was not sent, or was refused, has changed nothing at the backend. What is busy is there, and can be asked later. */
const untouched = (failure: Failure): Failure => ({ ...failure, untouched: true })

/** Of a removal the backend compares name, version and kind with the address; the schema of the payload is left out there. */
const bodyOf = (group: string, { id, environment, subscription }: Entry): object => ({
  apiVersion: group,
  kind: 'Subscription',
  metadata: { name: id, namespace: 'default' },
  spec: { environment, subscription },
})

const DONE: Readonly<Record<'PUT' | 'DELETE', readonly number[]>> = { PUT: [200, 201], DELETE: [200, 204, 404] }

function resultOf({ method, entry: { url, id } }: Call, answer: HttpAnswer): ActuatorResult {
  const { status } = answer
  if (DONE[method].includes(status)) return applied()
  const message = `The configuration backend ${url} answers ${status} to ${method} of subscription ${id}`
  if (status === 400 || status === 403 || status === 405) return untouched(refused(message + reasonIn(answer.text)))
  if (status === 429 || status === 503) return retryAfter(BUSY_SECONDS, message)
  return status >= 300 && status < 500 && status !== 408 ? untouched(retry(message)) : retry(message)
}

/** What the backend says, on one line and short. */
function reasonIn(text: string): string {
  const words = text.replace(/\s+/g, ' ').trim().slice(0, 200)
  return words === '' ? '' : `: ${words}`
}

const resolve = async (secret: string, context: ActuatorContext): Promise<string | undefined> =>
  secret.startsWith('$<') ? context.resolveSecret(secret) : secret
