import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { Approval } from '#domain/kinds/approval/approval.ts'
import { ApprovalRequest } from '#domain/kinds/approval/approval-request.ts'
import type { Condition, Resource } from '#domain/object.ts'
import { always } from '#test/support/property.ts'
import { BEGINNING, type Declared, declaredDrafts, histories, isOpen, nameOf, type Step } from './histories.ts'
import { type Draft, Story } from './story.ts'

/** Performs a step; whatever is declared and not there afterwards was dropped and not changed since. */
async function perform(story: Story, before: Declared, { change, drop, hasty }: Step): Promise<Declared> {
  const after = change(before)
  const former = new Map(declaredDrafts(before).map((draft) => [nameOf(draft), JSON.stringify(draft.spec)]))
  const drafts = declaredDrafts(after)
  const dropped = drafts.find((draft) => nameOf(draft) === drop)
  if (dropped !== undefined) {
    if (story.find(dropped.kind, dropped.metadata) !== undefined) await story.drop(dropped.kind, dropped.metadata)
  } else {
    const changed = drafts.filter((draft) => former.get(nameOf(draft)) !== JSON.stringify(draft.spec))
    await write(story, changed.length > 0 ? changed : drafts)
  }
  if (!hasty) await story.settle()
  return after
}

/** What is being deleted has to go before it can come back. */
async function write(story: Story, drafts: readonly Draft[]): Promise<void> {
  if (drafts.some(({ kind, metadata }) => story.find(kind, metadata)?.metadata.deletionTimestamp !== undefined))
    await story.settle()
  await story.write(...drafts)
}

const readyOf = (resource: Resource<any, any>): Condition | undefined =>
  (resource.status?.conditions as readonly Condition[] | undefined)?.find(({ type }) => type === 'Ready')

const keyOf = ({ kind, metadata }: Resource): string => `${kind} ${metadata.namespace}/${metadata.name}`

/**
 * Without what differs between two worlds with the same content: versions, times, and what is made at random. The status of what
 * is not ready also tells what it had before, which stays: ignorance never deletes.
 */
function contentOf(resource: Resource<any, any>): unknown {
  const { metadata, spec, status } = resource
  const { labels, annotations, ownerReferences = [] } = metadata
  const owners = ownerReferences.map(({ kind, name }) => `${kind} ${name}`)
  const ready = readyOf(resource)
  const verdict = ready && `${ready.status}/${ready.reason}`
  const { conditions: _conditions, ...told } = ready?.status === 'False' ? {} : (status ?? {})
  return { labels, annotations, owners, spec, verdict, told }
}

const scrubbed = (text: string): string => text.replaceAll(/\$<[^>]*>/g, '$<…>').replaceAll(/simulated-\d+/g, 'uid')

/** Approvals and their requests tell what was asked for once, so they are not compared. */
const HISTORICAL = new Set([Approval.kind, ApprovalRequest.kind])

const contents = (story: Story): ReadonlyMap<string, string> =>
  new Map(
    story.resources
      .filter(({ kind }) => !HISTORICAL.has(kind))
      .map((r) => [keyOf(r), scrubbed(JSON.stringify(contentOf(r), undefined, 1))]),
  )

/** What streams make (§4.3): an approval from before counts for them, also while its subscription is blocked. */
const isOfStreams = (key: string): boolean => /^(EventExposure|Route) \S+\/(shop|sse)--/.test(key)

async function compare(story: Story, declared: Declared): Promise<void> {
  const fresh = await Story.of(declaredDrafts(declared))
  const open = isOpen(declared)
  try {
    const [actual, expected] = [contents(story), contents(fresh)]
    if (open) assert.deepEqual([...actual.keys()].toSorted(), [...expected.keys()].toSorted())
    for (const [key, content] of expected) if (open || !isOfStreams(key)) assert.equal(actual.get(key), content, key)
  } finally {
    await fresh.end()
  }
}

async function isSilent(story: Story): Promise<void> {
  const again = new Story(story.resources)
  try {
    const { status, spec } = await again.counting(() => again.settle())
    assert.deepEqual([...status.keys(), ...spec.keys()], [], 'a converged world is not silent after a restart')
  } finally {
    await again.end()
  }
}

test('zones and applications that move, go and come back leave the world that was declared', async () => {
  await always(
    fc.asyncProperty(histories, async (history) => {
      const story = await Story.of(declaredDrafts(BEGINNING))
      try {
        let declared = BEGINNING
        for (const each of history) {
          declared = await perform(story, declared, each)
          for (const r of story.resources) assert.notEqual(readyOf(r)?.reason, 'Error', keyOf(r))
        }
        await story.settle()
        await isSilent(story)
        await write(story, declaredDrafts(declared))
        await story.settle()
        await compare(story, declared)
      } finally {
        await story.end()
      }
    }),
    { numRuns: 15 },
  )
})
