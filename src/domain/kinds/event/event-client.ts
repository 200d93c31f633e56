import { ref } from '#domain/kind.ts'
import { s } from '#domain/schema.ts'

/** §2.5 Client: what is left out is filled in by the plan (ID, realm) or by admission (secret). */
export const EventClient = s.object(
  {},
  {
    clientId: s.string({ doc: 'ID of the client; a default is used when it is absent.' }),
    clientSecret: s.string({ secret: 'generated', doc: 'Secret of the client; generated when it is absent.' }),
    realm: ref("Identity realm of the client; when absent, the zone's."),
  },
)

/** §2.5 AdminClient: the identity client that was made, and the generation it was made for. */
export const EventClientStatus = s.object(
  {
    name: s.string({ doc: 'Name of the identity client.' }),
    namespace: s.string({ doc: 'Namespace of the identity client.' }),
    observedGeneration: s.integer({ format: 'int64', doc: 'Generation of the client that was seen.' }),
  },
  { uid: s.string({ doc: 'Uid of the identity client.' }) },
)
