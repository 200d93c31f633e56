import type { FieldError } from '#domain/errors.ts'
import { compareText } from '#domain/object.ts'
import { isObject } from '#domain/structural-object.ts'
import { type FieldSet, isEmpty, sameSet, union } from './field-set.ts'
import { asFieldSet, setProblem } from './field-step.ts'

/** Who writes, and how: two entries of an object never have the same author. */
export interface Author {
  readonly manager: string
  readonly operation: 'Apply' | 'Update'
  readonly apiVersion: string
  readonly subresource?: string | undefined
}

/** An element of `metadata.managedFields`. */
export interface ManagedFieldsEntry extends Author {
  /** When the author last changed one of its fields. */
  readonly time?: string | undefined
  readonly fieldsType: 'FieldsV1'
  readonly fieldsV1: FieldSet
}

export type Entries = readonly ManagedFieldsEntry[]

export function newEntry(author: Author, fieldsV1: FieldSet, time: string | undefined): ManagedFieldsEntry {
  const { manager, operation, apiVersion, subresource } = author
  const head = { manager, operation, apiVersion, time, fieldsType: 'FieldsV1', fieldsV1 } as const
  return subresource === undefined ? head : { ...head, subresource }
}

export const isBy = (entry: Author, author: Author): boolean =>
  entry.manager === author.manager &&
  entry.operation === author.operation &&
  entry.apiVersion === author.apiVersion &&
  entry.subresource === author.subresource

/** The same authors with the same fields, whenever that was. */
export const sameEntries = (a: Entries, b: Entries): boolean =>
  a === b ||
  (a.length === b.length &&
    a.every((entry) => b.some((other) => isBy(entry, other) && sameSet(entry.fieldsV1, other.fieldsV1))))

/** As many authors of plain updates as Kubernetes keeps apart; the oldest ones become one. */
const MAX_UPDATERS = 10
const ANCIENT = 'ancient-changes'

/** Appliers first, each group by time, as Kubernetes lists them; no entry is empty. */
export function tidy(entries: Entries): Entries {
  return capped(entries.filter(({ fieldsV1 }) => !isEmpty(fieldsV1)).toSorted(byAge))
}

const byAge = (a: ManagedFieldsEntry, b: ManagedFieldsEntry): number =>
  compareText(a.operation, b.operation) ||
  compareText(a.time ?? '', b.time ?? '') ||
  compareText(a.manager, b.manager) ||
  compareText(a.subresource ?? '', b.subresource ?? '')

const isAncient = ({ manager, subresource }: Author): boolean => manager === ANCIENT && subresource === undefined

function capped(entries: Entries): Entries {
  const updates = entries.filter(({ operation }) => operation === 'Update')
  const updaters = [...updates.filter(isAncient), ...updates.filter((entry) => !isAncient(entry))]
  if (updaters.length <= MAX_UPDATERS) return entries
  const recent = updaters.slice(1 - MAX_UPDATERS)
  const ancient = updaters.slice(0, 1 - MAX_UPDATERS)
  const { apiVersion, time } = ancient.at(-1)!
  const all = ancient.map(({ fieldsV1 }) => fieldsV1).reduce(union)
  const merged = newEntry({ manager: ANCIENT, operation: 'Update', apiVersion }, all, time)
  return [...entries.filter(({ operation }) => operation === 'Apply'), merged, ...recent]
}

/** What a client may send as a manager; Kubernetes counts bytes, and so much text is never more. */
const MAX_MANAGER = 128
const RFC_3339 = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:\d{2})$/
/** Kubernetes keeps any number of appliers, and with it lets an object grow without bound. */
export const MAX_ENTRIES = 100

/** Entries as a client sent them. They are few and small, or refused. */
export function entryErrors(sent: readonly unknown[]): readonly FieldError[] {
  if (sent.length > MAX_ENTRIES) {
    const message = `Too many: ${sent.length}: must have at most ${MAX_ENTRIES} items`
    return [{ reason: 'FieldValueTooMany', field: 'metadata.managedFields', message }]
  }
  return sent.flatMap((entry, i) => {
    const [field, problem] = entryProblem(entry) ?? []
    if (field === undefined) return []
    const at = `metadata.managedFields[${i}]${field}`
    return [{ reason: 'FieldValueInvalid' as const, field: at, message: `Invalid value: ${problem}` }]
  })
}

function entryProblem(entry: unknown): readonly [string, string] | undefined {
  if (!isObject(entry)) return ['', 'must be an object']
  const { manager, operation, apiVersion, time, fieldsType, fieldsV1, subresource } = entry
  if (operation !== 'Apply' && operation !== 'Update') return ['.operation', 'must be "Apply" or "Update"']
  if (fieldsType !== 'FieldsV1') return ['.fieldsType', 'must be "FieldsV1"']
  for (const [field, text] of Object.entries({ manager, apiVersion, time, subresource })) {
    if (text !== undefined && (typeof text !== 'string' || text.length > MAX_MANAGER))
      return [`.${field}`, `must be a text of at most ${MAX_MANAGER} bytes`]
  }
  if (time !== undefined && !RFC_3339.test(time as string)) return ['.time', 'must be an RFC 3339 time']
  const problem = setProblem(fieldsV1 ?? {})
  return problem === undefined ? undefined : ['.fieldsV1', problem]
}

type SentEntry = Partial<ManagedFieldsEntry> & Pick<Author, 'operation'>

/** Entries a client sent, once `entryErrors` found nothing; those of one author become one. */
export function readEntries(sent: readonly unknown[]): Entries {
  const entries: ManagedFieldsEntry[] = []
  for (const item of sent as readonly SentEntry[]) {
    const { manager = '', operation, apiVersion = '', time, subresource } = item
    const author = { manager, operation, apiVersion, subresource: subresource === '' ? undefined : subresource }
    const fields = asFieldSet(item.fieldsV1 ?? {})
    const at = entries.findIndex((entry) => isBy(entry, author))
    const known = entries[at]
    if (known) entries[at] = { ...known, fieldsV1: union(known.fieldsV1, fields) }
    else entries.push(newEntry(author, fields, time))
  }
  return tidy(entries)
}
