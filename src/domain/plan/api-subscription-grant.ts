import { approvalRefOf } from '#domain/approval/approve.ts'
import { permits } from '#domain/approval/standing.ts'
import { Approval } from '#domain/kinds/approval/approval.ts'
import { apiInForce } from './api.ts'
import { apiOfferOf } from './api-offer.ts'
import { apiName } from './api-path.ts'
import type { Scene } from './api-subscription-checks.ts'
import { partyOf } from './party.ts'

/**
 * Whether the approval there is was given by the team that provides the API it was given for. It may be for other scopes, or for
 * another API than is asked for now; what was provisioned by it is that. An API that is not registered any more serves nobody,
 * and its name may be another's (platform §3.5.3, step 1).
 */
export function grantStands({ self, world, environment }: Scene): boolean {
  const approval = world.get(Approval, approvalRefOf(self))?.spec
  if (approval === undefined || !permits(approval)) return false
  const basePath = approval.requester.properties?.['basePath']
  if (typeof basePath !== 'string') return false
  if (world.derive(apiInForce, environment, apiName(basePath))?.basePath !== basePath) return false
  const provider = world.derive(apiOfferOf, environment, basePath)?.provider
  if (provider === undefined) return false
  const team = world.derive(partyOf, environment, provider.namespace, provider.name)?.team
  return team === undefined || team.toLowerCase() === approval.decider.teamName?.toLowerCase()
}
