import { environmentOf, keyOf } from '#domain/environment.ts'
import { IdentityProvider } from '#domain/kinds/identity/identity-provider.ts'
import type { RealmSpec, RealmStatus } from '#domain/kinds/identity/realm.ts'
import { astray, ofEnvironment } from './of-environment.ts'
import { provisioned, waiting, type Planner } from './plan.ts'
import { issuerOf } from './zone-issuers.ts'

/** A realm is served as soon as its provider is (platform §6.2). */
export const planRealm: Planner<RealmSpec, RealmStatus> = (self, world) => {
  const at = keyOf(self.spec.identityProvider)
  const environment = environmentOf(self.namespace, self.labels)
  const provider = ofEnvironment(world, environment, IdentityProvider, self.spec.identityProvider)
  if (provider === undefined) {
    const wanted = { kind: IdentityProvider, ref: self.spec.identityProvider, field: 'spec.identityProvider' }
    const message = astray(world, environment, wanted) ?? `IdentityProvider ${at} does not exist; create it`
    return waiting('PreconditionNotMet', message, { status: {} })
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
