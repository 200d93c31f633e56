import type { User } from '#domain/kind.ts'

/** What someone wants to do, in the words of Kubernetes' access reviews. */
export interface Wish {
  readonly verb: string
  readonly group: string
  readonly resource: string
  readonly subresource: string | undefined
  readonly namespace: string | undefined
  readonly name: string | undefined
}

/** The seam for roles: undefined allows, a text says why not. */
export type Access = (user: User, wish: Wish) => string | undefined

export const mastersOnly: Access = (user, wish) =>
  user.platform === true || user.groups.includes('system:masters')
    ? undefined
    : `user "${user.name}" cannot ${wish.verb} ${wish.resource}${wish.group === '' ? '' : `.${wish.group}`}`
