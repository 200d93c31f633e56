import fc from 'fast-check'
import type { Kind } from '#domain/kind.ts'
import type { Garden } from './fixture.ts'
import { Bed, Plot } from './garden.ts'

/** Something a person does. */
export type Step =
  | {
      readonly type: 'put'
      readonly kind: 'Plot' | 'Bed'
      readonly name: string
      readonly namespace: string
      readonly spec: object
    }
  | { readonly type: 'delete'; readonly kind: 'Plot' | 'Bed'; readonly name: string; readonly namespace: string }

export const KIND: Readonly<Record<Step['kind'], Kind>> = { Plot, Bed }

const namespace = fc.constantFrom('a', 'x--y')
const plotName = fc.constantFrom('p', 'q')
const bedName = fc.constantFrom('b', 'c', 'd')
const soil = fc.constantFrom('clay', 'sand')
const crops = fc.uniqueArray(fc.constantFrom('kale', 'leek', 'mint'), { maxLength: 3 })

const putPlot = fc.record({
  type: fc.constant('put' as const),
  kind: fc.constant('Plot' as const),
  name: plotName,
  namespace,
  spec: fc.record({ soil, closed: fc.boolean() }),
})
export const putBed = fc.record({
  type: fc.constant('put' as const),
  kind: fc.constant('Bed' as const),
  name: bedName,
  namespace,
  spec: fc.record({ plot: plotName, crops }),
})
const remove = fc.oneof(
  fc.record({ type: fc.constant('delete' as const), kind: fc.constant('Plot' as const), name: plotName, namespace }),
  fc.record({ type: fc.constant('delete' as const), kind: fc.constant('Bed' as const), name: bedName, namespace }),
)

export const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: putBed },
  { weight: 3, arbitrary: putPlot },
  { weight: 2, arbitrary: remove },
)
export const steps = fc.array(step, { minLength: 1, maxLength: 12 })

/** Plots for every bed, so that no plan ends up waiting: what a waiting plan left behind depends on the past, as it should. */
export const allPlots: readonly Step[] = ['a', 'x--y'].flatMap((ns) =>
  ['p', 'q'].map((name): Step => ({
    type: 'put',
    kind: 'Plot',
    name,
    namespace: ns,
    spec: { soil: name === 'p' ? 'clay' : 'sand' },
  })),
)

export async function perform(garden: Garden, { kind, name, namespace: ns, ...rest }: Step): Promise<void> {
  if (rest.type === 'put') await garden.put(KIND[kind], name, rest.spec, { namespace: ns })
  else await garden.delete(KIND[kind], name, ns)
}

/** The last word on each object: what remains of a story when only its end counts. */
export function endOf(story: readonly Step[]): readonly Step[] {
  const last = new Map(story.map((s) => [`${s.kind} ${s.namespace}/${s.name}`, s]))
  return [...last.values()].filter((s) => s.type === 'put')
}
