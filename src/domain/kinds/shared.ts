import { TypedRefSchema } from '#domain/kind.ts'
import type { TypedRef } from '#domain/object.ts'
import { s, type Schema } from '#domain/schema.ts'

/** A reference that also says of what kind the object is. */
export const typedRef = (doc: string): Schema<TypedRef> => s.but(TypedRefSchema, { doc })

/** Zone, group, team and realm names: lower case words joined by single hyphens. */
export const NAME_PATTERN = '^[a-z0-9]+(-[a-z0-9]+)*$'

/** `<group>--<team>` */
export const TEAM_PATTERN = '^[a-z0-9]+(-[a-z0-9]+)*--[a-z0-9]+(-[a-z0-9]+)*$'

/** A duration as in `720h`, `1h30m`, `7d`. */
export const duration = (doc: string): Schema<string> =>
  s.string({ maxLength: 32, pattern: '^([0-9]{1,9}(ms|s|m|h|d))+$', doc })

export const email = (doc: string): Schema<string> => s.string({ format: 'email', minLength: 3, maxLength: 320, doc })

export const visibility = (doc: string, options: { default?: string } = {}): Schema<'World' | 'Zone' | 'Enterprise'> =>
  s.oneOf(['World', 'Zone', 'Enterprise'], { doc, ...options })

export const STRATEGIES = ['Auto', 'Simple', 'FourEyes'] as const

export const IpRestrictions = s.object(
  {},
  {
    allow: s.list(s.string({ minLength: 1, maxLength: 43 }), {
      maxItems: 10,
      doc: 'Addresses or networks (CIDR) that may call.',
    }),
    deny: s.list(s.string({ minLength: 1, maxLength: 43 }), {
      maxItems: 10,
      doc: 'Addresses or networks (CIDR) that may not call.',
    }),
  },
  { doc: 'From which addresses calls are accepted.' },
)

export const ExternalIds = s.list(
  s.object({
    scheme: s.string({
      minLength: 1,
      maxLength: 32,
      pattern: '^[a-z][a-z0-9]*$',
      doc: 'Which register the id is from.',
    }),
    id: s.string({ minLength: 1, maxLength: 128, doc: 'The id in that register.' }),
  }),
  { maxItems: 16, listType: 'map', listMapKeys: ['scheme'], doc: 'Ids of the application in other registers.' },
)
