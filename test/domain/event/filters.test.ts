import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { publisherTrigger, unknownScopes } from '#domain/filters/publisher-trigger.ts'
import type { Scope, Trigger } from '#domain/filters/trigger.ts'

const scope = (name: string, trigger: Trigger = {}): Scope => ({ name, trigger })
const eq = (field: string, value: string): Record<string, unknown> => ({ eq: { field, value } })
const attributes = (entries: Record<string, string>): Trigger => ({ selectionFilter: { attributes: entries } })
const fields = (mode: 'Include' | 'Exclude', ...paths: string[]): Trigger => ({ responseFilter: { mode, paths } })

describe('the publisher trigger', () => {
  it('is absent without scopes', () => {
    assert.equal(publisherTrigger([], []), undefined)
    assert.equal(publisherTrigger([scope('a', attributes({ k: 'v' }))], []), undefined)
  })
  it('takes one scope as it is', () => {
    const expression = { gt: { field: '$.price', value: 5 } }
    const offered = [scope('a', { selectionFilter: { expression, attributes: { ignored: 'x' } } }), scope('b')]
    assert.deepEqual(publisherTrigger(offered, ['a']), { selectionFilter: { expression } })
  })
  it('joins the selected scopes with or, in the order of the exposure (§8.1)', () => {
    const offered = [
      scope('a', attributes({ z: '1', k: '2' })),
      scope('unasked', attributes({ q: 'q' })),
      scope('b', { selectionFilter: { expression: eq('x', 'y') } }),
    ]
    assert.deepEqual(publisherTrigger(offered, ['b', 'a', 'b']), {
      selectionFilter: { expression: { or: [{ and: [eq('k', '2'), eq('z', '1')] }, eq('x', 'y')] } },
    })
  })
  it('is unfiltered when one selected scope is (decisions §4.8)', () => {
    const offered = [scope('a', attributes({ k: 'v' })), scope('all'), scope('empty', attributes({}))]
    assert.equal(publisherTrigger(offered, ['a', 'all']), undefined)
    assert.equal(publisherTrigger(offered, ['a', 'empty']), undefined)
  })
  it('uses the scope named default when none is asked for, and never adds it otherwise', () => {
    const offered = [scope('default', attributes({ k: 'v' })), scope('a', attributes({ x: 'y' }))]
    assert.deepEqual(publisherTrigger(offered, []), { selectionFilter: { expression: eq('k', 'v') } })
    assert.deepEqual(publisherTrigger(offered, ['a']), { selectionFilter: { expression: eq('x', 'y') } })
  })

  const response = (...triggers: Trigger[]): unknown => {
    const offered = triggers.map((trigger, i) => scope(`s${i}`, trigger))
    return publisherTrigger(
      offered,
      offered.map((s) => s.name),
    )?.responseFilter
  }
  it('shows the union of what Include scopes show', () => {
    assert.deepEqual(response(fields('Include', 'b', 'a'), fields('Include', 'a', 'c')), {
      mode: 'Include',
      paths: ['b', 'a', 'c'],
    })
  })
  it('hides the union of what Exclude scopes hide', () => {
    assert.deepEqual(response(fields('Exclude', 'a'), fields('Exclude', 'b')), { mode: 'Exclude', paths: ['a', 'b'] })
    assert.deepEqual(response(fields('Exclude', 'a'), {}), { mode: 'Exclude', paths: ['a'] })
  })
  it('hides what one scope hides and none shows (decisions §4.8)', () => {
    assert.deepEqual(response(fields('Exclude', 'a', 'b'), fields('Include', 'b')), { mode: 'Exclude', paths: ['a'] })
  })
  it('removes nothing when the difference is empty or a scope shows all fields (decisions §8.21)', () => {
    assert.equal(response(fields('Exclude', 'b'), fields('Include', 'b')), undefined)
    assert.equal(response(fields('Include', 'a'), {}), undefined)
    assert.equal(response(fields('Include', 'a'), { responseFilter: { mode: 'Include' } }), undefined)
  })
  it('treats a filter without mode as Include', () => {
    assert.deepEqual(response({ responseFilter: { paths: ['a'] } }), { mode: 'Include', paths: ['a'] })
  })
})

describe('scopes', () => {
  it('not offered are named in the order they were asked for', () => {
    assert.deepEqual(unknownScopes([scope('a')], ['z', 'a', 'y', 'z']), ['z', 'y'])
  })
})
