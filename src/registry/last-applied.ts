import type { Resource } from '#domain/object.ts'
import { encodeJson, parseJson } from '#lib/json.ts'
import { mapSecrets, secretsIn, type SecretTree } from './secret-tree.ts'

/** Where `kubectl apply` keeps the whole object it sent, clear text included. */
export const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration'

const NOTHING = '$<nothing>'

/** The object with every secret inside that annotation replaced by the reference the object has at the same place. */
export function maskLastApplied(tree: SecretTree, object: Resource): Resource {
  const annotations = object.metadata.annotations
  const text = annotations && Object.hasOwn(annotations, LAST_APPLIED) ? annotations[LAST_APPLIED] : undefined
  if (!annotations || text === undefined) return object
  const masked = maskText(tree, object, text)
  if (masked === text) return object
  return { ...object, metadata: { ...object.metadata, annotations: { ...annotations, [LAST_APPLIED]: masked } } }
}

/** Text that cannot be read could hide anything: it is dropped, and kubectl writes it anew with the next apply. */
function maskText(tree: SecretTree, object: Resource, text: string): string {
  if (text === '') return text
  const value = parse(text)
  if (typeof value !== 'object' || value === null) return '{}'
  const references = new Map(secretsIn(tree, object).map((place) => [place.path, place.text]))
  let held = false
  const masked = mapSecrets(tree, value, (secret, { path }) => {
    if (secret === undefined || secret === '') return secret
    held = true
    return references.get(path) ?? NOTHING
  })
  // Written anew even when only references were read: a key that came twice may hide another value in the text.
  return held ? `${encodeJson(masked)}\n` : text
}

function parse(text: string): unknown {
  try {
    return parseJson(text).value
  } catch {
    return undefined
  }
}
