// npm run torture: the promises of durability, order and robustness at full size. npm run torture -- kill fuzz: those only.
// --quick: the sizes of npm test. --seed N: another seed for the fuzzing. --quiet: nothing else runs here, so times count.
import { spawn } from 'node:child_process'
import { parseArgs } from 'node:util'
import { mark, root } from './steps.mjs'

const RUNS = {
  kill: {
    what: 'kill -9 loses nothing, watchers go on',
    file: 'test/torture/kill-9.test.ts',
    full: { STELLWERK_KILLS: '200', STELLWERK_KILL_AFTER_MS: '3000' },
  },
  linearizable: {
    what: 'no lost update, no stale read',
    file: 'test/torture/linearizable.test.ts',
    full: { STELLWERK_REGISTERS: '1000', STELLWERK_INCREMENTS: '100' },
  },
  watch: {
    what: 'every event once and in order, stalled watchers cut off',
    file: 'test/torture/watch.test.ts',
    full: { STELLWERK_EVENTS: '10000000', STELLWERK_DISCONNECTS: '20000', STELLWERK_WATCHERS: '128' },
  },
  disk: { what: 'a full disk', file: 'test/torture/full-disk.test.ts', full: {} },
  'disk-errors': {
    what: 'a disk that fails to write and to sync',
    file: 'test/torture/disk-errors.test.ts',
    full: { STELLWERK_DISK_FAULTS: '50' },
  },
  fuzz: {
    what: 'hostile requests',
    file: 'test/fuzz/fuzz.test.ts',
    full: { STELLWERK_FUZZ_CASES: '100000' },
  },
  'fuzz-controllers': {
    what: 'hostile requests with the controllers on',
    file: 'test/fuzz/fuzz.test.ts',
    full: { STELLWERK_FUZZ_CASES: '30000', STELLWERK_FUZZ_CONTROLLERS: '1' },
    quick: { STELLWERK_FUZZ_CONTROLLERS: '1' },
  },
  slow: {
    what: 'slow, silent and flooding callers',
    file: 'test/fuzz/slow-callers.test.ts',
    full: { STELLWERK_FUZZ_FULL: '1' },
  },
}

const USAGE = `npm run torture -- [names] [options]

${Object.entries(RUNS)
  .map(([name, { what }]) => `  ${name.padEnd(17)} ${what}`)
  .join('\n')}

  --quick    the sizes of npm test instead of full ones
  --quiet    nothing else runs on this machine, so times count too
  --seed N   another seed for the fuzzing

Examples:
  npm run torture                            all of them, at full size
  npm run torture -- kill watch --quick      two of them, in a minute
  npm run torture -- fuzz --quiet --seed 7   100,000 hostile requests nobody has tried yet`

function argumentsOf() {
  const options = {
    help: { type: 'boolean', short: 'h', default: false },
    quick: { type: 'boolean', default: false },
    seed: { type: 'string' },
    quiet: { type: 'boolean', default: false },
  }
  try {
    return parseArgs({ allowPositionals: true, options })
  } catch (error) {
    console.error(`${error.message}\n\n${USAGE}`)
    process.exit(2)
  }
}

const { values, positionals } = argumentsOf()
if (values.help) {
  console.log(USAGE)
  process.exit(0)
}
const unknown = positionals.filter((name) => !Object.hasOwn(RUNS, name))
if (unknown.length > 0) {
  console.error(`there is no torture named ${unknown.join(', ')}; there are ${Object.keys(RUNS).join(', ')}`)
  process.exit(2)
}
const chosen = positionals.length === 0 ? Object.keys(RUNS) : positionals
const results = []
for (const name of chosen) results.push(await run(name, RUNS[name]))
conclude(results)

async function run(name, { what, file, full, quick = {} }) {
  console.log(`\n${name}: ${what}`)
  const since = Date.now()
  const sizes = values.quick ? quick : full
  const seed = values.seed === undefined ? {} : { STELLWERK_FUZZ_SEED: values.seed }
  const { NODE_TEST_CONTEXT: _context, ...inherited } = process.env
  const quiet = values.quiet ? { STELLWERK_FUZZ_QUIET: '1' } : {}
  const env = { ...inherited, ...sizes, ...seed, ...quiet, STELLWERK_PROGRESS: '1' }
  const args = ['--test', '--test-reporter=spec', file]
  const child = spawn(process.execPath, args, { cwd: root, env, stdio: ['ignore', 'pipe', 'inherit'] })
  const stop = () => child.kill('SIGTERM')
  process.once('SIGINT', stop)
  let output = ''
  child.stdout.on('data', (data) => {
    output += data
    process.stdout.write(data)
  })
  const code = await new Promise((done) => child.on('close', (status) => done(status ?? 1)))
  process.off('SIGINT', stop)
  return { name, ok: code === 0, seconds: Math.round((Date.now() - since) / 1000), notes: notesIn(output) }
}

/** What the tests said about themselves, without the counts that node --test adds. */
function notesIn(output) {
  const notes = output.split('\n').filter((line) => /^\s*ℹ /.test(line))
  const counts = /^\s*ℹ (tests|suites|pass|fail|cancelled|skipped|todo|duration_ms) \d/
  return notes.filter((line) => !counts.test(line)).map((line) => line.trim().slice(2))
}

function conclude(rows) {
  const width = Math.max(...rows.map(({ name }) => name.length))
  console.log('\n')
  for (const { name, ok, seconds, notes } of rows) {
    console.log(`${mark(ok)} ${name.padEnd(width)} ${String(seconds).padStart(6)} s  ${notes[0] ?? ''}`)
    for (const note of notes.slice(1)) console.log(`${' '.repeat(width + 13)}${note}`)
  }
  process.exitCode = rows.every(({ ok }) => ok) ? 0 : 1
}
