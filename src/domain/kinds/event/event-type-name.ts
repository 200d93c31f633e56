import type { Schema } from '#domain/schema.ts'
import { s } from '#domain/schema.ts'
import { majorOf, quote, when } from '#domain/kinds/advice.ts'

/** Lower-case letters and digits, separated by single dots or hyphens (§6.1). */
export const eventTypeName = (doc: string, maxLength?: number): Schema<string> =>
  s.string({
    minLength: 1,
    ...(maxLength === undefined ? {} : { maxLength }),
    pattern: '^[a-z0-9]+([.-][a-z0-9]+)*$',
    doc,
  })

/** The custom that a type ends in `.v<major>`; types that do not are accepted. */
export function adviceOnName(field: string, type: string, version?: string): readonly string[] {
  const suffix = /\.v(\d+)$/.exec(type.slice(-24))?.[1]
  const major = version === undefined ? undefined : majorOf(version)
  return [
    ...when(
      suffix === undefined,
      () =>
        `${field} ${quote(type)} does not end in .v<major>: end it in .v${major ?? '1'} so that a breaking change gets a new type`,
    ),
    ...when(
      suffix !== undefined && major !== undefined && suffix !== major,
      () =>
        `${field} ${quote(type)} ends in .v${suffix} but the major version of spec.version is ${quote(major ?? '')}: make them equal`,
    ),
  ]
}
