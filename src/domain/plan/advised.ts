import { verdict } from '#domain/condition.ts'
import type { Planner } from './plan.ts'

/**
 * A planner that also says what the writer was warned of: what is accepted and does not work as it is written (decisions
 * §1.1). It says so while that is so, whether or not the object is ready, and stops nothing.
 */
export function advised<Spec extends object | undefined, Status>(
  advice: (spec: Spec) => readonly string[],
  planner: Planner<Spec, Status>,
): Planner<Spec, Status> {
  // A plan runs several times for one and the same spec.
  const known = new WeakMap<object, readonly string[]>()
  const adviceOn = (spec: NonNullable<Spec>): readonly string[] => {
    let texts = known.get(spec)
    if (texts === undefined) known.set(spec, (texts = advice(spec)))
    return texts
  }
  return (self, world) => {
    const plan = planner(self, world)
    // Without a spec there is nothing to advise on; Ready says that it is missing.
    const texts = self.spec ? adviceOn(self.spec) : []
    if (texts.length === 0) return plan
    return { ...plan, conditions: [...plan.conditions, verdict('Advice', true, 'NotAsWritten', texts.join('; '))] }
  }
}
