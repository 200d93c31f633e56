import { defineKind, READY_COLUMNS, ZONE_COLUMN } from '#domain/kind.ts'
import type { Resource } from '#domain/object.ts'
import { s, type Infer } from '#domain/schema.ts'

const Spec = s.object(
  {
    url: s.uri({ minLength: 1, doc: 'Address of the configuration backend.' }),
    tokenUrl: s.uri({ minLength: 1, doc: 'Where the client gets its tokens.' }),
    clientId: s.string({ minLength: 1, doc: 'Client used to configure the backend.' }),
  },
  {
    clientSecret: s.string({ secret: 'given', doc: 'Secret of that client.' }),
    overwriteEnvironmentName: s.string({ doc: 'The environment as the backend knows it.' }),
  },
)
const Status = s.object({})

export type EventStoreSpec = Infer<typeof Spec>
export type EventStoreStatus = Infer<typeof Status>

export const EventStore = defineKind<EventStoreSpec, EventStoreStatus>({
  group: 'pubsub.cp.ei.vendor.de',
  kind: 'EventStore',
  plural: 'eventstores',
  doc: 'The event backend as it is configured for one zone.',
  spec: s.but(Spec, { doc: 'How the event backend is reached, and with which client.' }),
  status: s.but(Status, {
    doc: 'Whether the configuration is complete; whether the backend answers is said by each Subscriber.',
  }),
  columns: [{ name: 'Url', type: 'string', path: '.spec.url' }, ZONE_COLUMN, ...READY_COLUMNS],
  written: 'by-platform',
})
export type EventStore = Resource<EventStoreSpec, EventStoreStatus>
