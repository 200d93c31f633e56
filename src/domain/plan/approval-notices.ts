import type { Decider, Decision, Requester } from '#domain/kinds/approval/parties.ts'
import { SYSTEM } from '#domain/approval/decide.ts'
import { labelValue } from '#domain/names.ts'
import type { Named, TypedRef } from '#domain/object.ts'
import { notice } from './notice.ts'
import type { Child } from './plan.ts'
import type { World } from './world.ts'

interface Matter {
  readonly action: string
  readonly target: TypedRef
  readonly requester: Requester
  readonly decider: Decider
  readonly state: string
  readonly decisions?: readonly Decision[] | undefined
}

export interface Occasion {
  /** First part of the purpose: which kind of object, lower case. */
  readonly kind: string
  readonly scenario: 'created' | 'updated' | 'reminder'
  /** Distinguishes this occasion from others of the same object. */
  readonly mark: string
  readonly parties: readonly ('decider' | 'requester')[]
  readonly properties?: Readonly<Record<string, string>> | undefined
}

/** A purpose is part of the name of its template. */
const wordOf = (action: string): string => labelValue(action).replaceAll('.', '-')

type About = Named & { readonly labels: Readonly<Record<string, string>> }

/** Tells the parties of a request or an approval, each once per occasion (platform §10). */
export function approvalNotices(world: World, about: About, matter: Matter, occasion: Occasion): readonly Child[] {
  const { action, target, requester, decider, state } = matter
  const last = occasion.scenario === 'reminder' ? undefined : matter.decisions?.at(-1)
  const teams = { decider: decider.teamName, requester: requester.teamName }
  return occasion.parties.flatMap((party) =>
    notice(world, about, {
      name: `${about.name}--${occasion.mark}--${party}`,
      purpose: [occasion.kind, wordOf(action), occasion.scenario, party].join('--'),
      team: teams[party],
      sender: last === undefined || last.name === SYSTEM ? undefined : last.name,
      properties: {
        state,
        target: `${target.kind ?? ''} ${target.namespace}/${target.name}`,
        requester: requester.teamName,
        decider: decider.teamName ?? '',
        reason: requester.reason,
        ...occasion.properties,
      },
    }),
  )
}
