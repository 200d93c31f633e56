import type { Kind, SpecOf } from '#domain/kind.ts'
import { defineKind } from '#domain/kind.ts'
import { Namespace } from '#domain/kinds/core/namespace.ts'
import type { Planner } from '#domain/plan/plan.ts'
import { s } from '#domain/schema.ts'

/** A kind for planners written in a test: the planner is the point, not the kind. */
export const Thing = defineKind({
  group: 'things.test',
  kind: 'Thing',
  plural: 'things',
  doc: 'Anything.',
  spec: s.object(
    {},
    { n: s.integer(), until: s.time(), peer: s.string(), state: s.string(), secret: s.string({ secret: 'generated' }) },
  ),
  status: s.object({}, { n: s.integer(), open: s.boolean(), text: s.string() }),
  columns: [],
})

/** A kind nobody plans. */
export const Stone = defineKind({
  group: 'things.test',
  kind: 'Stone',
  plural: 'stones',
  doc: 'A stone.',
  spec: s.object({}, { n: s.integer({ maximum: 100 }), state: s.string() }),
  status: s.object({}),
  columns: [],
})

export const THINGS: readonly Kind[] = [Thing, Stone, Namespace]
export type ThingPlanner = Planner<SpecOf<typeof Thing>>
