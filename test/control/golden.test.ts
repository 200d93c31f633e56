import { defineKind } from '#domain/kind.ts'
import { child, provisioned, waiting, type Planner } from '#domain/plan/plan.ts'
import { s } from '#domain/schema.ts'
import { golden } from '#test/support/golden.ts'

const Apple = defineKind({
  group: 'test.stellwerk',
  kind: 'Apple',
  plural: 'apples',
  doc: 'An apple.',
  spec: s.object({ basket: s.string() }),
  status: s.object({}, { size: s.integer() }),
  columns: [],
})
const Basket = defineKind({
  group: 'test.stellwerk',
  kind: 'Basket',
  plural: 'baskets',
  doc: 'A basket.',
  spec: s.object({ size: s.integer() }),
  status: s.object({}),
  columns: [],
})

const planApple: Planner<{ basket: string }> = (self, world) => {
  const basket = world.get(Basket, { namespace: self.namespace, name: self.spec.basket })
  if (!basket?.ready) return waiting('PreconditionNotMet', 'No basket', { status: {} })
  const leaf = child(Basket, {
    namespace: self.namespace,
    name: `${self.name}-leaf`,
    spec: { size: 1 },
    needs: 'exists',
  })
  return provisioned({ status: { size: basket.spec.size }, children: [leaf] })
}

golden('_golden', planApple, Apple, [Basket])
