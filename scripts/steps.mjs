// What npm test and npm run check share: the static checks, the choice of test files, and the runs of node --test.
import { spawn } from 'node:child_process'
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { styleText } from 'node:util'

export const root = dirname(import.meta.dirname)

/** Tests that take long or start whole systems, each file in its own process; all others share one. npm run check leaves them out. */
const ISOLATED = /^test\/(e2e|torture|contract|fuzz)\/|\.slow\.test\.ts$/
const MINUTES = 60_000

/** Tools are started by their files, not their names, so that this Node runs them whatever PATH says. */
const tool = (path, ...args) => [process.execPath, join(root, 'node_modules', path), ...args]
const formatted = ['src', 'test', 'bench', 'scripts'].filter((folder) => existsSync(join(root, folder)))

export const staticSteps = {
  types: tool('typescript/bin/tsc', '-p', '.'),
  'types of the domain': tool('typescript/bin/tsc', '-p', 'src/domain'),
  lint: tool('oxlint/bin/oxlint'),
  format: tool('oxfmt/bin/oxfmt', '--check', ...formatted),
}

const hints = { format: 'npm run format repairs it' }

/** Runs them all at once, prints a line for each and what the failed ones said; the names of those. */
export async function runStaticSteps() {
  const results = await Promise.all(Object.entries(staticSteps).map(([name, command]) => runStep(name, command)))
  return results.flatMap(({ name, ok }) => (ok ? [] : [name]))
}

async function runStep(name, [command, ...args]) {
  const since = Date.now()
  let output = ''
  const child = spawn(command, args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] })
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (data) => (output += data))
  const code = await exitOf(child)
  const hint = code !== 0 && name in hints ? ` – ${hints[name]}` : ''
  console.log(`${mark(code === 0)} ${name} (${((Date.now() - since) / 1000).toFixed(1)} s)${hint}`)
  if (code !== 0) console.log(output.trimEnd())
  return { name, ok: code === 0 }
}

const exitOf = (child) =>
  new Promise((done, reject) => {
    child.on('error', reject)
    child.on('close', (code) => done(code ?? 1))
  })

export const mark = (ok) => (ok ? styleText('green', '✔') : styleText('red', '✖'))

export function testFiles() {
  const all = globSync('{src,test}/**/*.test.ts', { cwd: root }).map((path) => path.replaceAll('\\', '/'))
  return all.toSorted()
}

export const isIsolated = (file) => ISOLATED.test(file)

/** As many runs of one process each as there are cores, at the same time; neighbours cost alike and go to different ones. */
export function runShards(files, options) {
  const count = Math.min(availableParallelism(), 4)
  const shards = Array.from({ length: count }, (_, shard) => files.filter((_file, index) => index % count === shard))
  return Promise.all(shards.map((shard) => runTests(shard, { ...options, isolated: false })))
}

/** Runs files in one process, or each in its own; what scripts/test-record.mjs noted about the run. */
export async function runTests(files, { isolated, reporter = 'spec', flags = [] }) {
  const folder = mkdtempSync(join(tmpdir(), 'stellwerk-test-'))
  const record = join(folder, 'record.json')
  const mode = isolated
    ? ['--test-isolation=process', `--test-concurrency=${Math.min(availableParallelism(), 4)}`]
    : ['--test-isolation=none', `--test-timeout=${2 * MINUTES}`]
  const started = isolated ? files : [join(root, 'scripts', 'load-tests.mjs')]
  const args = ['--test', ...mode, ...reporters(reporter, record), ...flags, ...started]
  // A test that started npm test would otherwise make us believe we are one of its files.
  const { NODE_TEST_CONTEXT: _context, ...inherited } = process.env
  const env = { ...inherited, STELLWERK_TEST_FILES: JSON.stringify(files.map((file) => resolve(root, file))) }
  const child = spawn(process.execPath, args, { cwd: root, env, stdio: ['ignore', 'inherit', 'inherit'] })
  const watchdog = setTimeout(() => child.kill('SIGKILL'), 20 * MINUTES)
  const code = await exitOf(child)
  clearTimeout(watchdog)
  const noted = existsSync(record) ? JSON.parse(readFileSync(record, 'utf8') || '{}') : {}
  rmSync(folder, { recursive: true })
  return { code, counts: {}, failures: [], skips: [], ...noted }
}

const reporters = (shown, record) => [
  `--test-reporter=${shown}`,
  '--test-reporter-destination=stdout',
  `--test-reporter=${join(root, 'scripts', 'test-record.mjs')}`,
  `--test-reporter-destination=${record}`,
]

/** The end of every run: what failed, what could not run here, and the counts as node --test prints them. */
export function summarise({ runs, failedSteps, since }) {
  console.log()
  for (const name of failedSteps) console.log(`${mark(false)} ${name} failed, see above`)
  for (const failure of runs.flatMap((run) => run.failures)) console.log(`${mark(false)} ${failure}`)
  const silent = runs.filter((run) => run.code !== 0 && run.failures.length === 0)
  for (const run of silent)
    console.log(`${mark(false)} a test run ended with code ${run.code} and named no test, see above`)
  for (const [reason, count] of tally(runs.flatMap((run) => run.skips)))
    console.log(`skipped: ${reason} (${times(count)})`)

  const total = (name) => runs.reduce((sum, run) => sum + (run.counts[name] ?? 0), 0)
  for (const [label, name] of Object.entries(COUNTS)) console.log(`ℹ ${label} ${total(name)}`)
  console.log(`ℹ duration_ms ${Date.now() - since}`)
  return failedSteps.length === 0 && runs.every((run) => run.code === 0) ? 0 : 1
}

const COUNTS = {
  tests: 'tests',
  suites: 'suites',
  pass: 'passed',
  fail: 'failed',
  cancelled: 'cancelled',
  skipped: 'skipped',
  todo: 'todo',
}

const times = (count) => (count === 1 ? 'once' : `${count} times`)

function tally(reasons) {
  const counts = new Map()
  for (const reason of reasons) counts.set(reason, (counts.get(reason) ?? 0) + 1)
  return counts
}
