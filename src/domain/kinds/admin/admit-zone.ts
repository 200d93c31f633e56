import type { Admission, Admitted } from '#domain/kind.ts'
import { admitName } from './admit-name.ts'
import type { ZoneSpec, ZoneStatus } from './zone.ts'

/** The name as for groups; secrets that an update leaves out stay (platform §7.2). */
export function admitZone(request: Admission<ZoneSpec, ZoneStatus>): Admitted<ZoneSpec, ZoneStatus> {
  const { object, old } = request
  if (old === undefined) return admitName(request)
  return { object: { ...object, spec: withSecretsOf(old.spec, object.spec) } }
}

/** Only where what they belong to is still there: who removes the whole of it removes its secret as well. */
function withSecretsOf(old: ZoneSpec, spec: ZoneSpec): ZoneSpec {
  const { gateway, identityProvider, redis } = spec
  const gatewayAdmin = kept(old.gateway.admin, gateway.admin, 'clientSecret')
  const providerAdmin = kept(old.identityProvider?.admin, identityProvider?.admin, 'password')
  const server = kept(old.redis, redis, 'password')
  return {
    ...spec,
    ...(gatewayAdmin === undefined ? {} : { gateway: { ...gateway, admin: gatewayAdmin } }),
    ...(providerAdmin === undefined ? {} : { identityProvider: { ...identityProvider, admin: providerAdmin } }),
    ...(server === undefined ? {} : { redis: server }),
  }
}

/** The part with the secret it had; undefined where there is nothing to keep. */
function kept<Part extends { readonly [Name in Field]?: string | undefined }, Field extends string>(
  old: Part | undefined,
  part: Part | undefined,
  field: Field,
): Part | undefined {
  const secret = old?.[field]
  if (part === undefined || secret === undefined || (part[field] ?? '') !== '') return undefined
  return { ...part, [field]: secret }
}
