import { notReady as notReadyVerdict, processing } from '#domain/condition.ts'
import { environmentOf } from '#domain/environment.ts'
import { adviceOnEventConfig } from '#domain/kinds/event/event-config.ts'
import { advised } from './advised.ts'
import { type Ground, groundOf } from './event-config-ground.ts'
import { planAdminIdentity, planMeshIdentity, planStore } from './event-config-identity.ts'
import { join, type Part } from './event-config-part.ts'
import { planRoutes } from './event-config-routes.ts'
import type { EventConfigSpec, EventConfigStatus } from './event-zones.ts'
import { isObstacle } from './obstacle.ts'
import { type Plan, type Planner, provisioned, waiting } from './plan.ts'
import type { View } from './world.ts'

/** §2.5, §4, §6.2: everything a zone needs to take part in eventing. */
export const planEventConfig: Planner<EventConfigSpec, EventConfigStatus> = advised(
  adviceOnEventConfig,
  (self, world) => {
    const ground = groundOf(self, world, environmentOf(self.namespace, self.labels))
    if (isObstacle(ground)) return waiting(ground.obstacle, ground.message, { status: lastStatus(self) })
    return conclude(self, ground, partsOf(ground))
  },
)

/** The parts do not wait for each other: a missing realm must not stop a route. */
const partsOf = (ground: Ground): Part =>
  join([planAdminIdentity(ground), planMeshIdentity(ground), planStore(ground), planRoutes(ground)])

function conclude(self: View<EventConfigSpec, EventConfigStatus>, ground: Ground, part: Part): Plan<EventConfigStatus> {
  const { children, keep } = part
  const [first] = part.obstacles
  const blockedStatus = { ...lastStatus(self), ...part.status }
  if (first !== undefined) {
    const all = [...new Set(part.obstacles.map((o) => o.message))].join('; ')
    return waiting(first.obstacle, all, { children, keep, status: blockedStatus })
  }
  if (part.pending.length > 0) return unfinished(part, blockedStatus)
  const message = ['Provisioned', ...part.notes].join('; ')
  return provisioned({ children, keep, status: statusOf(ground, part), message })
}

/** Something of its own is still being made; the plan goes on by itself. */
function unfinished(part: Part, status: EventConfigStatus): Plan<EventConfigStatus> {
  const message = part.pending.join('; ')
  const { children, keep } = part
  const plan = waiting('SubResourceNotReady', message, { children, keep, status })
  return {
    ...plan,
    conditions: [notReadyVerdict('SubResourceNotReady', message), processing('SubResourceNotReady', message)],
  }
}

function statusOf(ground: Ground, part: Part): EventConfigStatus {
  return { ...(ground.target !== undefined && NO_OUTBOUND), ...part.status }
}

const NO_OUTBOUND: EventConfigStatus = { proxyCallbackRoutes: [] }
const NO_URLS: EventConfigStatus = { ...NO_OUTBOUND, callbackUrl: '', proxyCallbackUrls: {} }

/** Decisions §8.15: a blocked EventConfig shows what it last had; a blocked proxy never shows URLs of its backend. */
function lastStatus(self: View<EventConfigSpec, EventConfigStatus>): EventConfigStatus {
  if (self.spec.proxy === undefined) return self.status
  const { adminClient: _, ...rest } = self.status
  return { ...rest, ...NO_URLS }
}
