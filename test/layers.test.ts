import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, it } from 'node:test'

const root = dirname(import.meta.dirname)

/** Who may import whom. A new folder in src needs a row here, and a reason. */
const layers: Readonly<Record<string, readonly string[]>> = {
  domain: [],
  lib: [],
  store: ['domain', 'lib'],
  source: ['domain'],
  registry: ['domain', 'source', 'store', 'lib'],
  apiserver: ['domain', 'registry', 'lib'],
  control: ['domain', 'source', 'lib'],
  controllers: ['domain', 'control', 'lib'],
  client: ['domain', 'source', 'lib'],
  cli: ['domain', 'client', 'lib'],
}

/** Offends on purpose, in its examples. */
const THIS_FILE = 'test/layers.test.ts'
const LONGEST_FILE = 400
/** `import … from`, `export … from`, `import '…'` at the start of a line, and `import('…')` anywhere. */
const IMPORT =
  /(?:^\s*(?:import|export)\b[\w\s{},*$]*?\bfrom\s*|^\s*import\s*|\bimport\s*\(\s*)(['"`])(?<specifier>[^'"`\n]+)\1/gm
const COMPUTED_IMPORT = /\bimport\s*\(\s*[^'"\s]/

function problemsOf(path: string, text: string): string[] {
  const specifiers = Array.from(text.matchAll(IMPORT), (match) => match.groups?.['specifier'] ?? '')
  const problems = specifiers.flatMap((specifier) => relativeProblem(specifier) ?? layerProblem(path, specifier) ?? [])
  if (!path.startsWith('src/')) return problems.map((problem) => `${path}: ${problem}`)

  const lines = text.split('\n').length - 1
  if (lines > LONGEST_FILE) problems.push(`${lines} lines, the limit is ${LONGEST_FILE}: split it`)
  if (COMPUTED_IMPORT.test(text)) problems.push('import() of a computed name hides a dependency')
  const layer = layerOf(path)
  if (layer !== undefined && layers[layer] === undefined)
    problems.push(`no row for the layer ${layer} in test/layers.test.ts`)
  return problems.map((problem) => `${path}: ${problem}`)
}

function relativeProblem(specifier: string): string | undefined {
  return specifier.split('/').includes('..') ? `${specifier} climbs: write #layer/…` : undefined
}

function layerProblem(path: string, specifier: string): string | undefined {
  const layer = layerOf(path)
  if (layer === undefined || path.endsWith('.test.ts')) return undefined
  if (!specifier.startsWith('#')) return layer === 'domain' ? domainProblem(specifier) : undefined

  const target = specifier.slice(1).split('/')[0] ?? ''
  if (target === layer || layers[layer]?.includes(target)) return undefined
  return `${layer} may not import ${specifier}`
}

function domainProblem(specifier: string): string | undefined {
  if (specifier.startsWith('./') || specifier.startsWith('@noble/hashes/')) return undefined
  return `domain may not import ${specifier}: it imports itself and @noble/hashes only`
}

/** The folder below src; files directly in src are the composition root and may import everything. */
function layerOf(path: string): string | undefined {
  return /^src\/([^/]+)\//.exec(path)?.[1]
}

describe('layers', () => {
  it('hold: every import goes down, no file is too long', () => {
    const paths = globSync('{src,test,bench}/**/*.ts', { cwd: root }).map((path) => path.replaceAll('\\', '/'))
    assert.ok(paths.includes('src/store/store.ts') && paths.includes(THIS_FILE), 'the search for files is broken')
    const found = paths
      .filter((path) => path !== THIS_FILE)
      .flatMap((path) => problemsOf(path, readFileSync(join(root, path), 'utf8')))
    assert.deepEqual(found.toSorted(), [])
  })

  const offending: Record<string, [path: string, text: string]> = {
    'an import upwards': ['src/store/a.ts', "import { x } from '#registry/x.ts'"],
    'a type-only import upwards': ['src/domain/plan/a.ts', "import type { X } from '#lib/x.ts'"],
    'an import over several lines': ['src/control/a.ts', 'import {\n  x,\n  y,\n} from "#store/x.ts"'],
    'a re-export upwards': ['src/source/a.ts', "export * from '#lib/x.ts'"],
    'a side-effect import upwards': ['src/cli/a.ts', "import '#registry/x.ts'"],
    'a dynamic import upwards': ['src/client/a.ts', "const x = await import(\n  '#store/x.ts')"],
    'a type of a dynamic import': ['src/lib/a.ts', "type X = import('#domain/x.ts').X"],
    'a computed import': ['src/cli/a.ts', 'await import(name)'],
    'a test part in a layer': ['src/lib/a.ts', "import { x } from '#test/support/x.ts'"],
    'a parent folder': ['src/lib/a.ts', "import { x } from '../lib/x.ts'"],
    'a parent folder in a test': ['test/lib/a.test.ts', "import { x } from '../../src/lib/x.ts'"],
    'a parent folder by a detour': ['src/lib/a.ts', "import { x } from './deep/../../store/x.ts'"],
    'Node in domain': ['src/domain/a.ts', "import { join } from 'node:path'"],
    'a package in domain': ['src/domain/a.ts', "import { parse } from 'yaml'"],
    'a layer nobody described': ['src/misc/a.ts', 'export {}'],
    'a long file': ['src/lib/a.ts', '\n'.repeat(401)],
  }
  for (const [name, [path, text]] of Object.entries(offending)) {
    it(`refuse ${name}`, () => assert.equal(problemsOf(path, text).length, 1))
  }

  const lawful: Record<string, [path: string, text: string]> = {
    'a sibling and a layer below': ['src/store/a.ts', "import './b.ts'\nimport type { X } from '#domain/x.ts'"],
    'hashes in domain': ['src/domain/a.ts', "import { sha256 } from '@noble/hashes/sha2.js'"],
    'the same layer by its name': ['src/domain/plan/a.ts', "import { x } from '#domain/names.ts'"],
    'everything in the composition root': ['src/main.ts', "import { x } from '#registry/x.ts'"],
    'words that look like an import': [
      'src/domain/a.ts',
      "// comes from 'node:path'\nexport const text = `from 'yaml'`",
    ],
    '400 lines': ['src/lib/a.ts', '\n'.repeat(400)],
  }
  for (const [name, [path, text]] of Object.entries(lawful)) {
    it(`allow ${name}`, () => assert.deepEqual(problemsOf(path, text), []))
  }
})
