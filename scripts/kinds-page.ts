import { apiVersionOf, ConditionSchema, type Kind, ObjectRefSchema, TypedRefSchema } from '#domain/kind.ts'
import { compareText } from '#domain/object.ts'
import type { Schema } from '#domain/schema.ts'
import { exampleOf, notesOn } from './kinds-example.ts'

/** `EventType` → `event-type` */
const pageOf = (kind: Kind): string => kind.kind.replaceAll(/(?<=[a-z0-9])[A-Z]/g, '-$&').toLowerCase()

export const pageName = (kind: Kind): string => `${pageOf(kind)}.md`

const NOTE =
  '<!-- Written by scripts/kinds-docs.ts from src/domain/kinds and scripts/kinds-pages: change those, not this page. -->'

const WORLD = `The examples of all pages are one world. Applied together, in any order, all of them become ready, apart from what their pages
say; this needs an issuer and an event backend that answer at the addresses in them
([what is not part of this version](../../README.md#what-is-not-here-yet)). What Stellwerk writes itself is shown as it follows from
the examples of the other pages, without the secrets.

A field with a default may be left out, also where \`kubectl explain\` calls it required: it is there when rules are checked.`

export function indexPage(kinds: readonly Kind[]): string {
  const groups = Map.groupBy(kinds, (kind) => kind.group)
  const sections = [...groups.keys()].toSorted(compareText).map((group) => {
    const rows = (groups.get(group) ?? []).map((kind) => [
      `[${kind.kind}](${pageName(kind)})`,
      [kind.plural, ...kind.shortNames].join(', '),
      writer(kind),
      kind.doc,
    ])
    return `## ${group}\n\n${table(['Kind', 'Names for kubectl', 'Written by', 'What it is'], rows)}`
  })
  return `${NOTE}\n\n# Kinds\n\n${[WORLD, ...sections, shared()].join('\n\n')}\n`
}

/** Types that occur in many kinds have one name and stand here once. */
const SHARED = new Map<Schema['properties'], string>([
  [ObjectRefSchema.properties, 'ObjectRef'],
  [TypedRefSchema.properties, 'TypedRef'],
  [ConditionSchema.properties, 'Condition'],
])

function shared(): string {
  const refs = { ObjectRef: ObjectRefSchema, TypedRef: TypedRefSchema, Condition: ConditionSchema }
  const parts = Object.entries(refs).map(([name, schema]) => `### ${name}\n\n${fieldTable([...below('', schema)])}`)
  return `## Shared types\n\n${parts.join('\n\n')}`
}

export function kindPage(kind: Kind): string {
  const parts = [
    `${NOTE}\n\n# ${kind.kind}\n\n${kind.doc}`,
    table(['', ''], identity(kind)),
    `## Example\n\n\`\`\`yaml\n${exampleOf(kind, pageOf(kind))}\`\`\``,
    notesOn(pageOf(kind)),
    fields('spec', kind.spec),
    fields('status', kind.status),
    rules(kind),
    `## Columns of \`kubectl get ${kind.plural}\`\n\n${columns(kind)}`,
  ]
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`
}

/** Stellwerk asks, a person answers: both write these. */
const DECIDED = new Set(['Approval', 'ApprovalRequest'])

const WRITERS = {
  you: 'you',
  'Stellwerk; you decide': 'Stellwerk, as a consequence of what you write; you decide in it',
  Stellwerk: 'Stellwerk, as a consequence of what you write',
}

function writer({ kind, written }: Kind): keyof typeof WRITERS {
  if (DECIDED.has(kind)) return 'Stellwerk; you decide'
  return written === 'by-people' ? 'you' : 'Stellwerk'
}

function identity(kind: Kind): string[][] {
  return [
    ['apiVersion', code(apiVersionOf(kind))],
    ['kind', code(kind.kind)],
    ['Names for kubectl', [kind.plural, kind.singular, ...kind.shortNames].map(code).join(', ')],
    ['Scope', kind.scope],
    ['Written by', WRITERS[writer(kind)]],
    ['Unknown fields', kind.preserveUnknown ? 'preserved' : 'pruned'],
    ['`spec`', kind.specRequired ? 'required' : 'may be absent'],
  ]
}

function fields(name: string, schema: Schema): string {
  const rows = [...below(name, schema)]
  if (rows.length === 0) return ''
  const words = [`## ${name === 'spec' ? 'Spec' : 'Status'}`, schema.doc, fieldTable(rows)]
  return words.filter((part) => part !== undefined).join('\n\n')
}

