import type { Verdict } from '#domain/condition.ts'
import type { Kind } from '#domain/kind.ts'
import type { Resource } from '#domain/object.ts'
import type { Patch, Plan } from '#domain/plan/plan.ts'
import { apiVersionOf } from '#domain/kind.ts'
import { decideChildren, decideRemovals, entityOfRef, type Move, nameOfRef, unreadyChildren } from './decide.ts'
import { differs, patched } from './desired.ts'
import { entityName, kindIdOf } from './entity.ts'
import type { Facts } from './facts.ts'
import { blockedBy, overruled, saysReady, waitingFor } from './fold.ts'
import { Outdated, type Writer, type Written } from './writer.ts'

/** Where writes go, and what the server made of them. */
export interface Hands {
  readonly writer: Writer
  readonly kindOf: (id: string) => Kind
  /** Notes that the server stored `got` when it was asked for `wanted`. */
  readonly settled: (wanted: Resource, got: Resource) => void
  /** What this run has written so far. */
  readonly run: Written[]
}

export interface Applied {
  /** The plan's conditions with what the engine knows about the children. */
  readonly verdicts: readonly Verdict[]
  /** Only children keep the object from being ready. */
  readonly waitsForChildren: boolean
  /** Something was left alone because not every planner has run yet. */
  readonly untilWarm: boolean
  /** Children that change hands when the engine is idle. */
  readonly handOvers: readonly string[]
}

/** Makes the store what the plan says: children, patches, removals. What it returns is for the status. */
export function applyPlan(facts: Facts, hands: Hands, self: Resource, plan: Plan): Applied {
  const moves = decideChildren(facts, self, plan)
  const states = writeChildren(hands, moves)
  all(plan.patches, (patch) => writePatch(facts, hands, self, patch))
  const foreign = moves.filter((move) => move.type === 'foreign').map((move) => nameOfRef(move.child))
  const unready = unreadyChildren(facts, moves, states)
  const removals = decideRemovals(facts, self, plan, unready.length === 0 && foreign.length === 0)
  all(removals.now, (r) => hands.writer.delete(hands.kindOf(kindIdOf(r)), r, hands.run))
  const untilWarm = removals.later || moves.some((move) => move.type === 'shared' && move.until === 'warm')
  const handOvers = moves.filter((move) => move.type === 'shared' && move.until === 'idle').map((move) => move.entity)
  const waitsForChildren = foreign.length === 0 && unready.length > 0 && saysReady(plan.conditions)
  if (foreign.length > 0)
    return { verdicts: overruled(plan.conditions, blockedBy(foreign)), waitsForChildren, untilWarm, handOvers }
  const verdicts = waitsForChildren ? overruled(plan.conditions, waitingFor(unready)) : plan.conditions
  return { verdicts, waitsForChildren, untilWarm, handOvers }
}

/** The newest state of each child. Cluster-scoped ones come first: the others may live in a namespace among them. */
function writeChildren(hands: Hands, moves: readonly Move[]): ReadonlyMap<string, Resource> {
  const states = new Map<string, Resource>()
  const write = (move: Move): void => {
    if (move.type !== 'create' && move.type !== 'update') return
    const { kind } = move.child
    if (move.type === 'create') return void states.set(move.entity, hands.writer.create(kind, move.wanted, hands.run))
    const got = hands.writer.update(kind, move.wanted, hands.run)
    if (got === undefined) return
    hands.settled(move.wanted, got)
    states.set(move.entity, got)
  }
  for (const move of moves) if ('current' in move && move.current !== undefined) states.set(move.entity, move.current)
  all([...moves.filter(isClusterScoped), ...moves.filter((move) => !isClusterScoped(move))], write)
  return states
}

const isClusterScoped = (move: Move): boolean => move.child.kind.scope === 'Cluster'

/** Compare-and-set on the version the plan read: somebody else's newer state wins, and the plan runs again on it. */
function writePatch(facts: Facts, hands: Hands, by: Resource, patch: Patch): void {
  const entity = entityOfRef(patch)
  const current = facts.cache.get(entity)
  const version = current?.metadata.resourceVersion
  if (patch.expect !== undefined && (version ?? 'absent') !== patch.expect) throw new Outdated(entity, version)
  if (current !== undefined && patch.unless?.(current.spec) === true) return
  const owner = current === undefined ? ownerOf(facts, patch) : undefined
  const wanted = patched(patch, { by, existing: current, owner })
  if (current === undefined) hands.writer.create(patch.kind, wanted, hands.run)
  else if (differs(wanted, current)) hands.writer.update(patch.kind, wanted, hands.run)
}

function ownerOf(facts: Facts, patch: Patch): Resource | undefined {
  const { owner } = patch
  if (owner?.kind === undefined) return undefined
  const apiVersion = owner.apiVersion ?? apiVersionOf(patch.kind)
  return facts.cache.get(entityName(`${apiVersion}/${owner.kind}`, owner.namespace, owner.name))
}

/** Tries all, then reports what matters most: being outdated explains other failures away. */
function all<T>(items: readonly T[], write: (item: T) => void): void {
  const errors: unknown[] = []
  for (const item of items) {
    try {
      write(item)
    } catch (error) {
      errors.push(error)
    }
  }
  if (errors.length > 0) throw errors.find((error) => error instanceof Outdated) ?? errors[0]
}
