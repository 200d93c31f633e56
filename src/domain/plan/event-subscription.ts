import { approvalRefOf, approve, type Answer, denialOf } from '#domain/approval/approve.ts'
import { done, notReady, processing, verdict, type Verdict } from '#domain/condition.ts'
import { environmentOf, keyOf } from '#domain/environment.ts'
import { Application } from '#domain/kinds/application/application.ts'
import { Approval } from '#domain/kinds/approval/approval.ts'
import { ApprovalRequest } from '#domain/kinds/approval/approval-request.ts'
import { adviceOnEventSubscription } from '#domain/kinds/event/event-subscription.ts'
import { Subscriber, type SubscriberSpec, type SubscriberStatus } from '#domain/kinds/pubsub/subscriber.ts'
import { nameValue } from '#domain/names.ts'
import { label, type Named, type TypedRef, refTo } from '#domain/object.ts'
import { apiVersionOf } from '#domain/kind.ts'
import { joinUrl } from '#domain/url.ts'
import { advised } from './advised.ts'
import { sseUrlOf, type EventSubscriptionSpec, type EventSubscriptionStatus } from './event-offer.ts'
import { type Scene, type Stop, type Terms, termsOf } from './event-subscription-checks.ts'
import { subscriberChild } from './event-subscription-subscriber.ts'
import { isObstacle } from './obstacle.ts'
import { type ChildRef, childRef, denied, type Plan, type Planner, provisioned, waiting } from './plan.ts'
import type { View } from './world.ts'

type Status = EventSubscriptionStatus

/** §2.7, §3, §6: asks for approval and provisions delivery. */
export const planEventSubscription: Planner<EventSubscriptionSpec, Status> = advised(
  adviceOnEventSubscription,
  (self, world) => {
    const environment = environmentOf(self.namespace, self.labels)
    const found = world.get(Subscriber, subscriberRef(self))
    const running = found?.deleting === false ? found : undefined
    const scene: Scene = { self, world, environment, stage: running === undefined ? 'new' : 'standing' }
    const terms = termsOf(scene)
    if (isObstacle(terms)) return stopped(scene, terms, running)
    return answered(scene, terms, running)
  },
)

type Running = View<SubscriberSpec, SubscriberStatus> | undefined

const subscriberRef = (self: Named): Named => ({ namespace: self.namespace, name: nameValue(self.name) })

/** What the subscription shows while nothing new is provisioned: what runs, as it was last written (§7.4). */
function lastStatus({ self }: Scene, running: Running): Status {
  const { approval, approvalRequest, url } = self.status
  const asked = { ...(approval && { approval }), ...(approvalRequest && { approvalRequest }) }
  if (running === undefined) return asked
  const scopes = running.spec.appliedScopes ?? []
  const { subscriptionId } = running.status
  return {
    ...asked,
    subscriber: refTo(running),
    ...(scopes.length > 0 && { activeScopes: scopes }),
    ...(subscriptionId && { subscriptionID: subscriptionId }),
    ...(url && { url }),
  }
}

function stopped(scene: Scene, stop: Stop, running: Running): Plan<Status> {
  const { self, world } = scene
  const denial = denialOf(world, self)
  if (denial !== undefined) return forbidden(scene, denial)
  const conditions = lastApproval(self)
  if (stop.ends !== true)
    return waiting(stop.obstacle, stop.message, { status: lastStatus(scene, running), conditions })
  const remove = [childRef(Subscriber, subscriberRef(self))]
  return waiting(stop.obstacle, stop.message, { status: lastStatus(scene, undefined), remove, conditions })
}

/** Decisions §4.6: an approval that was withdrawn counts even where nothing else could be checked. */
function forbidden(scene: Scene, state: string): Plan<Status> {
  const { approvalRequest } = scene.self.status
  const keep: ChildRef[] = approvalRequest ? [childRef(ApprovalRequest, approvalRequest)] : []
  const message = withdrawn(state)
  const conditions = [verdict('ApprovalGranted', false, state, message)]
  return denied('AccessDenied', message, { status: lastStatus(scene, undefined), keep, conditions })
}

const withdrawn = (state: string): string => `The approval is ${state.toLowerCase()}: ask the owner of the exposure`

function lastApproval(self: View): readonly Verdict[] {
  const last = self.condition('ApprovalGranted')
  return last === undefined ? [] : [verdict(last.type, last.status === 'True', last.reason, last.message)]
}

function answered(scene: Scene, terms: Terms, running: Running): Plan<Status> {
  const answer = ask(scene, terms)
  const { result, state, children, remove, conditions, refs } = answer
  if (result === 'granted') return provision(scene, terms, answer, running)
  if (result === 'denied') return denied('AccessDenied', withdrawn(state), { children, conditions, status: refs })
  const stands = grantedBetween(scene, terms)
  const status = { ...lastStatus(scene, stands ? running : undefined), ...refs }
  const ended = stands ? remove : [...remove, childRef(Subscriber, subscriberRef(scene.self))]
  const request = `ApprovalRequest ${keyOf(refs.approvalRequest)}`
  if (result === 'pending') {
    const message = `${request} waits for a decision by team ${terms.provider.team}`
    return waiting('ApprovalPending', message, { children, remove: ended, conditions, status })
  }
  const message = `${request} was rejected: ask the owner of the exposure`
  const plan = waiting('AccessDenied', message, { children, remove: ended, status })
  return { ...plan, conditions: [notReady('AccessDenied', message), done(message), ...conditions] }
}

