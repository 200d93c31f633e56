import type { Kind } from '#domain/kind.ts'
import type { Planner } from '#domain/plan/plan.ts'
import type { Actuator } from './actuator.ts'

/** One kind and what computes its consequences; an actuator where some of them lie outside the store. */
export interface Controller {
  readonly kind: Kind
  readonly planner: Planner
  readonly actuator?: Actuator | undefined
}

export const controllerOf = <Spec, Status>(
  kind: Kind<Spec, Status>,
  planner: Planner<Spec, Status>,
  options: { readonly actuator?: Actuator<Spec, Status> | undefined } = {},
): Controller => ({ kind, planner, actuator: options.actuator })
