import { wrongDocuments, wrongJson, wrongValues } from './bodies.ts'
import type { Case, Family, World } from './case.ts'
import { wrongFiles } from './files.ts'
import { wrongEncodings, wrongHeaders } from './headers.ts'
import { wrongMetadata } from './metadata.ts'
import { wrongPatches } from './patches.ts'
import { wrongParameters, wrongPaths } from './paths.ts'
import { randomOf } from './random.ts'
import { brokenHttp } from './raw-http.ts'
import { wrongDeletes, wrongReads, wrongWatches } from './reads.ts'

/** Every family and how many of a hundred cases are its own. */
const FAMILIES: readonly (readonly [name: string, share: number, family: Family])[] = [
  ['values', 26, wrongValues],
  ['json', 12, wrongJson],
  ['documents', 5, wrongDocuments],
  ['metadata', 12, wrongMetadata],
  ['patches', 14, wrongPatches],
  ['paths', 6, wrongPaths],
  ['parameters', 6, wrongParameters],
  ['reads', 5, wrongReads],
  ['watches', 3, wrongWatches],
  ['deletes', 3, wrongDeletes],
  ['files', 3, wrongFiles],
  ['headers', 3, wrongHeaders],
  ['encodings', 1, wrongEncodings],
  ['http', 1, brokenHttp],
]

const WHEEL = FAMILIES.flatMap((family) => Array<(typeof FAMILIES)[number]>(family[1]).fill(family))

/** The case of an index: always the same one for a seed, whatever was tried before. */
export function caseOf(seed: number, index: number, world: World): Case & { readonly family: string } {
  const [name, , family] = WHEEL[(index * 61) % WHEEL.length] as (typeof FAMILIES)[number]
  return { family: name, ...family(randomOf(seed, index), world) }
}
