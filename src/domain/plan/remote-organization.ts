import { environmentOf } from '#domain/environment.ts'
import type { RemoteOrganizationSpec, RemoteOrganizationStatus } from '#domain/kinds/admin/remote-organization.ts'
import { provisioned, type Planner } from './plan.ts'

/** Platform §7.3: what comes from there lives in a namespace of its own. */
export const planRemoteOrganization: Planner<RemoteOrganizationSpec, RemoteOrganizationStatus> = (self) => {
  const environment = environmentOf(self.namespace, self.labels)
  return provisioned({ status: { namespace: `${environment}--${self.spec.id}`.toLowerCase() } })
}
