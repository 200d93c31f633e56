import { type Node, parsePattern, type Range } from './validate-pattern-parse.ts'

export interface Pattern {
  test(text: string): boolean
}

/**
 * Compiles a pattern of a schema, as Kubernetes reads it (RE2), into a matcher that takes linear time whatever the text:
 * the specification's own `^\d+.*$` has no maxLength, and a backtracking engine needs hours for a few megabytes.
 */
export function compilePattern(pattern: string): Pattern {
  const { node, fromStart, toEnd } = parsePattern(pattern)
  const program: Step[] = [{ is: 'match' }]
  const entry = emit(program, node, 0)
  return new Automaton(program, fromStart ? entry : emitSearch(program, entry), toEnd)
}

/** The steps of a nondeterministic automaton; numbers are positions in the program. */
type Step =
  | { readonly is: 'match' }
  | { readonly is: 'char'; readonly ranges: readonly Range[]; readonly next: number }
  | { readonly is: 'split'; readonly next: number[] }

const MAX_PROGRAM = 10_000

function add(program: Step[], step: Step): number {
  if (program.length >= MAX_PROGRAM) throw new SyntaxError('a pattern repeats too much: use fewer or smaller counts')
  return program.push(step) - 1
}

/** Adds the steps of a node, which go on at `next`; returns where they begin. */
function emit(program: Step[], node: Node, next: number): number {
  if (node.is === 'char') return add(program, { is: 'char', ranges: node.ranges, next })
  if (node.is === 'sequence') return node.nodes.reduceRight((after, part) => emit(program, part, after), next)
  if (node.is === 'choice')
    return add(program, { is: 'split', next: node.nodes.map((part) => emit(program, part, next)) })
  let entry = next
  if (node.max === Infinity) {
    const loop = { is: 'split' as const, next: [next] }
    entry = add(program, loop)
    loop.next.push(emit(program, node.node, entry))
  } else
    for (let i = node.min; i < node.max; i++)
      entry = add(program, { is: 'split', next: [next, emit(program, node.node, entry)] })
  for (let i = 0; i < node.min; i++) entry = emit(program, node.node, entry)
  return entry
}

/** A pattern without `^` may begin anywhere. */
function emitSearch(program: Step[], entry: number): number {
  const split = { is: 'split' as const, next: [entry] }
  const start = add(program, split)
  split.next.push(add(program, { is: 'char', ranges: [[0, 0x10ffff]], next: start }))
  return start
}

/** All the places the automaton may be in at once, and where each character leads. */
interface State {
  readonly at: readonly number[]
  readonly matches: boolean
  readonly ascii: (State | undefined)[]
}

const MAX_STATES = 2000

/** The deterministic automaton, built while texts are read and thrown away when it has grown too large. */
class Automaton implements Pattern {
  readonly #program: readonly Step[]
  readonly #entry: number
  readonly #toEnd: boolean
  readonly #states = new Map<string, State>()
  #start: State | undefined

  constructor(program: readonly Step[], entry: number, toEnd: boolean) {
    this.#program = program
    this.#entry = entry
    this.#toEnd = toEnd
  }

  test(text: string): boolean {
    let state = (this.#start ??= this.#stateOf([this.#entry]))
    for (let i = 0; i < text.length; i++) {
      if (state.at.length === 0) return false
      if (state.matches && !this.#toEnd) return true
      const unit = text.charCodeAt(i)
      if (unit < 128) state = state.ascii[unit] ??= this.#after(state, unit)
      else {
        const code = text.codePointAt(i) ?? unit
        if (code > 0xffff) i++
        state = this.#after(state, code)
      }
    }
    return state.matches
  }

  #after(state: State, code: number): State {
    const next: number[] = []
    for (const at of state.at) {
      const step = this.#program[at]
      if (step?.is === 'char' && step.ranges.some(([low, high]) => code >= low && code <= high)) next.push(step.next)
    }
    return this.#stateOf(next)
  }

  #stateOf(entries: readonly number[]): State {
    const at = this.#closure(entries)
    const key = at.join()
    const known = this.#states.get(key)
    if (known !== undefined) return known
    if (this.#states.size >= MAX_STATES) {
      this.#states.clear()
      this.#start = undefined
    }
    const fresh: State = { at, matches: at.includes(0), ascii: [] }
    this.#states.set(key, fresh)
    return fresh
  }

  /** The steps that read a character or match, reached without reading one. */
  #closure(entries: readonly number[]): readonly number[] {
    const seen = new Set(entries)
    for (const at of seen) {
      const step = this.#program[at]
      if (step?.is === 'split') for (const next of step.next) seen.add(next)
    }
    return [...seen].filter((at) => this.#program[at]?.is !== 'split').toSorted((a, b) => a - b)
  }
}
