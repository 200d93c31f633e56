import { stringify } from 'yaml'
import { crdOf } from '#domain/crd.ts'
import { KINDS } from '#domain/kinds/index.ts'

/** One YAML document per kind, ready for `kubectl apply -f -`. */
export function printCrds(): void {
  process.stdout.write(
    KINDS.filter(({ group }) => group !== '')
      .map((kind) => `---\n${stringify(crdOf(kind), { aliasDuplicateObjects: false })}`)
      .join(''),
  )
}
