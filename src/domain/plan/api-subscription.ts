import { approve, type Answer, denialOf } from '#domain/approval/approve.ts'
import { blocked, done, notReady, verdict, type Verdict } from '#domain/condition.ts'
import { environmentOf, keyOf } from '#domain/environment.ts'
import { apiVersionOf } from '#domain/kind.ts'
import { adviceOnApiSubscription, ApiSubscription } from '#domain/kinds/api/api-subscription.ts'
import { Application } from '#domain/kinds/application/application.ts'
import { ApprovalRequest } from '#domain/kinds/approval/approval-request.ts'
import { ConsumeRoute, type ConsumeRouteSpec, type ConsumeRouteStatus } from '#domain/kinds/gateway/consume-route.ts'
import { compareText, label, type Named, refTo, type TypedRef } from '#domain/object.ts'
import { advised } from './advised.ts'
import type { ApiSubscriptionSpec, ApiSubscriptionStatus } from './api-offer.ts'
import { type Scene, type Stop, type Terms, termsOf } from './api-subscription-checks.ts'
import { type Consumption, consumptionOf } from './api-subscription-consumption.ts'
import { grantStands } from './api-subscription-grant.ts'
import { planRemote } from './api-subscription-remote.ts'
import { isObstacle } from './obstacle.ts'
import { type ChildRef, childRef, denied, type Plan, type Planner, provisioned, waiting } from './plan.ts'
import { defineIndex, indexKey, type View } from './world.ts'

type Status = ApiSubscriptionStatus

const consumeRoutesByOwner = defineIndex<ConsumeRouteSpec, ConsumeRouteStatus>({
  name: 'consumeRoutesByApiSubscription',
  kind: ConsumeRoute,
  keys: ({ metadata }) =>
    (metadata.ownerReferences ?? [])
      .filter((owner) => owner.controller === true && owner.kind === ApiSubscription.kind)
      .map((owner) => indexKey(metadata.namespace ?? '', owner.name)),
})

/** §2.4, platform §3.5: asks for approval and lets the application call the API. */
export const planApiSubscription: Planner<ApiSubscriptionSpec | undefined, Status> = advised(
  adviceOnApiSubscription,
  (self, world) => {
    const { spec } = self
    if (spec === undefined)
      return waiting('ValidationFailed', 'No spec is given: name the API and the application in spec', { status: {} })
    const environment = environmentOf(self.namespace, self.labels)
    const scene: Scene = { self, spec, world, environment, standing: self.status.consumeRoute ? 'standing' : 'new' }
    if ((spec.organization ?? '') !== '') return planRemote(scene)
    const terms = termsOf(scene)
    return isObstacle(terms) ? stopped(scene, terms) : answered(scene, terms)
  },
)

/** What is asked and answered, without what is provisioned. */
function askedStatus({ status }: View<unknown, Status>): Status {
  const { approval, approvalRequest } = status
  return { ...(approval && { approval }), ...(approvalRequest && { approvalRequest }) }
}

function lastApproval(self: View): readonly Verdict[] {
  const last = self.condition('ApprovalGranted')
  return last === undefined ? [] : [verdict(last.type, last.status === 'True', last.reason, last.message)]
}

function stopped(scene: Scene, stop: Stop): Plan<Status> {
  const { self, world } = scene
  const denial = denialOf(world, self)
  if (denial !== undefined) return forbidden(self, denial, stop.verdicts)
  const conditions = [...stop.verdicts, ...lastApproval(self)]
  const { status, remove } = stop.ends ? ended(scene) : held(scene)
  return waiting(stop.obstacle, stop.message, { status, remove, conditions })
}

type Held = Pick<Plan<Status>, 'status' | 'remove'>

const ended = (scene: Scene): Held => ({ status: askedStatus(scene.self), remove: consumeRoutesOf(scene) })

/** What runs stays as long as the grant it runs by is one of the team that provides the API now (decisions §8.22). */
const held = (scene: Scene): Held =>
  grantStands(scene) ? { status: { ...scene.self.status }, remove: [] } : ended(scene)

/** All it owns, also what its status does not know of. */
const consumeRoutesOf = ({ self, world }: Scene): readonly ChildRef[] =>
  world.list(consumeRoutesByOwner, indexKey(self.namespace, self.name)).map((route) => childRef(ConsumeRoute, route))

/** Decisions §4.6: an approval that was withdrawn counts even where nothing else could be checked. */
function forbidden(self: View<unknown, Status>, state: string, verdicts: readonly Verdict[]): Plan<Status> {
  const { approvalRequest } = self.status
  const keep: ChildRef[] = approvalRequest ? [childRef(ApprovalRequest, approvalRequest)] : []
  const message = withdrawn(state)
  const conditions = [...verdicts, verdict('ApprovalGranted', false, state, message)]
  return denied('AccessDenied', message, { status: askedStatus(self), keep, conditions })
}

