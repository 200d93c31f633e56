import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { EventExposure } from '#domain/kinds/event/event-exposure.ts'
import { EventSubscription } from '#domain/kinds/event/event-subscription.ts'
import { Consumer } from '#domain/kinds/gateway/consumer.ts'
import { Client } from '#domain/kinds/identity/client.ts'
import type { Condition, Resource } from '#domain/object.ts'
import { always } from '#test/support/property.ts'
import { eventType, exposure, OTHER_TEAM, staged, streamSubscriber, TEAM } from './drafts.ts'
import { appOf, draftsOf, NAMES, plots } from './plots.ts'
import { type Draft, Story } from './story.ts'

/** Here lives what goes astray; it is not looked at itself. */
const LOST = 'prod--shop--lost'

const apps = [{ name: 'shop', namespace: TEAM }, ...[0, 1, 2].map((i) => ({ name: appOf(i), namespace: OTHER_TEAM }))]
const app = fc.constantFrom(...apps)
const stageZone = fc.constantFrom(...NAMES).map((name) => ({ name, namespace: 'stage' }))
const prodZone = fc.constantFrom(...NAMES).map((name) => ({ name, namespace: 'prod' }))

const subscriptionSpec = streamSubscriber('x', 'a')[1]!.spec
const exposureSpec = exposure('a', {}, 'lost.v1').spec

/** References across: out of prod, and from stage into prod. */
const strays: fc.Arbitrary<Draft> = fc.oneof(
  fc.record({ provider: app, zone: stageZone }).map((spec) => ({
    kind: EventExposure,
    metadata: { name: 'x', namespace: LOST },
    spec: { ...exposureSpec, ...spec },
  })),
  fc.record({ requestor: app, zone: stageZone }).map((spec) => ({
    kind: EventSubscription,
    metadata: { name: `y-${spec.requestor.name}-${spec.zone.name}`, namespace: LOST },
    spec: { ...subscriptionSpec, eventType: 'lost.v1', ...spec },
  })),
  fc.record({ requestor: app, zone: prodZone }).map((spec) => ({
    kind: EventSubscription,
    metadata: { name: `z-${spec.requestor.name}-${spec.zone.name}`, namespace: 'stage--shop--lost' },
    spec: { ...subscriptionSpec, eventType: 'lost.v1', ...spec },
  })),
  fc.constantFrom(...NAMES).map((zone) => ({
    kind: Client,
    metadata: { name: `c-${zone}`, namespace: 'stage--shop--lost' },
    spec: { realm: { name: 'prod', namespace: `prod--${zone}` }, clientId: 'shop--orders--shop' },
  })),
  fc.constantFrom(...NAMES).map((zone) => ({
    kind: Consumer,
    metadata: { name: `c-${zone}`, namespace: 'stage--shop--lost' },
    spec: { gateway: { name: 'gateway', namespace: `prod--${zone}` }, name: 'shop--orders--shop' },
  })),
)

/** What people and gateways see of prod. */
const seen = (story: Story): readonly string[] =>
  story.resources
    .filter(({ metadata: { namespace = '' } }) => /^prod(--|$)/.test(namespace) && namespace !== LOST)
    .map(printed)
    .toSorted()

function printed({ kind, metadata, spec, status }: Resource): string {
  const { conditions = [], ...rest } = (status ?? {}) as { conditions?: readonly Condition[] }
  const said = conditions.map((c) => [c.type, c.status, c.reason, c.message])
  const { namespace, name, labels } = metadata
  const { 'cp.ei.vendor.de/owner.uid': _, ...named } = labels ?? {}
  return JSON.stringify([kind, namespace, name, named, spec, rest, said])
}

async function outcome(drafts: readonly Draft[]): Promise<readonly string[]> {
  const story = await Story.of(drafts)
  try {
    return seen(story)
  } finally {
    await story.end()
  }
}

describe('an environment', () => {
  it('is the same beside another one, whatever refers from one to the other', async () => {
    const numbers = fc.infiniteStream(fc.nat())
    await always(
      fc.asyncProperty(plots, plots, fc.array(strays, { maxLength: 6 }), numbers, async (here, there, lost, random) => {
        const own = draftsOf(here)
        const all = [...draftsOf(there).map(staged), eventType('lost.v1', LOST), ...lost]
        const mixed = [...own, ...all].map((draft) => ({ draft, rank: random.next().value as number }))
        const beside = await outcome(mixed.toSorted((a, b) => a.rank - b.rank).map(({ draft }) => draft))
        assert.deepEqual(beside, await outcome(own))
      }),
      { numRuns: 12 },
    )
  })
})
