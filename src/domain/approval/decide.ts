import { equal } from '#domain/equal.ts'
import type { FieldError } from '#domain/errors.ts'
import type { User } from '#domain/kind.ts'
import type { ApprovalState, Decision, Transition } from '#domain/kinds/approval/parties.ts'
import type { Strategy } from './state-machine.ts'

/** The name under which the platform decides. */
export const SYSTEM = 'System'

export interface Decided {
  readonly strategy: Strategy
  readonly state: ApprovalState
  readonly decisions?: readonly Decision[] | undefined
}

/** A change of state as someone asks for it. */
export interface Change {
  readonly before: Decided
  readonly after: Decided
  readonly user: User
  readonly now: string
  readonly allowed: readonly Transition[]
}

/**
 * The decisions after the change: those before it, whatever was sent for them, and one by the authenticated person
 * (decisions §4.7). Of what the client sent only the comment of the new decision counts.
 */
export function decisionsAfter(change: Change): readonly Decision[] {
  const { before, after, user, now } = change
  const made = before.decisions ?? []
  if (before.state === after.state) return made
  const comment = commentOf(change)
  return [
    ...made,
    { ...personOf(user), ...(comment === undefined ? {} : { comment }), timestamp: now, resultingState: after.state },
  ]
}

const sentAnew = ({ before, after }: Change): readonly Decision[] =>
  (after.decisions ?? []).filter((sent) => !(before.decisions ?? []).some((made) => equal(made, sent)))

/** Either everything made before was sent again with more behind it, or a merge patch sent the new entry alone. */
function commentOf(change: Change): string | undefined {
  const { before, after } = change
  const added = sentAnew(change)
  const isLonger = (after.decisions ?? []).length > (before.decisions ?? []).length
  return isLonger || added.length === 1 ? added.at(-1)?.comment : undefined
}

/** A comment that is recorded nowhere must not disappear without a word. */
export function unrecorded(change: Change): readonly string[] {
  const { before, after } = change
  const recorded = before.state === after.state ? undefined : commentOf(change)
  const lost = sentAnew(change).some(({ comment }) => comment !== undefined && comment !== recorded)
  if (!lost) return []
  const how = 'a comment is recorded with the decision it explains: send one new entry together with a new spec.state'
  return [`spec.decisions: what was sent is not recorded; ${how}`]
}

/** Why the change is refused, if it is: no such transition, or the second pair of eyes is the first one again. */
export function refusal({ before, after, user, allowed }: Change): FieldError | undefined {
  if (before.state === after.state) return undefined
  if (!allowed.some((t) => t.to === after.state)) return illegal(before.state, after.state, allowed)
  if (after.strategy !== 'FourEyes' || after.state !== 'Granted') return undefined
  const first = (before.decisions ?? []).findLast((d) => d.name !== SYSTEM)
  if (first === undefined) return atState(after.state, 'four eyes need a first decision by another person')
  if (!samePerson(first, personOf(user))) return undefined
  return atState(
    after.state,
    `four eyes need two people, and ${user.name} made the last decision; ask someone else to decide`,
  )
}

/** Fills what the platform leaves to the server: when a decision was made and what it led to. */
export const completed = (decided: Decided, now: string): readonly Decision[] =>
  (decided.decisions ?? []).map((d) => Object.assign({ timestamp: now, resultingState: decided.state }, d))

/** What is restored says who decided: the person who restores it did not. */
export const nameless = ({ decisions = [] }: Pick<Decided, 'decisions'>): readonly FieldError[] =>
  decisions.flatMap(({ name }, i) =>
    name === ''
      ? [{ reason: 'FieldValueRequired' as const, field: `spec.decisions[${i}].name`, message: 'Required value' }]
      : [],
  )

type Person = Pick<Decision, 'name' | 'email'>

/** Nobody becomes the platform by carrying its name. */
export const personOf = (user: User): Person => ({
  name: user.name === SYSTEM ? `user:${SYSTEM}` : user.name,
  ...(user.email === undefined ? {} : { email: user.email }),
})

function samePerson(a: Person, b: Person): boolean {
  const key = (text: string | undefined): string => (text ?? '').trim().toLowerCase()
  return key(a.name) === key(b.name) || (key(a.email) !== '' && key(a.email) === key(b.email))
}

const atState = (state: ApprovalState, why: string): FieldError => ({
  reason: 'FieldValueInvalid',
  field: 'spec.state',
  message: `Invalid value: "${state}": ${why}`,
})

function illegal(from: ApprovalState, to: ApprovalState, allowed: readonly Transition[]): FieldError {
  const targets = [...new Set(allowed.map((t) => t.to))].filter((state) => state !== 'Expired')
  const choice = targets.length === 0 ? 'nothing can be decided any more' : `it can become ${targets.join(' or ')}`
  return atState(to, `not possible from ${from}; ${choice}`)
}
