import type { Admission } from '#domain/kind.ts'
import { label, type Resource } from '#domain/object.ts'

type Labels = Readonly<Record<string, string>>

const BASE_PATH = label('basepath')

/**
 * The object with the labels that its spec implies (platform D-13). Labels somebody gave stay, but that of the base path
 * always follows the spec, and one that only repeated the former spec follows the new one.
 */
export function withDerivedLabels<Spec, Status>(
  { object, old }: Pick<Admission<Spec, Status>, 'object' | 'old'>,
  derive: (spec: Spec) => Labels,
): Resource<Spec, Status> {
  const { labels } = object.metadata
  const derived = derive(object.spec)
  const former = old === undefined ? {} : derive(old.spec)
  const due = Object.entries(derived).filter(([key, value]) => {
    const given = labels?.[key]
    return given !== value && (given === undefined || key === BASE_PATH || given === former[key])
  })
  if (due.length === 0) return object
  return { ...object, metadata: { ...object.metadata, labels: { ...labels, ...Object.fromEntries(due) } } }
}
