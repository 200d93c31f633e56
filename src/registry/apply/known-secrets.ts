import type { Kind } from '#domain/kind.ts'
import type { Resource } from '#domain/object.ts'
import { mapSecrets, secretsIn, secretTree } from '#registry/secret-tree.ts'
import type { SecretVault } from '#registry/secrets.ts'

/** The configuration with the stored reference wherever it repeats a clear text, so that it changes nothing there. */
export function withKnownSecrets(vault: SecretVault, kind: Kind, config: object, live: Resource): object {
  const tree = secretTree(kind)
  if (!tree) return config
  const stored = secretsIn(tree, live)
  if (stored.length === 0) return config
  return mapSecrets(tree, config, (value, { field }) => {
    if (typeof value !== 'string' || value === '') return value
    return stored.find((place) => place.field === field && vault.resolve(place.text) === value)?.text ?? value
  }) as object
}
