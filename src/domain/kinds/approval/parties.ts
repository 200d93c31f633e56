import { typedRef } from '#domain/kinds/shared.ts'
import { s, type Infer } from '#domain/schema.ts'

export const REQUEST_STATES = ['Pending', 'Semigranted', 'Granted', 'Rejected'] as const
export const APPROVAL_STATES = [...REQUEST_STATES, 'Suspended', 'Expired'] as const
export const ACTIONS = ['Allow', 'Deny', 'Suspend', 'Resume', 'Expire'] as const

export type RequestState = (typeof REQUEST_STATES)[number]
export type ApprovalState = (typeof APPROVAL_STATES)[number]
export type ApprovalAction = (typeof ACTIONS)[number]

export const Requester = s.object(
  {
    teamName: s.string({ minLength: 1, doc: 'The asking team, `<group>--<team>`.' }),
    teamEmail: s.string({ doc: 'Address of that team.' }),
    reason: s.string({ doc: 'Why it asks.' }),
  },
  {
    applicationRef: typedRef('The asking application.'),
    properties: s.anything({ doc: 'What exactly is asked for; a change of it asks again.' }),
  },
  { doc: 'Who asks for what.' },
)

export const Decider = s.object(
  {},
  {
    teamName: s.string({ doc: 'The deciding team, `<group>--<team>`.' }),
    teamEmail: s.string({ doc: 'Address of that team.' }),
    applicationRef: typedRef('The application that provides what is asked for.'),
  },
  { doc: 'The team that owns what is asked for.' },
)

export const Decision = s.object(
  // Whoever decides need not say who they are: the server knows (decisions §4.7).
  { name: s.string({ default: '', doc: 'Who decided, as authenticated.' }) },
  {
    email: s.string({ doc: 'Address of that person, as authenticated.' }),
    comment: s.string({ maxLength: 2048, doc: 'Why. The only part of a decision that is yours to write.' }),
    timestamp: s.time({ doc: 'When.' }),
    resultingState: s.oneOf(APPROVAL_STATES, { doc: 'What it led to.' }),
  },
)

export const Transitions = s.list(
  s.object({
    action: s.oneOf(ACTIONS, { doc: 'What can be done.' }),
    to: s.oneOf(APPROVAL_STATES, { doc: 'What it leads to.' }),
  }),
  { doc: 'What can be decided now.' },
)

export type Requester = Infer<typeof Requester>
export type Decider = Infer<typeof Decider>
export type Decision = Infer<typeof Decision>
export type Transition = Infer<typeof Transitions>[number]
