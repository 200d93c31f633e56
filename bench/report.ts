import type { Subject } from './dialect.ts'
import type { Result } from './drive.ts'
import type { Row, Size } from './turns.ts'

export interface Floors {
  readonly disk: number
  readonly 'echo get': Result
  readonly 'echo post': Result
}

export interface Report {
  readonly size: Size
  readonly floors: Floors
  readonly rows: readonly Row[]
  readonly others: readonly Subject['name'][]
  readonly notes: readonly string[]
}

/** The turn in the middle by throughput. */
export function medianTurn(turns: readonly Result[]): Result | undefined {
  return turns.toSorted((a, b) => a.perSecond - b.perSecond)[Math.floor(turns.length / 2)]
}

/** Turns are compared with the turn of the other server right after them; the pair in the middle counts. */
export function medianRatio(a: readonly Result[], b: readonly Result[], of: keyof Result): number {
  const ratios = a.map((turn, i) => turn[of] / (b[i]?.[of] ?? Number.NaN)).toSorted((x, y) => x - y)
  return ratios[Math.floor(ratios.length / 2)] ?? Number.NaN
}

export function printReport(report: Report): void {
  const { size, floors, rows, others, notes } = report
  const columns = ['operation', 'per s', 'p50 ms', 'p99 ms', 'CPU ms/op', 'of floor', 'CPU of floor']
  const titles = [...columns, ...others.flatMap((name) => [`of ${name}`, `CPU of ${name}`]), 'note']
  const blank = others.flatMap(() => ['', ''])
  const disk = { perSecond: floors.disk, p50: 0, p99: 0, cpuMsPerOp: 0 }
  const lines = [
    ['floor: durable SQLite rows', ...cells(disk), '', '', ...blank, `groups of ${size.clients}, 1 KiB`],
    ['floor: HTTPS GET echo', ...cells(floors['echo get']), '', '', ...blank, ''],
    ['floor: HTTPS POST echo', ...cells(floors['echo post']), '', '', ...blank, ''],
    ...rows.map((row) => rowLine(row, floors, others)),
  ]
  const head = `${size.objects} objects, ${size.clients} connections, TLS and authentication on, fsync before each answer`
  process.stdout.write(`\n${head}\n\n${table(titles, lines)}\n${notes.map((note) => `\n${note}`).join('')}\n`)
}

function rowLine(row: Row, floors: Floors, others: readonly Subject['name'][]): readonly string[] {
  const ours = row.turns.get('stellwerk') ?? []
  const middle = medianTurn(ours)
  if (middle === undefined) return [row.name]
  const floor = row.floor === undefined ? undefined : floors[row.floor]
  const ratios = others.flatMap((name) => {
    const theirs = row.turns.get(name) ?? []
    return [ratio(medianRatio(ours, theirs, 'perSecond')), ratio(medianRatio(ours, theirs, 'cpuMsPerOp'))]
  })
  const ofFloor =
    floor === undefined
      ? ['', '']
      : [middle.perSecond / floor.perSecond, middle.cpuMsPerOp / floor.cpuMsPerOp].map(ratio)
  return [row.name, ...cells(middle), ...ofFloor, ...ratios, row.note ?? '']
}

const ratio = (value: number): string => (Number.isFinite(value) ? `${value.toFixed(2)}x` : '')

function cells({ perSecond, p50, p99, cpuMsPerOp }: Result): readonly string[] {
  const ms = (value: number): string => (value === 0 ? '' : value.toFixed(value < 10 ? 2 : 1))
  const cpu = cpuMsPerOp === 0 || Number.isNaN(cpuMsPerOp) ? '' : cpuMsPerOp.toFixed(decimals(cpuMsPerOp))
  return [perSecond < 100 ? perSecond.toFixed(1) : String(Math.round(perSecond)), ms(p50), ms(p99), cpu]
}

const decimals = (value: number): number => (value < 0.1 ? 4 : value < 1 ? 3 : 1)

/** Text to the left in the first and the last column, numbers to the right in all others. */
export function table(titles: readonly string[], lines: readonly (readonly string[])[]): string {
  const widths = titles.map((title, i) => Math.max(title.length, ...lines.map((l) => (l[i] ?? '').length)))
  const text = (row: readonly string[]): string =>
    titles
      .map((_, i) => {
        const cell = row[i] ?? ''
        return i === 0 || i === titles.length - 1 ? cell.padEnd(widths[i] ?? 0) : cell.padStart(widths[i] ?? 0)
      })
      .join('  ')
      .trimEnd()
  return [titles, ...lines].map(text).join('\n')
}
