import assert from 'node:assert/strict'
import { ApprovalRequest } from '#domain/kinds/approval/approval-request.ts'
import { EventSubscription } from '#domain/kinds/event/event-subscription.ts'
import { Subscriber } from '#domain/kinds/pubsub/subscriber.ts'
import type { ResourceOf } from '#domain/kind.ts'
import type { Named } from '#domain/object.ts'
import { application, eventType, local, OTHER_TEAM, proxy, subscriptionRef, zone } from './drafts.ts'
import type { Draft, Story } from './story.ts'

/** The subscription these stories are about. */
export const APP = subscriptionRef('app')
export const APPROVAL: Named = { name: `eventsubscription--${APP.name}`, namespace: OTHER_TEAM }

/** b runs a backend, e uses it, s runs its own. */
export const MESH: readonly Draft[] = [
  zone('b'),
  zone('e'),
  zone('s'),
  local('b'),
  proxy('e', 'b'),
  local('s'),
  eventType(),
  application('shop', 'b'),
]

export const ready = (story: Story, ref: Named = APP): string => story.ready(EventSubscription, ref)
export const message = (story: Story, ref: Named = APP): string =>
  story.condition(EventSubscription, ref, 'Ready').message
export const subscriber = (story: Story, ref: Named = APP): ResourceOf<typeof Subscriber> | undefined =>
  story.find(Subscriber, ref)

/** A person decides the only request there is. */
export async function decide(story: Story, state: string): Promise<void> {
  const [request] = story.all(ApprovalRequest)
  assert.ok(request)
  const ref = { name: request.metadata.name, namespace: OTHER_TEAM }
  await story.change(ApprovalRequest, ref, (spec) => ({
    ...spec,
    state,
    decisions: [...(spec.decisions ?? []), { name: 'ann' }],
  }))
}
