import type { Result } from './drive.ts'
import type { Row, Size } from './phases.ts'

export interface Floors {
  readonly disk: number
  readonly 'echo get': Result
  readonly 'echo post': Result
}

const columns = ['operation', 'per s', 'p50 ms', 'p99 ms', 'CPU ms/op', 'of floor', 'CPU of floor', 'note'] as const

export function printReport(size: Size, floors: Floors, rows: readonly Row[]): void {
  const lines = [
    line(
      'floor: durable SQLite rows',
      { perSecond: floors.disk, p50: 0, p99: 0, cpuMsPerOp: 0 },
      undefined,
      `groups of ${size.clients}, 1 KiB`,
    ),
    line('floor: HTTPS GET echo', floors['echo get'], undefined, ''),
    line('floor: HTTPS POST echo', floors['echo post'], undefined, ''),
    ...rows.map((r) => line(r.name, r.result, floorOf(floors, r), r.note ?? '')),
  ]
  const widths = columns.map((title, i) => Math.max(title.length, ...lines.map((l) => (l[i] ?? '').length)))
  const text = (cells: readonly string[]): string =>
    cells
      .map((cell, i) => (i === 0 || i === 7 ? cell.padEnd(widths[i] ?? 0) : cell.padStart(widths[i] ?? 0)))
      .join('  ')
      .trimEnd()
  const head = `${size.objects} objects, ${size.clients} connections, TLS and authentication on, fsync before each answer`
  process.stdout.write(`\n${head}\n\n${[text(columns), ...lines.map(text)].join('\n')}\n`)
}

function floorOf(floors: Floors, row: Row): Result | undefined {
  return row.floor === undefined || row.floor === 'disk' ? undefined : floors[row.floor]
}

function line(name: string, r: Result, floor: Result | undefined, note: string): readonly string[] {
  const ms = (value: number): string => (value === 0 ? '' : value.toFixed(value < 10 ? 2 : 1))
  const ratio = (a: number, b: number | undefined): string =>
    b === undefined || b === 0 ? '' : `${(a / b).toFixed(2)}x`
  const cpu = r.cpuMsPerOp === 0 ? '' : r.cpuMsPerOp.toFixed(r.cpuMsPerOp < 1 ? 3 : 1)
  return [
    name,
    r.perSecond < 100 ? r.perSecond.toFixed(1) : String(Math.round(r.perSecond)),
    ms(r.p50),
    ms(r.p99),
    cpu,
    ratio(r.perSecond, floor?.perSecond),
    ratio(r.cpuMsPerOp, floor?.cpuMsPerOp),
    note,
  ]
}
