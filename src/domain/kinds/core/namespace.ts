import { defineKindWithOptionalSpec, type Admission, type Admitted, type ResourceOf } from '#domain/kind.ts'
import { s, type Infer } from '#domain/schema.ts'

const Spec = s.object(
  {},
  { finalizers: s.list(s.string(), { doc: 'Who has to be done before the namespace can go.' }) },
)
const Status = s.object(
  {},
  { phase: s.oneOf(['Active', 'Terminating'], { doc: 'Whether the namespace is being emptied.' }) },
)

type Request = Admission<Infer<typeof Spec>, Infer<typeof Status>>
type Verdict = Admitted<Infer<typeof Spec>, Infer<typeof Status>>

/** Selects a namespace by name where only labels can be used, as Kubernetes labels it. */
const NAME_LABEL = 'kubernetes.io/metadata.name'

function admitNamespace({ object, old }: Request): Verdict {
  const { metadata } = object
  const labels = { ...metadata.labels, [NAME_LABEL]: metadata.name }
  const spec = old?.spec ?? { finalizers: ['kubernetes'] }
  const status = object.status ?? { phase: 'Active' as const }
  return { object: { ...object, metadata: { ...metadata, labels }, spec, status } }
}

/** The space within which names are unique. Made by the first write into it; empties what it holds when deleted. */
export const Namespace = defineKindWithOptionalSpec<Infer<typeof Spec>, Infer<typeof Status>>({
  group: '',
  kind: 'Namespace',
  plural: 'namespaces',
  shortNames: ['ns'],
  scope: 'Cluster',
  doc: 'The space within which names are unique.',
  spec: s.but(Spec, { doc: 'What the namespace waits for when it is deleted.' }),
  status: s.but(Status, { doc: 'Whether the namespace is in use or being emptied.' }),
  columns: [
    { name: 'Status', type: 'string', path: '.status.phase' },
    { name: 'Age', type: 'date', path: '.metadata.creationTimestamp' },
  ],
  admit: admitNamespace,
})
export type Namespace = ResourceOf<typeof Namespace>
