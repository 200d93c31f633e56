import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { EventConfig } from '#domain/kinds/event/event-config.ts'
import { EventSubscription } from '#domain/kinds/event/event-subscription.ts'
import { always } from '#test/support/property.ts'
import { configRef, subscriptionRef } from './drafts.ts'
import { Oracle } from './oracle.ts'
import { check, checkConfigs, checkJourneys, expectedRoutes, shownRoutes } from './plot-checks.ts'
import { appOf, draftsOf, plots } from './plots.ts'
import { Story } from './story.ts'

const RUNS = 25

describe('worlds made at random', () => {
  it('are what the specification says, and every advertised address leads where it should', async () => {
    await always(
      fc.asyncProperty(plots, fc.infiniteStream(fc.nat()), async (plot, random) => {
        const order = draftsOf(plot).map((draft) => ({ draft, rank: random.next().value as number }))
        const story = await Story.of(order.toSorted((a, b) => a.rank - b.rank).map(({ draft }) => draft))
        try {
          check(story, plot)
        } finally {
          await story.end()
        }
      }),
      { numRuns: RUNS },
    )
  })

  it('become what they would have been from the start, whatever they were before', async () => {
    await always(
      fc.asyncProperty(fc.tuple(plots, plots), async ([former, latter]) => {
        const story = await Story.of(draftsOf(former))
        try {
          await story.apply(...draftsOf(latter))
          const gone = former.sites.filter((s) => !latter.sites.some((l) => l.zone === s.zone))
          for (const s of gone) await story.delete(EventConfig, configRef(s.zone))
          for (const [i, s] of former.subscribers.entries()) {
            const same = latter.subscribers[i]?.type === s.type
            if (!same) await story.delete(EventSubscription, subscriptionRef(appOf(i), s.type))
          }
          const oracle = new Oracle(latter.sites)
          const isThere = (z: string): boolean => latter.sites.some((s) => s.zone === z)
          // Streams of what is blocked now stay as they were: ignorance never deletes.
          const settled = (lines: readonly string[]): readonly string[] =>
            lines.filter((line) => !line.includes(' sse--'))
          assert.deepEqual(
            settled(shownRoutes(story, (z) => isThere(z) && oracle.isReady(z))),
            settled(expectedRoutes(latter, oracle)),
          )
          checkConfigs(story, oracle)
          checkJourneys(story, latter, oracle)
        } finally {
          await story.end()
        }
      }),
      { numRuns: Math.ceil(RUNS / 2) },
    )
  })
})
