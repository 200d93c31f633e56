import { loadavg } from 'node:os'

/** One line of a report: what was measured, beside what it is compared with. */
export interface Fact {
  readonly name: string
  readonly value: string
  readonly ratio?: string
  readonly goal?: string
  readonly note?: string
}

const COLUMNS = ['measured', 'value', 'ratio', 'goal', 'note'] as const

export function printFacts(title: string, facts: readonly Fact[]): void {
  const lines = facts.map((f) => [f.name, f.value, f.ratio ?? '', f.goal ?? '', f.note ?? ''])
  const widths = COLUMNS.map((column, i) => Math.max(column.length, ...lines.map((line) => line[i]!.length)))
  const text = (cells: readonly string[]): string =>
    cells
      .map((cell, i) => (i === 1 || i === 2 ? cell.padStart(widths[i]!) : cell.padEnd(widths[i]!)))
      .join('  ')
      .trimEnd()
  const load = loadavg()[0]!.toFixed(1)
  process.stdout.write(`\n${title} (load at the end ${load})\n\n${[text(COLUMNS), ...lines.map(text)].join('\n')}\n`)
}

export const seconds = (ms: number): string => `${(ms / 1000).toFixed(ms < 10_000 ? 2 : 1)} s`
export const millis = (ms: number): string => `${ms.toFixed(ms < 10 ? 2 : 1)} ms`
export const rate = (count: number, ms: number): string => `${Math.round(count / (ms / 1000))}/s`
export const times = (a: number, b: number): string => (b === 0 ? '' : `${(a / b).toFixed(2)}x`)
export const log = (text: string): void => void process.stderr.write(`  ${text}\n`)
