import type { IdentityProviderSpec, IdentityProviderStatus } from '#domain/kinds/identity/identity-provider.ts'
import { provisioned, waiting, type Planner } from './plan.ts'
import { issuerOf, tokenUrlOf } from './zone-issuers.ts'

/** Nothing has to happen for a provider; where it can be administered, the addresses for that follow (platform §6.1). */
export const planIdentityProvider: Planner<IdentityProviderSpec, IdentityProviderStatus> = (self) => {
  const { managed, adminUrl, url } = self.spec
  if (managed !== 'Admin') return provisioned({ status: {} })
  if (adminUrl === undefined) {
    return waiting('ValidationFailed', 'No adminUrl is given; add it, or let the provider be External', { status: {} })
  }
  const cut = adminUrl.indexOf('/admin')
  const base = cut < 0 ? adminUrl : adminUrl.slice(0, cut)
  return provisioned({
    status: {
      adminUrl,
      adminTokenUrl: tokenUrlOf(`${base}/realms/master`),
      adminConsoleUrl: `${issuerOf(url, 'master')}/console`,
    },
  })
}
