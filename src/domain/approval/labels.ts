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

/** By these a request and its approval are found (platform §4.2). */
export const approvalLabels = (o: Labelled): Readonly<Record<string, string>> => ({
  [label('target.kind')]: labelValue(o.target.kind ?? ''),
  [label('target.name')]: labelValue(o.target.name),
  [label('requester.team')]: labelValue(o.requester.teamName),
  [label('decider.team')]: labelValue(o.decider.teamName ?? ''),
  [label('action')]: labelValue(o.action),
  [label('approval.strategy')]: labelValue(o.strategy),
})
