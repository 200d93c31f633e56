import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { isStatus } from '#domain/errors.ts'
import { EventType } from '#domain/kinds/event/event-type.ts'
import { compileFilter } from '#registry/filter.ts'
import { checkFields, parseFieldSelector, parseLabelSelector } from '#registry/selector.ts'
import type { Resource } from '#domain/object.ts'
import type { Stored } from '#registry/registry.ts'

const stored = (labels: Record<string, string>, extra: object = {}): Stored => {
  const resource = { apiVersion: 'v1', kind: 'X', metadata: { name: 'n', labels }, spec: extra } as Resource
  return { resource, bytes: Buffer.from(JSON.stringify(resource)), revision: 1 }
}

describe('label selectors', () => {
  const cases: readonly (readonly [string, Record<string, string>, boolean])[] = [
    ['', { a: '1' }, true],
    ['a', { a: '1' }, true],
    ['a', { b: '1' }, false],
    ['!a', { b: '1' }, true],
    ['!a', { a: '' }, false],
    ['a=1', { a: '1' }, true],
    ['a==1', { a: '1' }, true],
    ['a=1', { a: '12' }, false],
    ['a=', { a: '' }, true],
    ['a=', {}, false],
    ['a!=1', { a: '2' }, true],
    ['a!=1', {}, true],
    ['a!=1', { a: '1' }, false],
    ['a in (1,2)', { a: '2' }, true],
    ['a in (1, 2)', { a: '3' }, false],
    ['a in (1)', {}, false],
    ['a notin (1,2)', { a: '3' }, true],
    ['a notin (1,2)', {}, true],
    ['a notin (1,2)', { a: '1' }, false],
    ['a in (,x)', { a: '' }, true],
    ['a=1,b=2', { a: '1', b: '2' }, true],
    ['a=1,b=2', { a: '1' }, false],
    ['in in (in)', { in: 'in' }, true],
    ['example.com/app=web', { 'example.com/app': 'web' }, true],
    ['a>1', { a: '2' }, true],
    ['a > 1', { a: '1' }, false],
    ['a<10', { a: '9' }, true],
    ['a<9007199254740993', { a: '9007199254740992' }, true],
    ['a>1', { a: 'x' }, false],
    ['a>1', {}, false],
    ['a<1', { 'b.a': '0' }, false],
    ['constructor', {}, false],
    ['toString!=x', {}, true],
  ]
  for (const [text, labels, expected] of cases) {
    it(`${JSON.stringify(text)} ${expected ? 'selects' : 'leaves'} ${JSON.stringify(labels)}`, () => {
      assert.equal(compileFilter(EventType, { labels: parseLabelSelector(text) }).matches(stored(labels)), expected)
    })
  }

  for (const text of [
    'a in web',
    '=,=',
    'a=not valid!',
    'a b=c',
    'a in (1',
    'a=(1)',
    ',',
    'a,',
    '!',
    'a=1=2',
    '/x',
    'a/b/c',
    'a=-x',
    'a>x',
    'a>',
    'a>1.5',
    'a>=1',
    'a<-1',
    '>1',
    '__proto__',
    'a'.repeat(20_000),
  ]) {
    it(`400 for ${text.slice(0, 20)}`, () => {
      assert.throws(
        () => parseLabelSelector(text),
        (error) => isStatus(error, 'BadRequest') && error.message.length < 1000,
      )
    })
  }

  it('a text elsewhere in the object is no label', () => {
    const filter = compileFilter(EventType, { labels: parseLabelSelector('a=1') })
    assert.equal(filter.matches(stored({}, { a: '1' })), false)
    const without = compileFilter(EventType, { labels: parseLabelSelector('!a') })
    assert.equal(without.matches(stored({}, { a: '1' })), true)
  })

  it('objects whose bytes rule a match out are not parsed', () => {
    const blind: Stored = {
      bytes: stored({ a: '1' }).bytes,
      revision: 1,
      get resource(): Resource {
        throw new Error('parsed')
      },
    }
    for (const [text, result] of [
      ['a=2', false],
      ['b', false],
      ['b!=1', true],
      ['!b', true],
      ['a notin (2,3)', true],
    ] as const) {
      assert.equal(compileFilter(EventType, { labels: parseLabelSelector(text) }).matches(blind), result)
    }
  })
})

describe('field selectors', () => {
  it('read =, ==, != and escapes', () => {
    assert.deepEqual(parseFieldSelector('metadata.name=a,metadata.namespace!=b\\,c'), [
      { key: 'metadata.name', operator: '=', values: ['a'] },
      { key: 'metadata.namespace', operator: '!=', values: ['b,c'] },
    ])
    assert.deepEqual(parseFieldSelector(''), [])
  })

  for (const text of ['nonsense', 'metadata.name in (a)', '=a']) {
    it(`400 for ${text}`, () =>
      assert.throws(
        () => parseFieldSelector(text),
        (error) => isStatus(error, 'BadRequest'),
      ))
  }

  it('400 for a field the kind has no selector for; core Events have more', () => {
    const about = parseFieldSelector('involvedObject.name=x')
    assert.throws(() => checkFields(about, EventType), /field label not supported: involvedObject.name/)
    assert.throws(() => checkFields(parseFieldSelector('spec.type=x'), EventType), /field label not supported/)
    checkFields(about, { group: '', kind: 'Event' })
  })
})
