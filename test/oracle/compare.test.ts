import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { compareAll } from './compare.ts'
import type { Played } from './player.ts'
import { loadRecordings } from './recording.ts'

/** Failures in plain text are the one thing nobody is asked to repeat. */
const recordings = loadRecordings().filter(
  ({ trimmed, response: { status, body } }) =>
    trimmed === undefined && status > 0 && (status < 400 || typeof body === 'object'),
)

/** A value as a server would have it that gave every label a number of its own. */
function live(value: unknown): unknown {
  if (typeof value === 'string')
    return value.replaceAll(/\b(rv|uid)#(\d+)/g, (_, kind: string, n: string) => `${kind === 'rv' ? 1 : 2}${n}`)
  if (Array.isArray(value)) return value.map(live)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, live(inner)]))
}

/** What kube-apiserver itself would look like, with one thing changed. */
function faithful(change: (played: Played) => Played = (played) => played): Played[] {
  return recordings.map((recording) => {
    const { status, contentType, warning, allow, retryAfter, body } = recording.response
    const answer = { status, contentType, warning, allow, retryAfter, text: '' }
    return change({ recording, answer, body: live(body) })
  })
}

type Body = Record<string, any>

const withGeneration = (body: Body): Body =>
  body?.['metadata']?.generation === undefined ? body : { ...body, metadata: { ...body['metadata'], generation: 99 } }

const withBody = (id: string, edit: (body: Body) => Body): Played[] =>
  faithful((played) => (played.recording.id === id ? { ...played, body: edit(played.body as Body) } : played))

const withAnswer = (id: string, answer: Partial<Played['answer']>): Played[] =>
  faithful((played) => (played.recording.id === id ? { ...played, answer: { ...played.answer, ...answer } } : played))

const found = (played: readonly Played[]): string[] => compareAll(played).map(({ id, at }) => `${id} ${at}`)

describe('the comparison', () => {
  it('finds no fault with the server that was recorded', () => {
    assert.deepEqual(found(faithful()), [])
  })

  it('sees another status, reason, cause, warning and type', () => {
    assert.deepEqual(found(withAnswer('create-001', { status: 200 })), ['create-001 status'])
    assert.deepEqual(found(withAnswer('create-062', { warning: null })), ['create-062 warning'])
    assert.deepEqual(found(withAnswer('get-001', { contentType: 'text/plain' })), ['get-001 type'])
    assert.deepEqual(found(withAnswer('list-053', { retryAfter: undefined })), ['list-053 retryAfter'])
    assert.deepEqual(found(withBody('create-002', (b) => ({ ...b, reason: 'Conflict' }))), ['create-002 reason'])
    const cause = (b: Body): Body => ({ ...b, details: { ...b['details'], causes: b['details'].causes.slice(1) } })
    assert.deepEqual(found(withBody('create-061', cause)), ['create-061 causes'])
    const other = (b: Body): Body => ({ ...b, details: { ...b['details'], name: 'other' } })
    assert.deepEqual(found(withBody('get-002', other)), ['get-002 details'])
  })

  it('sees a version or a generation that moved or did not, in every object', () => {
    const objects = recordings.filter(
      ({ response }) => (response.body as Body | null)?.['metadata']?.generation !== undefined,
    )
    assert.ok(objects.length > 80)
    const grown = faithful((played) => ({ ...played, body: withGeneration(played.body as Body) }))
    const lines = new Set(found(grown))
    assert.deepEqual(
      objects.filter(({ id }) => !lines.has(`${id} metadata.generation`)).map(({ id }) => id),
      [],
    )
    const changed = withBody('update-002', (b) => ({ ...b, metadata: { ...b['metadata'], resourceVersion: '133' } }))
    assert.ok(
      found(changed).some((line) => line.endsWith('metadata.resourceVersion')),
      'the version of another write',
    )
    const moved = withBody('update-003', (b) => ({ ...b, metadata: { ...b['metadata'], resourceVersion: '9999' } }))
    assert.ok(
      found(moved).some((line) => line.endsWith('metadata.resourceVersion')),
      'a version although nothing changed',
    )
  })

  it('sees a field, an item or an event too many or too few', () => {
    assert.deepEqual(found(withBody('get-001', (b) => ({ ...b, extra: 1 }))), ['get-001 extra'])
    assert.deepEqual(found(withBody('get-001', (b) => ({ ...b, spec: undefined }))), ['get-001 spec'])
    assert.deepEqual(found(withBody('list-007', (b) => ({ ...b, items: b['items'].slice(1) }))), [
      'list-007 items.length',
    ])
    const events = faithful((p) =>
      p.recording.id === 'watch-014' ? { ...p, body: (p.body as unknown[]).slice(1) } : p,
    )
    assert.deepEqual(found(events), ['watch-014 .length'])
    const continued = (b: Body): Body => ({ ...b, metadata: {} })
    assert.deepEqual(found(withBody('expired-005', continued)), ['expired-005 continue'])
  })
})
