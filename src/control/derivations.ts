import { equal } from '#domain/equal.ts'
import type { Derivation, World } from '#domain/plan/world.ts'
import { ByArguments } from './by-arguments.ts'
import type { Reader, Tracker } from './tracker.ts'
import type { Recorder } from './view.ts'

/** `check`: something it derives from may have changed; only looking there tells. */
type State = 'current' | 'check' | 'stale' | 'running'
type Answer = { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly error: unknown }

/** One derivation with its arguments: computed once for all who ask, again only when what it read changed. */
class Node implements Reader {
  readonly entity: string
  readonly compute: (world: World) => unknown
  readonly owner: Derivations
  reader = -1
  /** Its place in the graph, as long as somebody reads it; then it is dropped. */
  slot = -1
  state: State = 'stale'
  answer: Answer | undefined
  wakeAt: number | undefined
  forget: () => void = () => {}

  constructor(entity: string, compute: (world: World) => unknown, owner: Derivations) {
    this.entity = entity
    this.compute = compute
    this.owner = owner
  }

  /** Whoever asks for its value next gets the new one. */
  canWait(): boolean {
    return false
  }

  stale(): void {
    this.owner.suspect(this, 'stale')
  }
}

/**
 * Memoised derivations between the cache and the plans. A change marks what reads it directly as stale and everything
 * behind as to be checked; `flush` then computes in the order of dependence, so no derivation ever sees half a change.
 */
export class Derivations {
  readonly #tracker: Tracker
  readonly #nodes = new Map<string, Node>()
  readonly #known = new ByArguments<Node>()
  readonly #names = new Map<unknown, string>()
  readonly #timed = new Set<Node>()
  #pending: Node[] = []

  constructor(tracker: Tracker) {
    this.#tracker = tracker
  }

  get size(): number {
    return this.#nodes.size
  }

  value<A extends readonly string[], T>(derivation: Derivation<A, T>, args: A, asking: Recorder): T {
    const node = this.#known.find(derivation, args) ?? this.#add(derivation, args)
    asking.read(node.slot)
    this.#refresh(node)
    if (node.answer?.ok === true) return node.answer.value as T
    throw node.answer?.error
  }

  #add<A extends readonly string[], T>(derivation: Derivation<A, T>, args: A): Node {
    const entity = `=${this.#nameOf(derivation)}${JSON.stringify(args)}`
    const node = new Node(entity, (world) => derivation(world, ...args), this)
    node.reader = this.#tracker.graph.addReader(node)
    node.slot = this.#tracker.graph.base(entity)
    node.forget = this.#known.add(derivation, args, node)
    this.#nodes.set(entity, node)
    return node
  }

  suspect(node: Node, state: 'check' | 'stale'): void {
    const before = node.state
    // A running one is asking for the newest answer already.
    if (before === 'stale' || before === 'running' || before === state) return
    node.state = state
    if (before !== 'current') return
    this.#pending.push(node)
    for (const reader of this.#tracker.graph.readersOf(node.entity)) {
      if (reader instanceof Node) this.suspect(reader, 'check')
    }
  }

  flush(): void {
    while (this.#pending.length > 0) {
      const pending = this.#pending
      this.#pending = []
      for (const node of pending) if (this.#isAsked(node)) this.#refresh(node)
    }
  }

  /** What nobody reads is computed when somebody asks for it again, and reads nothing until then. */
  #isAsked(node: Node): boolean {
    if (this.#nodes.get(node.entity) !== node) return false
    if (this.#tracker.graph.isRead(node.slot)) return true
    this.#timed.delete(node)
    this.#tracker.graph.setReads(node.reader, [])
    node.state = 'stale'
    return false
  }

  drop(entity: string): void {
    const node = this.#nodes.get(entity)
    if (node === undefined) return
    this.#nodes.delete(entity)
    node.forget()
    this.#timed.delete(node)
    this.#tracker.graph.removeReader(node.reader)
  }

  /** When time alone may change an answer. */
  get nextWake(): number | undefined {
    let next: number | undefined
    for (const { wakeAt } of this.#timed)
      if (wakeAt !== undefined && (next === undefined || wakeAt < next)) next = wakeAt
    return next
  }

  expire(now: number): void {
    for (const node of this.#timed) if (node.wakeAt! <= now) this.suspect(node, 'stale')
  }

  #refresh(node: Node): void {
    if (node.state === 'running') throw new Error(`a derivation asks for its own value: ${node.entity}`)
    if (node.state === 'check' && !this.#foundStale(node)) node.state = 'current'
    if (node.state === 'stale') this.#compute(node)
  }

  /** Brings what the node derives from up to date; computing one of them may mark the node as stale. */
  #foundStale(node: Node): boolean {
    for (const entity of this.#tracker.graph.entitiesOf(node.reader)) {
      const source = this.#nodes.get(entity)
      if (source !== undefined) this.#refresh(source)
      if (node.state === 'stale') return true
    }
    return false
  }

  #compute(node: Node): void {
    const before = node.answer
    node.state = 'running'
    const { value: answer, wakeAt } = this.#tracker.record(node.reader, (world) => attempt(() => node.compute(world)))
    node.answer = answer
    node.wakeAt = wakeAt
    if (wakeAt === undefined) this.#timed.delete(node)
    else this.#timed.add(node)
    node.state = 'current'
    if (before !== undefined && !sameAnswer(before, answer)) {
      this.#tracker.tell(node.entity, 1, { type: 'derived', entity: node.entity })
    }
  }

  #nameOf(derivation: { readonly name: string }): string {
    let name = this.#names.get(derivation)
    if (name === undefined) this.#names.set(derivation, (name = `${derivation.name}#${this.#names.size}`))
    return name
  }
}

function attempt(compute: () => unknown): Answer {
  try {
    return { ok: true, value: compute() }
  } catch (error) {
    return { ok: false, error }
  }
}

function sameAnswer(a: Answer, b: Answer): boolean {
  if (a.ok && b.ok) return equal(a.value, b.value)
  return !a.ok && !b.ok && String(a.error) === String(b.error)
}
