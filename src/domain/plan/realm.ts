import { keyOf } from '#domain/environment.ts'
import { IdentityProvider } from '#domain/kinds/identity/identity-provider.ts'
import type { RealmSpec, RealmStatus } from '#domain/kinds/identity/realm.ts'
import { provisioned, waiting, type Planner } from './plan.ts'
import { issuerOf } from './zone-issuers.ts'

/** A realm is served as soon as its provider is (platform §6.2). */
export const planRealm: Planner<RealmSpec, RealmStatus> = (self, world) => {
  const at = keyOf(self.spec.identityProvider)
  const provider = world.get(IdentityProvider, self.spec.identityProvider)
  if (provider === undefined) {
    return waiting('PreconditionNotMet', `IdentityProvider ${at} does not exist; create it`, { status: {} })
  }
  const { url, adminClientId, adminUserName, adminPassword } = provider.spec
  const { adminUrl, adminTokenUrl } = provider.status
  const status = {
    issuerUrl: issuerOf(url, self.spec.name),
    ...(adminUrl === undefined ? {} : { adminUrl, adminTokenUrl, adminClientId, adminUserName, adminPassword }),
  }
  if (provider.ready) return provisioned({ status })
  return waiting('PreconditionNotMet', `IdentityProvider ${at} is not ready; see its conditions`, { status })
}