const fieldTable = (rows: readonly (readonly string[])[]): string =>
  table(['Field', 'Type', 'Required', 'Default', 'Rules', 'Meaning'], rows)

function* below(path: string, schema: Schema): Generator<string[]> {
  for (const [key, child] of Object.entries(schema.properties ?? {})) {
    const at = path === '' ? key : `${path}.${key}`
    const fallback = child.default === undefined ? '' : code(JSON.stringify(child.default))
    // What has a default need not be written.
    const required = schema.required?.includes(key) === true && child.default === undefined ? 'yes' : ''
    yield [code(at), typeOf(child), required, fallback, limits(child), child.doc ?? '']
    yield* inside(at, child)
  }
}

function* inside(at: string, schema: Schema): Generator<string[]> {
  if (schema.items) yield* inside(`${at}[]`, schema.items)
  else if (schema.additionalProperties) yield* inside(`${at}.*`, schema.additionalProperties)
  else if (!SHARED.has(schema.properties)) yield* below(at, schema)
}

function typeOf(schema: Schema): string {
  if (schema.items) return `${typeOf(schema.items)}[]`
  if (schema.additionalProperties) return `map of ${typeOf(schema.additionalProperties)}`
  if (schema.preserveUnknown && !schema.properties) return 'any object'
  const name = SHARED.get(schema.properties)
  if (name !== undefined) return `[${name}](README.md#${name.toLowerCase()})`
  return schema.format === undefined ? schema.type : `${schema.type} (${schema.format})`
}

function limits(schema: Schema): string {
  const said = [
    schema.enum?.map(code).join(', '),
    limit('at least', schema.minLength, 'characters'),
    limit('at most', schema.maxLength, 'characters'),
    schema.pattern && code(schema.pattern),
    limit('at least', schema.minimum, ''),
    limit('at most', schema.maximum, ''),
    limit('at least', schema.minItems, 'items'),
    limit('at most', schema.maxItems, 'items'),
    schema.listType === 'map' && `unique by ${schema.listMapKeys?.map(code).join(', ')}`,
    schema.listType === 'set' && 'no value twice',
    schema.secret && `secret${schema.secret === 'generated' ? ', generated when absent' : ''}`,
    schema.items && limits(schema.items) !== '' && `each: ${limits(schema.items)}`,
  ]
  return said.filter(Boolean).join('; ')
}

const limit = (word: string, value: number | undefined, of: string): string =>
  value === undefined || (value === 0 && of !== '')
    ? ''
    : `${word} ${value} ${value === 1 ? of.replace(/s$/, '') : of}`.trim()

function rules(kind: Kind): string {
  const all = [...rulesBelow('spec', kind.spec), ...rulesBelow('status', kind.status)]
  if (all.length === 0) return ''
  return `## Rules\n\n${table(['Where', 'Refused with', 'Unless'], all)}`
}

function* rulesBelow(path: string, schema: Schema): Generator<string[]> {
  for (const rule of schema.rules ?? []) yield [code(path), rule.message, code(rule.cel)]
  for (const [key, child] of Object.entries(schema.properties ?? {})) yield* rulesBelow(`${path}.${key}`, child)
  if (schema.items) yield* rulesBelow(`${path}[]`, schema.items)
  if (schema.additionalProperties) yield* rulesBelow(`${path}.*`, schema.additionalProperties)
}

function columns(kind: Kind): string {
  const rows = kind.columns.map((column) => [
    column.name.toUpperCase(),
    code(column.path),
    column.priority === 1 ? 'with `-o wide`' : 'always',
  ])
  return table(['Column', 'From', 'Shown'], rows)
}

const code = (text: string): string => `\`${text}\``

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`
  return [line(head), `|${'---|'.repeat(head.length)}`, ...rows.map(line)].join('\n')
}
