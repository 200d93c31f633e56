import type { Admission, Admitted } from '#domain/kind.ts'

/**
 * Admission that refuses nothing (only the specification refuses) and tells the writer what will not work as written.
 * The advice is silent while an object is being deleted: nobody can follow it any more.
 */
export const advise =
  <Spec, Status>(advice: (spec: Spec) => readonly string[]) =>
  ({ object }: Admission<Spec, Status>): Admitted<Spec, Status> =>
    object.metadata.deletionTimestamp === undefined ? { object, warnings: advice(object.spec) } : { object }

/** The text when the condition holds, as a list to spread. */
export const when = (condition: boolean, text: () => string): readonly string[] => (condition ? [text()] : [])

/** Each value that occurs more than once, named once. */
export function duplicates(values: readonly string[] | undefined): readonly string[] {
  if (values === undefined || values.length < 2) return []
  const seen = new Set<string>()
  const twice = new Set<string>()
  for (const value of values) (seen.has(value) ? twice : seen).add(value)
  return [...twice]
}

export const aboutDuplicates = (field: string, values: readonly string[] | undefined): readonly string[] =>
  duplicates(values)
    .slice(0, 5)
    .map((value) => `${field} names ${quote(value)} more than once: remove the repetition`)

/** `1.4.2` → `1`; the digits a version starts with (§9). */
export const majorOf = (version: string): string | undefined => /^\d+/.exec(version)?.[0]

/** A stranger's text inside a message: short, on one line. */
export const quote = (text: string): string => JSON.stringify(text.length > 80 ? `${text.slice(0, 80)}…` : text)
