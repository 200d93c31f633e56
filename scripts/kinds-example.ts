import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseAllDocuments, visit } from 'yaml'
import { apiVersionOf, type Kind } from '#domain/kind.ts'
import { normalize, validate } from '#domain/structural.ts'

const folder = join(import.meta.dirname, 'kinds-pages')

/**
 * What people write to get an object of the kind, or what Stellwerk writes: YAML, as it stands in the page. All examples
 * together are one world. @throws when one is missing or not valid, so that no page shows what the server refuses
 */
export function exampleOf(kind: Kind, page: string): string {
  const text = readFileSync(join(folder, `${page}.yaml`), 'utf8')
  for (const document of parseAllDocuments(text)) {
    visit(document, {
      Alias: (_key, { source }) => refuse(kind, [`*${source}: write it out`]),
      Node: (_key, node) => {
        if ('anchor' in node && node.anchor !== undefined) refuse(kind, [`&${node.anchor}: write it out`])
      },
    })
    check(kind, document.toJS())
  }
  return text
}

/** What there is to say about the kind beyond its fields: Markdown, or nothing. */
export function notesOn(page: string): string {
  const path = join(folder, `${page}.md`)
  return existsSync(path) ? readFileSync(path, 'utf8').trimEnd() : ''
}

function check(kind: Kind, example: any): void {
  const { object, unknown } = normalize(kind, example)
  refuse(kind, [
    ...(example.kind === kind.kind && example.apiVersion === apiVersionOf(kind) ? [] : ['it is of another kind']),
    ...unknown.map((path) => `${path} is unknown`),
    ...validate(kind, object).map((e) => `${e.field}: ${e.message}`),
  ])
}

function refuse(kind: Kind, problems: readonly string[]): void {
  if (problems.length > 0) throw new Error(`the example of ${kind.kind} is not valid: ${problems.join(', ')}`)
}
