import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'

const root = join(import.meta.dirname, '..')

/** The rules of docs/spec.md: bold section numbers, and the numbered lists below §5.2 and §6.2. */
function rulesOf(text: string): readonly string[] {
  const rules: string[] = []
  let list = ''
  for (const line of text.split('\n')) {
    const section = /^- \*\*§(\d+\.\d+)(?:[–-](\d+\.)?(\d+))?\*\*/.exec(line)
    if (section?.[1] !== undefined) {
      const [chapter = '', first = ''] = section[1].split('.')
      const last = section[3] ?? first
      for (let n = Number(first); n <= Number(last); n++) rules.push(`${chapter}.${n}`)
      list = section[1]
    }
    const item = /^ {2}(\d+)\. /.exec(line)?.[1]
    if (item !== undefined) rules.push(`${list}.${item}`)
  }
  return rules
}

/** Sections of other documents, one or several in a row, have numbers of their own. */
const ELSEWHERE = /\b(platform|decisions|event-domain|data-plane)(,? (and )?§[\d.()]+)+/gi

/** `§5.2(6)` and `§5.2.6` are the same rule; citing a rule cites the section it stands in. */
function citationsIn(text: string): readonly string[] {
  const cited = [...text.replace(ELSEWHERE, '').matchAll(/§(\d+\.\d+)(?:\.(\d+)|\((\d+)\))?/g)]
  return cited.flatMap(([, section = '', dotted, bracketed]) => {
    const item = dotted ?? bracketed
    return item === undefined ? [section] : [section, `${section}.${item}`]
  })
}

/** §5.2.11 speaks of live tokens: it is kept by what carries the traffic, which does not exist yet. */
const LATER = new Set(['5.2.11'])

test('every rule of the specification is cited by a test that shows it', () => {
  const rules = rulesOf(readFileSync(join(root, 'docs/spec.md'), 'utf8'))
  const files = globSync('test/**/*.{ts,yaml}', { cwd: root }).filter((file) => !file.endsWith('spec-coverage.test.ts'))
  const cited = new Set(files.flatMap((file) => citationsIn(readFileSync(join(root, file), 'utf8'))))
  assert.ok(rules.length > 30)
  assert.deepEqual(
    rules.filter((rule) => !cited.has(rule) && !LATER.has(rule)),
    [],
  )
})
