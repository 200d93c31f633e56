import type { Admission, Admitted } from '#domain/kind.ts'
import { NAME_PATTERN } from '#domain/kinds/shared.ts'

const NAME = new RegExp(NAME_PATTERN)

/** Zone and group names become parts of namespaces and paths, where `--` separates (decisions §4.12). */
export function admitName<Spec, Status>(request: Admission<Spec, Status>): Admitted<Spec, Status> {
  const { object } = request
  if (request.operation === 'update' || NAME.test(object.metadata.name)) return { object }
  const message = `Invalid value: "${object.metadata.name}": lower case letters and digits, joined by single hyphens`
  return { object, errors: [{ reason: 'FieldValueInvalid', field: 'metadata.name', message }] }
}
