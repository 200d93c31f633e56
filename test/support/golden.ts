import assert from 'node:assert/strict'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { test } from 'node:test'
import { stringify } from 'yaml'
import { staticWorld, viewOf } from '#control/world.ts'
import { sortVerdicts } from '#domain/condition.ts'
import { apiVersionOf, type Kind } from '#domain/kind.ts'
import { compareText, type Resource } from '#domain/object.ts'
import type { Child, Plan, Planner } from '#domain/plan/plan.ts'
import { lineDiff } from './line-diff.ts'
import { normaliser } from './normaliser.ts'
import { readWorld, worldNames, worldPath, type WorldFile } from './worlds.ts'

/**
 * One test per `test/worlds/<folder>/<rule>.in.yaml`: plans `self` and compares with `<rule>.out.yaml`, then proves
 * on the same world that the planner is pure. `UPDATE_GOLDENS=1` rewrites the outputs; read the diff before you commit it.
 *
 * Kinds other than the planned one are found among all kinds of the domain; tests of kinds made up for the purpose pass theirs.
 */
export function golden(
  folder: string,
  planner: Planner,
  kind: Kind<any, any>,
  kinds: readonly Kind<any, any>[] = [],
): void {
  const names = worldNames(folder)
  assert.ok(names.length > 0, `test/worlds/${folder} holds no *.in.yaml`)
  for (const name of names) {
    test(`${folder}: ${name}`, async () => {
      const normalise = await normaliser([kind, ...kinds])
      const world = readWorld(worldPath(folder, name, 'in'), kind, normalise)
      const planned = planAsYaml(world, world.resources, planner)
      compare(worldPath(folder, name, 'out'), planned)
      assert.equal(planAsYaml(world, world.resources, planner), planned, 'planning twice gives two results')
      for (const order of [world.resources.toReversed(), rotated(world.resources)]) {
        assert.equal(planAsYaml(world, order, planner), planned, 'the plan depends on the order of resources')
      }
    })
  }
}

function compare(path: string, planned: string): void {
  if (process.env['UPDATE_GOLDENS'] === '1') return writeFileSync(path, planned)
  if (!existsSync(path)) assert.fail(`${path} is missing: run with UPDATE_GOLDENS=1 and read what it writes`)
  const expected = readFileSync(path, 'utf8')
  if (expected !== planned) assert.fail(`${path}\n${lineDiff(expected, planned)}`)
}

function planAsYaml(file: WorldFile, resources: readonly Resource[], planner: Planner): string {
  deepFreeze(resources)
  const self = resources.filter((r) => {
    const { metadata } = r
    return (
      r.kind === file.self.kind &&
      metadata.name === file.self.name &&
      (file.self.namespace === undefined || (metadata.namespace ?? '') === file.self.namespace)
    )
  })
  assert.equal(self.length, 1, `self must be exactly one of the resources, found ${self.length}`)
  const world = staticWorld(resources, { now: file.now, installation: file.installation })
  const plan = planner(viewOf(self[0]!), world)
  const patches = plan.patches.filter(({ kind, unless, ...ref }) => {
    const existing = world.get(kind, ref)
    return existing === undefined || unless?.(existing.spec) !== true
  })
  return printPlan({ ...plan, patches })
}

/** The plan as people read it: sorted as the engine treats it, without empty parts. */
export function printPlan(plan: Plan): string {
  const shown = {
    outcome: plan.outcome,
    children: plan.children.toSorted(byKindAndName).map(printChild),
    keep: plan.keep.toSorted(byKindAndName).map(printRef),
    remove: plan.remove.toSorted(byKindAndName).map(printRef),
    prunesAtOnce: plan.prunesAtOnce,
    patches: plan.patches.map((p) =>
      Object.assign(printRef(p), { expect: p.expect, labels: p.labels, owner: p.owner, spec: p.spec }),
    ),
    status: plan.status,
    conditions: sortVerdicts(plan.conditions),
    effect: plan.effect,
  }
  const filled = Object.entries(shown).filter(([, v]) => v !== undefined && !(Array.isArray(v) && v.length === 0))
  return stringify(Object.fromEntries(filled), { lineWidth: 120, aliasDuplicateObjects: false, sortMapEntries: false })
}

const printChild = (c: Child): object => ({
  apiVersion: apiVersionOf(c.kind),
  kind: c.kind.kind,
  metadata: { namespace: c.namespace, name: c.name, labels: c.labels, annotations: c.annotations },
  needs: c.needs,
  initial: c.initial,
  spec: c.spec,
})

const printRef = (r: Addressed): object => ({
  apiVersion: apiVersionOf(r.kind),
  kind: r.kind.kind,
  namespace: r.namespace,
  name: r.name,
})

interface Addressed {
  readonly kind: Kind<any, any>
  readonly namespace: string
  readonly name: string
}

const byKindAndName = (a: Addressed, b: Addressed): number =>
  compareText(a.kind.kind, b.kind.kind) || compareText(a.namespace, b.namespace) || compareText(a.name, b.name)

function rotated<T>(list: readonly T[]): readonly T[] {
  const middle = Math.floor(list.length / 2)
  return [...list.slice(middle), ...list.slice(0, middle)]
}

export function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value
  Object.freeze(value)
  Object.values(value).forEach(deepFreeze)
  return value
}