/**
 * Decisions §8.22: what runs goes on while something new is asked, but only by a grant between the very teams that are
 * concerned now. A Publisher that changed hands would otherwise serve people its new owner never decided on.
 */
function grantedBetween({ self, world }: Scene, { requestor, provider }: Terms): boolean {
  const granted = world.get(Approval, approvalRefOf(self))?.spec
  const same = (a: string | undefined, b: string): boolean => a?.toLowerCase() === b.toLowerCase()
  return (
    granted === undefined ||
    (same(granted.decider.teamName, provider.team) && same(granted.requester.teamName, requestor.team))
  )
}

function ask({ self, world }: Scene, { offer, requestor, provider }: Terms): Answer {
  const { eventType, zone } = self.spec
  const scopes = [...new Set(self.spec.scopes ?? [])].toSorted()
  return approve(world, {
    self,
    properties: { eventType, scopes, resource_type: 'event', resource_name: eventType },
    boundTo: requestor.team.toLowerCase(),
    requester: {
      teamName: requestor.team,
      teamEmail: requestor.teamEmail,
      reason: `Team ${requestor.team} requests event ${eventType} from zone ${zone.name}`,
      applicationRef: applicationRef(self.spec.requestor),
    },
    decider: {
      teamName: provider.team,
      teamEmail: provider.teamEmail,
      applicationRef: applicationRef(offer.provider),
    },
    strategy: offer.approval.strategy,
    trustedTeams: offer.approval.trustedTeams,
    labels: { [label('domain')]: 'event' },
  })
}

const applicationRef = (ref: TypedRef): TypedRef => ({
  apiVersion: apiVersionOf(Application),
  kind: Application.kind,
  ...refTo(ref),
})

function provision(scene: Scene, terms: Terms, answer: Answer, running: Running): Plan<Status> {
  const { self, world, environment } = scene
  const { remove, conditions, refs } = answer
  const { publisher, ref } = terms.offer
  if (publisher === undefined) {
    const message = `EventExposure ${keyOf(ref)} has no Publisher yet`
    const status = { ...lastStatus(scene, running), ...refs }
    return waiting('PreconditionNotMet', message, { children: answer.children, remove, conditions, status })
  }
  const subscriber = subscriberChild(self, subscriberRef(self), terms, publisher)
  const children = [...answer.children, subscriber]
  const scopes = subscriber.spec.appliedScopes ?? []
  const subscriptionId = running?.status.subscriptionId
  const status: Status = {
    ...refs,
    subscriber: refTo(subscriber),
    ...(scopes.length > 0 && { activeScopes: scopes }),
    ...(subscriptionId && { subscriptionID: subscriptionId }),
  }
  const made = { children, remove, conditions, status }
  const trouble = troubleOf(world.get(Subscriber, subscriberRef(self)))
  if (self.spec.delivery.type === 'Callback') return trouble === undefined ? provisioned(made) : underWay(made, trouble)
  if (trouble !== undefined) return waiting('SubResourceNotReady', trouble, made)
  const stream = world.derive(sseUrlOf, environment, self.spec.eventType, self.spec.zone.name)
  return streamed(made, stream, subscriptionId, subscriber)
}

/** What keeps the Subscriber from being registered, or one of before from going, in its own words: a backend that does not answer, say. */
function troubleOf(subscriber: Running): string | undefined {
  const condition = subscriber?.ready === false ? subscriber.condition('Ready') : undefined
  if (subscriber === undefined || condition?.status !== 'False') return undefined
  const what = subscriber.deleting ? 'has to be removed before it can be made again' : 'is not ready'
  return `Subscriber ${keyOf(subscriber)} ${what}: ${condition.message}`
}

interface Made {
  readonly children: Plan['children']
  readonly remove: Plan['remove']
  readonly conditions: readonly Verdict[]
  readonly status: Status
}

/** §4.3: a stream is read at the gateway of the subscriber's own zone, under its own id; blocked until then (§7.2 rows 20, 21). */
function streamed(made: Made, stream: string | undefined, id: string | undefined, subscriber: Named): Plan<Status> {
  if (stream === undefined) return waiting('Blocked', 'The stream of the zone is being made', made)
  if (id === undefined)
    return waiting('SubResourceNotReady', `Subscriber ${keyOf(subscriber)} has no subscription id yet`, made)
  return provisioned({ ...made, status: { ...made.status, url: joinUrl(stream, id) } })
}

/** Event-domain §7.2 row 23: a callback waits for its Subscriber, which goes on by itself. */
function underWay(made: Made, message: string): Plan<Status> {
  const reason = 'SubResourceNotReady'
  const conditions = [notReady(reason, message), processing(reason, message), ...made.conditions]
  return { ...waiting(reason, message, made), conditions }
}
