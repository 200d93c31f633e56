import { getTestContext } from 'node:test'
import { relative } from 'node:path'
import fc from 'fast-check'

/** Which examples CI sees. Always the same, so that a red run is somebody's change; another number means nothing else. */
const SEED = 20_260_601

interface Hunt {
  readonly seed: number
  /** The one example to look at again, as fast-check names it. */
  readonly path: string | undefined
  /** How many times more examples than usual. */
  readonly times: number
}

/** `STELLWERK_SEED` is a number, `random`, or what a failure printed; `STELLWERK_RUNS` multiplies the examples. */
export function huntOf(env: Readonly<Record<string, string | undefined>>): Hunt {
  const { STELLWERK_SEED: seed = String(SEED), STELLWERK_RUNS: runs = '1' } = env
  const times = Number(runs)
  if (!(times > 0 && times < Infinity)) throw new Error(`STELLWERK_RUNS is "${runs}": give a number above 0`)
  if (seed === 'random') return { seed: Math.trunc(Math.random() * 2 ** 31), path: undefined, times }
  const [, number, path] = /^(-?\d+)(?:@([\d:]+))?$/.exec(seed) ?? []
  if (number === undefined)
    throw new Error(`STELLWERK_SEED is "${seed}": give a number, random, or what a failure said`)
  return { seed: Number(number), path, times }
}

const hunt = huntOf(process.env)

interface Extent {
  /** Examples, unless somebody hunts. */
  readonly numRuns?: number
}

/**
 * Checks a property with the same examples everywhere, or with others when asked to hunt. It never stops early by the clock:
 * that would let a slow machine see less.
 */
export function always<Ts>(property: fc.IAsyncProperty<Ts>, extent?: Extent): Promise<void>
export function always<Ts>(property: fc.IProperty<Ts>, extent?: Extent): void
export function always<Ts>(property: fc.IRawProperty<Ts>, { numRuns = 100 }: Extent = {}): Promise<void> | void {
  const replay = replayOf()
  const { seed, path, times } = hunt
  const details = fc.check(property, { seed, numRuns: Math.ceil(numRuns * times), ...(path && { path }) })
  if (!(details instanceof Promise)) return judge(details, fc.defaultReportMessage(details), replay)
  return details.then(async (found) => judge(found, await fc.asyncDefaultReportMessage(found), replay))
}

function judge<Ts>(details: fc.RunDetails<Ts>, report: string | undefined, replay: string): void {
  if (!details.failed) return
  const example = details.counterexamplePath === null ? '' : `@${details.counterexamplePath}`
  throw new Error(`${report}\n\nSee it again: STELLWERK_SEED=${details.seed}${example} ${replay}`, {
    cause: details.errorInstance,
  })
}

/** The command without its seed. The name is a pattern there: what means something in one, or to a shell, becomes a dot. */
function replayOf(): string {
  const context = getTestContext()
  // Many test files share a process, whose context names the file that loads them.
  const caller = /\/((?:src|test)\/\S+\.test\.ts):/.exec(new Error().stack ?? '')?.[1]
  const file = caller ?? relative(process.cwd(), context?.filePath ?? '')
  return `npm test -- ${file} '${context?.name.replaceAll(/[^\p{L}\p{N} ,:-]/gu, '.')}'`
}
