import { isMap, property } from './parts.ts'

/** More than this nobody reads, and every subscription compares with them. */
const MOST_SCOPES = 1000

/** The names of OAuth2 scopes, in document order and each once; of version 3 only those of client credentials count. */
export function scopesOf(document: unknown, format: 2 | 3): readonly string[] {
  const schemes =
    format === 2
      ? property(document, 'securityDefinitions')
      : property(property(document, 'components'), 'securitySchemes')
  if (!isMap(schemes)) return []
  const found = new Set<string>()
  for (const scheme of Object.values(schemes)) {
    if (property(scheme, 'type') !== 'oauth2') continue
    const holder = format === 2 ? scheme : property(property(scheme, 'flows'), 'clientCredentials')
    const scopes = property(holder, 'scopes')
    if (isMap(scopes)) for (const scope of Object.keys(scopes)) if (found.size < MOST_SCOPES) found.add(scope)
  }
  return [...found]
}
