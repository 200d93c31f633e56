/**
 * Writes docs/kinds/*.md from the kinds: `node scripts/kinds-docs.ts`. With `--check` it writes nothing and fails when a
 * page is not what the kinds say.
 */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Kind } from '#domain/kind.ts'
import { KINDS } from '#domain/kinds/index.ts'
import { indexPage, kindPage, pageName } from './kinds-page.ts'

const folder = join(import.meta.dirname, '..', 'docs', 'kinds')

function pages(kinds: readonly Kind[]): ReadonlyMap<string, string> {
  const ours = kinds.filter((kind) => kind.group !== '')
  return new Map([['README.md', indexPage(ours)], ...ours.map((kind) => [pageName(kind), kindPage(kind)] as const)])
}

function write(wanted: ReadonlyMap<string, string>): void {
  mkdirSync(folder, { recursive: true })
  for (const name of readdirSync(folder)) if (!wanted.has(name)) rmSync(join(folder, name))
  for (const [name, text] of wanted) writeFileSync(join(folder, name), text)
  console.log(`${wanted.size} pages written to docs/kinds`)
}

function check(wanted: ReadonlyMap<string, string>): void {
  const stale = [...wanted].filter(([name, text]) => readPage(name) !== text).map(([name]) => name)
  const extra = readdirSync(folder).filter((name) => !wanted.has(name))
  if (stale.length + extra.length === 0) return
  console.error(`docs/kinds is not current (${[...stale, ...extra].join(', ')}): run node scripts/kinds-docs.ts`)
  process.exitCode = 1
}

function readPage(name: string): string | undefined {
  try {
    return readFileSync(join(folder, name), 'utf8')
  } catch {
    return undefined
  }
}

const wanted = pages(KINDS)
if (process.argv.includes('--check')) check(wanted)
else write(wanted)
