import { stringify } from 'yaml'
import { crdOf } from '#domain/crd.ts'
import { KINDS } from '#domain/kinds/index.ts'

/** Namespaces and events belong to every Kubernetes. */
const OURS = KINDS.filter((kind) => kind.group !== '')

/** One YAML document per kind, ready for `kubectl apply -f -`. */
export function crdsAsYaml(): string {
  return OURS.map((kind) => `---\n${stringify(crdOf(kind), { aliasDuplicateObjects: false })}`).join('')
}
