import { defineKind, READY_COLUMNS, ref, ZONE_COLUMN } from '#domain/kind.ts'
import type { Resource } from '#domain/object.ts'
import { s, type Infer } from '#domain/schema.ts'
import { IpRestrictions } from '#domain/kinds/shared.ts'

const Spec = s.object(
  {
    gateway: ref('The gateway that knows the consumer.'),
    name: s.string({ minLength: 1, maxLength: 255, doc: 'Equals the `azp` claim of its tokens.' }),
  },
  { security: s.object({}, { ipRestrictions: IpRestrictions }, { doc: 'What is asked of its calls.' }) },
)
const Status = s.object({}, { properties: s.map(s.string(), { doc: 'Ids at an external gateway.' }) })

export type ConsumerSpec = Infer<typeof Spec>
export type ConsumerStatus = Infer<typeof Status>

export const Consumer = defineKind<ConsumerSpec, ConsumerStatus>({
  group: 'gateway.cp.ei.vendor.de',
  kind: 'Consumer',
  plural: 'consumers',
  doc: 'A caller a gateway knows.',
  spec: s.but(Spec, { doc: 'On which gateway the caller is known, and by which name.' }),
  status: s.but(Status, { doc: 'Whether the consumer is in force.' }),
  columns: [{ name: 'Consumer', type: 'string', path: '.spec.name' }, ZONE_COLUMN, ...READY_COLUMNS],
  written: 'by-platform',
})
export type Consumer = Resource<ConsumerSpec, ConsumerStatus>
