import { EventType } from '#domain/kinds/event/event-type.ts'
import type { EventSpecificationSpec, EventSpecificationStatus } from '#domain/kinds/rover/event-specification.ts'
import { eventTypeSlug, labelValue, nameValue } from '#domain/names.ts'
import { label, refTo } from '#domain/object.ts'
import { child, type Planner, provisioned } from './plan.ts'

/** Platform §2.2: registers the EventType, field by field. */
export const planEventSpecification: Planner<EventSpecificationSpec, EventSpecificationStatus> = (self) => {
  const { type, version, category, description, specification } = self.spec
  const eventType = child(EventType, {
    namespace: self.namespace,
    name: nameValue(eventTypeSlug(type)),
    labels: { [label('eventtype')]: labelValue(type) },
    spec: {
      type,
      version,
      category,
      ...(description === undefined ? {} : { description }),
      ...(specification === undefined ? {} : { specification }),
    },
  })
  return provisioned({ children: [eventType], status: { eventType: refTo(eventType) } })
}
