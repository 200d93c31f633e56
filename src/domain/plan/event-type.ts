import { environmentOf, keyOf } from '#domain/environment.ts'
import type { SpecOf, StatusOf } from '#domain/kind.ts'
import { adviceOnEventType, EventType } from '#domain/kinds/event/event-type.ts'
import type { ObjectRef } from '#domain/object.ts'
import { refTo } from '#domain/object.ts'
import { fileAstray } from './file-integrity.ts'
import { advised } from './advised.ts'
import { type Planner, provisioned, waiting } from './plan.ts'
import { defineIndex, indexKey, oldest, type World } from './world.ts'

type Spec = SpecOf<typeof EventType>
type Status = StatusOf<typeof EventType>

export const eventTypesByType = defineIndex<Spec, Status>({
  name: 'eventTypesByType',
  kind: EventType,
  keys: ({ metadata, spec }) => [indexKey(environmentOf(metadata.namespace ?? '', metadata.labels), spec.type)],
})

/** The entry in force for a type: the oldest that is not being deleted (decisions §4.5). */
export function typeInForce(world: World, environment: string, type: string): ObjectRef | undefined {
  const entries = world.list(eventTypesByType, indexKey(environment, type))
  const entry = oldest(entries.filter((e) => !e.deleting))
  return entry && refTo(entry)
}

/** §2.8: one entry per type counts. */
export const planEventType: Planner<Spec, Status> = advised(adviceOnEventType, (self, world) => {
  const { type, specification } = self.spec
  const environment = environmentOf(self.namespace, self.labels)
  const strange = specification === undefined ? undefined : fileAstray(world, environment, specification)
  const conditions = strange === undefined ? [] : [strange]
  const inForce = world.derive(typeInForce, environment, type)
  if (inForce === undefined || (inForce.name === self.name && inForce.namespace === self.namespace))
    return provisioned({ status: { active: true }, conditions })
  const message = `EventType ${keyOf(inForce)} is older and already registers "${type}": delete one of the two`
  return waiting('PreconditionNotMet', message, { status: { active: false }, conditions })
})
