import type { ApprovalAction, ApprovalState, RequestState, Transition } from '#domain/kinds/approval/parties.ts'

export type Strategy = 'Auto' | 'Simple' | 'FourEyes'

interface Rule {
  readonly strategies: readonly Strategy[]
  readonly action: ApprovalAction
  readonly from: readonly ApprovalState[]
  readonly to: ApprovalState
}

const ALL: readonly Strategy[] = ['Auto', 'Simple', 'FourEyes']

/** What can become of a request (platform §4.2). An automatic one is granted from the start. */
const REQUEST_RULES: readonly Rule[] = [
  { strategies: ['Simple'], action: 'Allow', from: ['Pending', 'Rejected'], to: 'Granted' },
  { strategies: ['Simple'], action: 'Deny', from: ['Pending'], to: 'Rejected' },
  { strategies: ['FourEyes'], action: 'Allow', from: ['Pending', 'Rejected'], to: 'Semigranted' },
  { strategies: ['FourEyes'], action: 'Allow', from: ['Semigranted'], to: 'Granted' },
  { strategies: ['FourEyes'], action: 'Deny', from: ['Pending', 'Semigranted'], to: 'Rejected' },
]

/** What can become of an approval (platform §4.3). */
const APPROVAL_RULES: readonly Rule[] = [
  { strategies: ['Auto'], action: 'Allow', from: ['Rejected', 'Expired'], to: 'Granted' },
  { strategies: ['Auto'], action: 'Deny', from: ['Granted', 'Expired'], to: 'Rejected' },
  { strategies: ['Simple'], action: 'Allow', from: ['Pending', 'Rejected', 'Expired'], to: 'Granted' },
  { strategies: ['Simple'], action: 'Deny', from: ['Pending', 'Granted', 'Expired'], to: 'Rejected' },
  { strategies: ['FourEyes'], action: 'Allow', from: ['Pending', 'Rejected'], to: 'Semigranted' },
  { strategies: ['FourEyes'], action: 'Allow', from: ['Semigranted', 'Expired'], to: 'Granted' },
  { strategies: ['FourEyes'], action: 'Deny', from: ['Pending', 'Granted', 'Semigranted', 'Expired'], to: 'Rejected' },
  { strategies: ALL, action: 'Suspend', from: ['Granted'], to: 'Suspended' },
  { strategies: ALL, action: 'Resume', from: ['Suspended'], to: 'Granted' },
  { strategies: ALL, action: 'Expire', from: ['Granted', 'Suspended'], to: 'Expired' },
]

const transitions = (rules: readonly Rule[], strategy: Strategy, from: ApprovalState): readonly Transition[] =>
  rules
    .filter((rule) => rule.strategies.includes(strategy) && rule.from.includes(from))
    .map(({ action, to }) => ({ action, to }))

export const requestTransitions = (strategy: Strategy, from: RequestState): readonly Transition[] =>
  transitions(REQUEST_RULES, strategy, from)

/** All of them, the platform's own Expire included. */
export const approvalTransitions = (strategy: Strategy, from: ApprovalState): readonly Transition[] =>
  transitions(APPROVAL_RULES, strategy, from)
