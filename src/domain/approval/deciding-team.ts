import type { Decider } from '#domain/kinds/approval/parties.ts'

/** Who has to decide, in the middle of a sentence; a request that was restored need not name the team. */
export const decidingTeam = ({ teamName }: Decider): string => (teamName ? `team ${teamName}` : 'the owning team')

/** The same at its beginning. */
export const leadingTeam = (decider: Decider): string => decidingTeam(decider).replace(/^t/, 'T')
