import type { User } from '#domain/kind.ts'
import type { Log } from '#lib/log.ts'
import type { ResourceRoute } from './routes.ts'

export interface Deed {
  readonly user: User
  readonly verb: string
  readonly route: ResourceRoute
  readonly name: string
  readonly code: number
  readonly ms: number
}

/** One line per request that wanted to change something: who, what, how it ended; never what was in it. */
export function audit(log: Log, { user, verb, route, name, code, ms }: Deed): void {
  const { kind, namespace, subresource } = route
  const resource = kind.group === '' ? kind.plural : `${kind.plural}.${kind.group}`
  log.info('write', {
    user: user.name,
    verb,
    resource: subresource === undefined ? resource : `${resource}/${subresource}`,
    object: namespace ? `${namespace}/${name}` : name,
    code,
    ms: Math.round(ms * 1000) / 1000,
  })
}