const withdrawn = (state: string): string => `The approval is ${state.toLowerCase()}: ask the owner of the API`

function answered(scene: Scene, terms: Terms): Plan<Status> {
  const answer = ask(scene, terms)
  const { result, state, children, remove, refs } = answer
  const conditions = [...terms.verdicts, ...answer.conditions]
  if (result === 'granted') return provision(scene, terms, answer)
  if (result === 'denied') return denied('AccessDenied', withdrawn(state), { children, conditions, status: refs })
  const running = held(scene)
  const parts = { children, remove: [...remove, ...running.remove], status: { ...running.status, ...refs } }
  const request = `ApprovalRequest ${keyOf(refs.approvalRequest)}`
  if (result === 'pending') {
    const message = `${request} waits for a decision by team ${terms.provider.team}`
    return waiting('ApprovalPending', message, { ...parts, conditions })
  }
  const message = `${request} was rejected: ask the owner of the API`
  const plan = waiting('AccessDenied', message, parts)
  return { ...plan, conditions: [notReady('AccessDenied', message), done(message), ...conditions] }
}

/** A new request is made when base path, scopes or one of the two teams change; nothing else matters (platform §3.5.5). */
function ask({ self, spec, world }: Scene, { api, offer, requestor, provider }: Terms): Answer {
  const { apiBasePath, zone } = spec
  const scopes = [...new Set(spec.security?.m2m?.scopes ?? [])].toSorted(compareText)
  return approve(world, {
    self,
    properties: {
      basePath: apiBasePath,
      resource_type: 'API',
      resource_name: apiBasePath,
      ...(scopes.length > 0 && { scopes }),
    },
    boundTo: requestor.team.toLowerCase(),
    requester: {
      teamName: requestor.team,
      teamEmail: requestor.teamEmail,
      reason: `Team ${requestor.team} requests API ${api.ref.name} from zone ${zone.name}`,
      applicationRef: applicationRef(spec.requestor.application),
    },
    decider: {
      teamName: provider.team,
      teamEmail: provider.teamEmail,
      ...(offer.provider && { applicationRef: applicationRef(offer.provider) }),
    },
    strategy: offer.approval.strategy,
    trustedTeams: offer.approval.trustedTeams,
    labels: { [label('domain')]: 'api' },
  })
}

const applicationRef = (ref: Named): TypedRef => ({
  apiVersion: apiVersionOf(Application),
  kind: Application.kind,
  ...refTo(ref),
})

function provision(scene: Scene, terms: Terms, answer: Answer): Plan<Status> {
  const consumption = consumptionOf(scene, terms)
  const { keep, lacking } = consumption
  const parts = {
    children: [...answer.children, ...consumption.children],
    keep,
    remove: answer.remove,
    status: { ...answer.refs, ...consumedStatus(scene, consumption) },
    conditions: [...terms.verdicts, ...answer.conditions, ...credentialsRemark(scene.spec, terms)],
  }
  if (lacking.length === 0) return provisioned(parts)
  const message = `ApiExposure ${keyOf(terms.offer.ref)} has no route in zone ${lacking.join(', ')} yet: it appears once the zone is served`
  return {
    ...waiting('SubResourceNotReady', message, parts),
    conditions: [notReady('SubResourceNotReady', message), blocked(message), ...parts.conditions],
  }
}

/** What a zone without a route had last is still shown: it is kept. */
function consumedStatus({ self }: Scene, consumption: Consumption): Status {
  const { route = self.status.route, consumeRoute = self.status.consumeRoute } = consumption
  const { failoverRoutes, failoverConsumeRoutes } = consumption
  return {
    ...(route && { route }),
    ...(consumeRoute && { consumeRoute }),
    ...(failoverRoutes.length > 0 && { failoverRoutes }),
    ...(failoverConsumeRoutes.length > 0 && { failoverConsumeRoutes }),
  }
}

/** Decisions §6.11: own client credentials are for the token endpoint of the provider. */
function credentialsRemark({ security }: ApiSubscriptionSpec, { offer }: Terms): readonly Verdict[] {
  if (security?.m2m?.client === undefined) return []
  if (offer.hasExternalIdp)
    return [
      verdict('ClientCredentialsUsed', true, 'ExternalIdp', 'Tokens for the upstream are asked for with this client'),
    ]
  const message = `spec.security.m2m.client has no effect: ApiExposure ${keyOf(offer.ref)} names no external identity provider`
  return [verdict('ClientCredentialsUsed', false, 'NoExternalIdp', message)]
}
