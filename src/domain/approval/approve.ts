import { verdict, type Verdict } from '#domain/condition.ts'
import { Approval } from '#domain/kinds/approval/approval.ts'
import {
  ApprovalRequest,
  type ApprovalRequestSpec,
  type ApprovalRequestStatus,
} from '#domain/kinds/approval/approval-request.ts'
import type { Decider, Requester } from '#domain/kinds/approval/parties.ts'
import { approvalName, hashOf, nameValue } from '#domain/names.ts'
import type { ObjectRef, TypedRef } from '#domain/object.ts'
import { child, childRef, type Child, type ChildRef } from '#domain/plan/plan.ts'
import { defineIndex, indexKey, type View, type World } from '#domain/plan/world.ts'
import { SYSTEM } from './decide.ts'
import { approvalLabels } from './labels.ts'
import { forbids, permits, stemsFrom } from './standing.ts'
import type { Strategy } from './state-machine.ts'

/** What a subscription asks, of whom, and how the answer is found (platform §4.5). */
export interface Question {
  readonly self: View
  /** A change of these, or of the deciding team, asks again. */
  readonly properties: Readonly<Record<string, unknown>>
  /** What else a grant is bound to: a change of it asks again. */
  readonly boundTo?: string | undefined
  readonly requester: Omit<Requester, 'properties'>
  readonly decider: Decider
  readonly strategy: Strategy
  readonly trustedTeams?: readonly string[] | undefined
  readonly action?: string | undefined
  readonly labels?: Readonly<Record<string, string>> | undefined
}

/**
 * `granted`: go on. `pending`: provision nothing new, keep what runs. `requestDenied`: the same, and nobody will ask
 * again. `denied`: what was provisioned goes at once.
 */
export type ApprovalResult = 'granted' | 'pending' | 'denied' | 'requestDenied'

export interface Answer {
  readonly result: ApprovalResult
  /** The request; for `children` whatever the result is (decisions §8.19). */
  readonly children: readonly Child[]
  /** Requests that ask for something else than now (decisions §4.6). */
  readonly remove: readonly ChildRef[]
  /** ApprovalGranted. */
  readonly conditions: readonly Verdict[]
  /** For the status of the subscription. */
  readonly refs: { readonly approvalRequest: ObjectRef; readonly approval: ObjectRef }
  /** The state behind the result, for messages. */
  readonly state: string
}

/** Requests by what they are about, beside which they have to be: one from elsewhere has no say. */
export const requestsByTarget = defineIndex<ApprovalRequestSpec, ApprovalRequestStatus>({
  name: 'approvalRequestsByTarget',
  kind: ApprovalRequest,
  keys: ({ metadata, spec }) => (metadata.namespace === spec.target.namespace ? [targetKey(spec.target)] : []),
})

export const targetKey = (target: TypedRef): string => indexKey(target.kind ?? '', target.namespace, target.name)

export const approvalRefOf = (self: View): ObjectRef => ({
  name: approvalName(self.kind, self.name),
  namespace: self.namespace,
})

/** The state of an approval that forbids, if there is one: it takes effect before any other check (decisions §4.6). */
export function denialOf(world: World, self: View): string | undefined {
  const spec = world.get(Approval, approvalRefOf(self))?.spec
  return spec !== undefined && forbids(spec) ? spec.state : undefined
}

export function approve(world: World, question: Question): Answer {
  const { self, properties, boundTo, decider } = question
  const name = nameValue(`${self.name}--${hashOf({ properties, boundTo, decider: decider.teamName?.toLowerCase() })}`)
  const approvalRequest = { name, namespace: self.namespace }
  const approval = approvalRefOf(self)
  const request = world.get(ApprovalRequest, approvalRequest)
  // One that somebody else made, under a name that can be guessed, has no say.
  const stored = request?.controllerUid === self.uid ? request.spec : undefined
  const standing = standingOf(world, { name, stored, approval })
  return {
    ...standing,
    children: [requestChild(question, name, stored)],
    remove: world
      .list(requestsByTarget, indexKey(self.kind, self.namespace, self.name))
      .filter((r) => r.name !== name)
      .map((r) => childRef(ApprovalRequest, r)),
    refs: { approvalRequest, approval },
  }
}

interface Found {
  readonly name: string
  readonly stored: ApprovalRequestSpec | undefined
  readonly approval: ObjectRef
}

type Standing = Pick<Answer, 'result' | 'conditions' | 'state'>

/** The order of these lines is the rule (platform §4.5). */
function standingOf(world: World, { name, stored, approval }: Found): Standing {
  const spec = world.get(Approval, approval)?.spec
  if (spec !== undefined && forbids(spec))
    return standing('denied', spec.state, `The approval is ${spec.state.toLowerCase()}`)
  if (stored?.state === 'Rejected') return standing('requestDenied', 'Rejected', 'The request was rejected')
  const waiting = `ApprovalRequest ${name} waits for a decision`
  if (stored === undefined || spec === undefined || !stemsFrom(spec, name, stored))
    return standing('pending', 'Pending', waiting)
  if (permits(spec)) return standing('granted', 'Granted', 'The approval is granted')
  return standing('pending', 'Pending', waiting)
}

const standing = (result: ApprovalResult, state: string, message: string): Standing => ({
  result,
  state,
  conditions: [verdict('ApprovalGranted', result === 'granted', state, message)],
})

/** Trusted are the listed teams and the deciding team itself, whatever the case (platform D-25). */
function isTrusted({ requester, decider, trustedTeams = [] }: Question): boolean {
  const team = requester.teamName.toLowerCase()
  return [...trustedTeams, decider.teamName ?? ''].some((trusted) => trusted.toLowerCase() === team)
}

/**
 * The request as it should be. Once decided, its strategy, state and decisions stay; while it is pending, a team that has
 * become trusted is let in.
 */
function requestChild(question: Question, name: string, stored: ApprovalRequestSpec | undefined): Child {
  const { self, properties, requester, decider, action = 'subscribe' } = question
  const decided = stored !== undefined && stored.state !== 'Pending'
  const strategy = decided ? stored.strategy : isTrusted(question) ? 'Auto' : question.strategy
  const automatic = strategy === 'Auto'
  const target = { apiVersion: self.apiVersion, kind: self.kind, name: self.name, namespace: self.namespace }
  return child(ApprovalRequest, {
    namespace: self.namespace,
    name,
    needs: 'exists',
    labels: { ...question.labels, ...approvalLabels({ action, target, requester, decider, strategy }) },
    initial: decided ? ['strategy', 'state', 'decisions'] : automatic ? undefined : ['state', 'decisions'],
    spec: {
      action,
      target,
      requester: { ...requester, properties },
      decider,
      strategy,
      state: automatic ? 'Granted' : 'Pending',
      decisions: automatic ? [{ name: SYSTEM, comment: 'Granted automatically', resultingState: 'Granted' }] : [],
    },
  })
}
