import type { Subject } from './dialect.ts'
import type { Result } from './drive.ts'

export interface Size {
  readonly objects: number
  readonly clients: number
  /** One measurement of paced writes and one of a burst for each of these numbers of open watches. */
  readonly watchers: readonly number[]
  /** Each phase is cut into so many parts, and the servers take turns after each. */
  readonly pairs: number
}

/** What the turns of one phase showed, by server; the n-th turns of all servers were close in time. */
export interface Row {
  readonly name: string
  readonly turns: ReadonlyMap<Subject['name'], readonly Result[]>
  readonly floor?: 'echo post' | 'echo get'
  readonly note?: string | undefined
}

export interface Run {
  readonly subjects: readonly Subject[]
  readonly size: Size
  readonly log: (text: string) => void
}

/** The servers take turns; the n-th turns are close in time and see the same machine. */
export async function alternate(
  { subjects, size, log }: Run,
  name: string,
  measure: (subject: Subject, turn: number) => Promise<Result>,
): Promise<Row['turns']> {
  const turns = new Map<Subject['name'], Result[]>(subjects.map((s) => [s.name, []]))
  for (let turn = 0; turn < size.pairs; turn++) {
    for (const subject of subjects) turns.get(subject.name)!.push(await measure(subject, turn))
  }
  const rates = [...turns].map(([who, results]) => `${who} ${results.map((r) => Math.round(r.perSecond)).join(' ')}`)
  log(`${name} per s: ${rates.join(', ')}`)
  return turns
}
