import type { Decider, Requester } from '#domain/kinds/approval/parties.ts'
import { labelValue } from '#domain/names.ts'
import { label, type TypedRef } from '#domain/object.ts'

interface Labelled {
  readonly action: string
  readonly target: TypedRef
  readonly requester: Pick<Requester, 'teamName'>
  readonly decider: Decider
  readonly strategy: string
}

const TARGET_KIND = label('target.kind')
const TARGET_NAME = label('target.name')
const REQUESTER_TEAM = label('requester.team')
const DECIDER_TEAM = label('decider.team')
const ACTION = label('action')
const STRATEGY = label('approval.strategy')

/** By these a request and its approval are found (platform §4.2). */
export const approvalLabels = (o: Labelled): Readonly<Record<string, string>> => ({
  [TARGET_KIND]: labelValue(o.target.kind ?? ''),
  [TARGET_NAME]: labelValue(o.target.name),
  [REQUESTER_TEAM]: labelValue(o.requester.teamName),
  [DECIDER_TEAM]: labelValue(o.decider.teamName ?? ''),
  [ACTION]: labelValue(o.action),
  [STRATEGY]: labelValue(o.strategy),
})
