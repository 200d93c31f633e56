import assert from 'node:assert/strict'
import { test } from 'node:test'
import { KINDS } from '#domain/kinds/index.ts'
import { progress } from '#test/support/progress.ts'
import { inspect } from './aftermath.ts'
import type { World } from './case.ts'
import { fuzz, type FuzzReport } from './fuzz.ts'
import type { LateTurn } from './lateness.ts'
import { startPlainServer } from './plain-server.ts'
import { Pulse } from './vital-signs.ts'
import { Wire } from './wire.ts'

const cases = Number(process.env.STELLWERK_FUZZ_CASES ?? 10_000)
const seed = Number(process.env.STELLWERK_FUZZ_SEED ?? 1)
const controllers = process.env.STELLWERK_FUZZ_CONTROLLERS !== undefined

/**
 * What nobody may do to the server, however hostile the request. On a machine that has nothing else to do the first is less,
 * and there are times to keep; a run asks for that with STELLWERK_FUZZ_QUIET.
 */
const LONGEST_BLOCK_MS = process.env.STELLWERK_FUZZ_QUIET === undefined ? 500 : 100
const QUIET_MS = { p99: 50, max: 1000 }
const MOST_GROWTH_MB = 400

test(`${cases} hostile requests: no 5xx, no refusal without a Status, nothing nonsensical stored`, async (t) => {
  t.diagnostic(`seed ${seed} (STELLWERK_FUZZ_SEED), ${cases} cases (STELLWERK_FUZZ_CASES)`)
  const server = await startPlainServer(t, controllers ? [] : undefined)
  const { address, token, errors, ended, lateness } = server
  const world: World = { kinds: KINDS, token, host: `${address.host}:${address.port}`, tokens: [], revision: 1 }
  const pulse = new Pulse(server, world)
  t.after(() => pulse.stop())
  await pulse.begin()
  const report = await fuzz({
    address,
    token,
    kinds: KINDS,
    seed,
    cases,
    progress: (done) => progress(`fuzz: ${done} of ${cases} cases`),
  }).catch((error: unknown) => {
    throw new Error(ended() ?? 'the server is there, but unreachable', { cause: error })
  })
  const wire = new Wire(address)
  const aftermath = await inspect(wire, world)
  wire.close()
  const signs = await pulse.end()
  t.diagnostic(describe(report))
  const { own, longest, worst } = lateness()
  t.diagnostic(`${aftermath.objects} objects stored afterwards`)
  t.diagnostic(
    `event loop late by at most ${own} ms of its own (${tell(worst)}), ${longest} ms with what other processes took`,
  )
  t.diagnostic(
    `resident memory ${signs.megabytesBefore} MB before, at most ${signs.megabytesMost} MB; other processes kept ${signs.othersCores.toFixed(1)} cores busy`,
  )
  assert.deepEqual(report.missing, [], 'every kind has an object to attack')
  assert.deepEqual(
    report.faults.slice(0, 20).map((fault) => fault.text),
    [],
    `${report.faults.length} faults\n${errors().slice(0, 5).join('\n')}`,
  )
  assert.deepEqual(aftermath.faults.slice(0, 20), [], 'everything stored is valid')
  assert.ok(aftermath.objects > 100, 'there was something to look at')
  assert.ok(own <= LONGEST_BLOCK_MS, `the event loop was late by ${own} ms: ${tell(worst)}`)
  assert.ok(signs.megabytesMost - signs.megabytesBefore < MOST_GROWTH_MB, `memory grew to ${signs.megabytesMost} MB`)
  if (process.env.STELLWERK_FUZZ_QUIET !== undefined) {
    assert.ok(report.milliseconds.p99 <= QUIET_MS.p99, `p99 is ${report.milliseconds.p99} ms`)
    assert.ok(report.milliseconds.max <= QUIET_MS.max, `${report.milliseconds.slowest} took longest`)
  }
  assert.equal(ended(), undefined, 'the server is still there')
  assert.deepEqual(errors().filter(isBug), [], 'nothing in the log that is worse than information')
})

/** A plan that the API refuses is the fault of whoever wrote its input; with controllers on, there are many. */
const isBug = (line: string): boolean => !(line.includes('"part":"control"') && line.includes('"name":"StatusError"'))

const tell = (turn: LateTurn | undefined): string =>
  turn === undefined
    ? 'never late'
    : Object.entries(turn)
        .map(([name, value]) => `${name} ${typeof value === 'number' ? Math.round(value) : value}`)
        .join(', ')

function describe({ statuses, milliseconds: { p50, p99, max, slowest } }: FuzzReport): string {
  const counts = [...statuses].toSorted(([a], [b]) => a - b).map(([status, count]) => `${status || 'closed'}: ${count}`)
  return `${counts.join(', ')}; p50 ${p50} ms, p99 ${p99} ms, max ${max} ms (${slowest})`
}
