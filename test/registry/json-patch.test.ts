import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import fastJsonPatch from 'fast-json-patch'
import { applyJsonPatch, MAX_OPERATIONS, PatchError } from '#registry/json-patch.ts'
import { mergePatch } from '#registry/merge-patch.ts'
import { parseJson } from '#lib/json.ts'
import { always } from '#test/support/property.ts'

const names = fc.constantFrom('a', 'b', 'c~', 'd/e', '', '0', '1')
const tree = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.integer({ min: 0, max: 3 }),
    fc.constantFrom('x', null, true),
    tie('list'),
    tie('map'),
  ),
  list: fc.array(tie('value'), { maxLength: 3 }),
  map: fc.dictionary(names, tie('value'), { maxKeys: 4, noNullPrototype: true }),
}))
const step = fc.oneof(names, fc.constantFrom('-', '2', '01'))
const escape = (text: string): string => text.replaceAll('~', '~0').replaceAll('/', '~1')
const pointer = fc.array(step, { maxLength: 3 }).map((steps) => steps.map((text) => `/${escape(text)}`).join(''))
const operation = fc.oneof(
  fc.record({ op: fc.constantFrom('add', 'replace', 'test'), path: pointer, value: tree.value }),
  fc.record({ op: fc.constant('remove'), path: pointer }),
  fc.record({ op: fc.constantFrom('move', 'copy'), from: pointer, path: pointer }),
)

function outcome(run: () => unknown): { readonly value?: unknown; readonly failed: boolean } {
  try {
    return { value: run(), failed: false }
  } catch {
    return { failed: true }
  }
}

/** What the library gets wrong or leaves open, and we decide by the text of RFC 6902 and 6901. */
function disputed(patch: readonly { op: string; path: string; from?: string }[]): boolean {
  return patch.some(
    ({ op, path, from }) =>
      /\/01(\/|$)/.test(path + (from === undefined ? '' : `/${from}`)) ||
      (op !== 'add' && /\/-(\/|$)/.test(path)) ||
      /\/-(\/|$)/.test(from ?? '') ||
      (path === '' && op !== 'test') ||
      from === '' ||
      (from !== undefined && path.startsWith(`${from}/`)),
  )
}

/** What the library lets pass and the RFCs do not: an empty step into a list, and moves and copies beyond the end of one. */
function isTooLenient(patch: readonly { op: string; path: string; from?: string }[]): boolean {
  const hasEmptyStep = (text = ''): boolean => /\/(\/|$)/.test(text)
  return patch.some(
    ({ op, path, from }) =>
      hasEmptyStep(path) || hasEmptyStep(from) || ((op === 'move' || op === 'copy') && /\/\d+$/.test(path)),
  )
}

describe('JSON patch', () => {
  it('does what fast-json-patch does, on documents and patches of every shape', () => {
    always(
      fc.property(tree.map, fc.array(operation, { maxLength: 5 }), (document, patch) => {
        fc.pre(!disputed(patch))
        const before = structuredClone(document)
        const ours = outcome(() => applyJsonPatch(document, patch))
        const theirs = outcome(
          () =>
            fastJsonPatch.applyPatch(structuredClone(document), structuredClone(patch) as never, true, false)
              .newDocument,
        )
        assert.deepEqual(document, before)
        if (ours.failed && isTooLenient(patch)) return
        assert.equal(ours.failed, theirs.failed)
        assert.deepEqual(ours.value, theirs.value)
      }),
      { numRuns: 3000 },
    )
  })

  const rules: readonly (readonly [string, unknown, unknown, unknown])[] = [
    [
      'adds into lists and at their end',
      { l: [1, 3] },
      [
        { op: 'add', path: '/l/1', value: 2 },
        { op: 'add', path: '/l/-', value: 4 },
      ],
      { l: [1, 2, 3, 4] },
    ],
    ['moves within a list', { l: [1, 2, 3] }, [{ op: 'move', from: '/l/0', path: '/l/2' }], { l: [2, 3, 1] }],
    ['replaces the whole document', { a: 1 }, [{ op: 'replace', path: '', value: { b: 2 } }], { b: 2 }],
    ['unescapes ~1 and ~0', { 'a/b~c': 1 }, [{ op: 'replace', path: '/a~1b~0c', value: 2 }], { 'a/b~c': 2 }],
    [
      'tests numbers of 64 bits',
      { n: 9007199254740993n },
      [{ op: 'test', path: '/n', value: 9007199254740993n }],
      { n: 9007199254740993n },
    ],
  ]
  for (const [what, document, patch, result] of rules) {
    it(what, () => assert.deepEqual(applyJsonPatch(document, patch), result))
  }

  const refused: readonly (readonly [string, unknown])[] = [
    ['no list', {}],
    ['an operation that is no object', [1]],
    ['an unknown op', [{ op: 'merge', path: '/a' }]],
    ['an inherited op', [{ op: 'toString', path: '/a' }]],
    ['no path', [{ op: 'remove' }]],
    ['a path without slash', [{ op: 'add', path: 'a', value: 1 }]],
    ['a bad escape', [{ op: 'add', path: '/~2', value: 1 }]],
    ['no value', [{ op: 'add', path: '/a' }]],
    ['replace of nothing', [{ op: 'replace', path: '/nope', value: 1 }]],
    ['remove of nothing', [{ op: 'remove', path: '/nope' }]],
    ['an inherited property', [{ op: 'remove', path: '/constructor' }]],
    ['a leading zero', [{ op: 'remove', path: '/l/00' }]],
    ['an empty index', [{ op: 'add', path: '/l/', value: 1 }]],
    ['an index beyond the end', [{ op: 'add', path: '/l/3', value: 1 }]],
    ['a move beyond the end', [{ op: 'move', from: '/a', path: '/l/3' }]],
    ['a copy beyond the end', [{ op: 'copy', from: '/a', path: '/l/3' }]],
    ['a negative index', [{ op: 'remove', path: '/l/-1' }]],
    ['a parent moved into its child', [{ op: 'move', from: '/m', path: '/m/x' }]],
    ['a step into a text', [{ op: 'add', path: '/t/x', value: 1 }]],
    ['too many operations', Array.from({ length: MAX_OPERATIONS + 1 }, () => ({ op: 'test', path: '/a', value: 1 }))],
  ]
  for (const [what, patch] of refused) {
    it(`refuses ${what}`, () =>
      assert.throws(() => applyJsonPatch({ a: 1, l: [1, 2], m: {}, t: 'x' }, patch), PatchError))
  }

  it('takes __proto__ for an ordinary key', () => {
    const { value } = parseJson('[{"op":"add","path":"/__proto__","value":{"polluted":true}}]')
    const out = applyJsonPatch({ a: 1 }, value) as Record<string, unknown>
    assert.deepEqual(Object.keys(out), ['a', '__proto__'])
    assert.equal(Object.getPrototypeOf(out), Object.prototype)
    const deep = applyJsonPatch(out, [{ op: 'replace', path: '/__proto__/polluted', value: 1 }])
    assert.equal(JSON.stringify(deep), '{"a":1,"__proto__":{"polluted":1}}')
    assert.throws(() => applyJsonPatch({}, [{ op: 'add', path: '/__proto__/polluted', value: 1 }]), PatchError)
    assert.equal(({} as { polluted?: unknown }).polluted, undefined)
  })

  it('never says what value a failed test met', () => {
    const patch = [{ op: 'test', path: '/secret', value: 'guess' }]
    assert.throws(
      () => applyJsonPatch({ secret: 'hidden' }, patch),
      (error: Error) => !/hidden|guess/.test(error.message),
    )
  })

  it('refuses copies that grow without bound and results nobody could send', () => {
    const bomb = Array.from({ length: 40 }, (_, i) => ({ op: 'copy', from: '', path: `/x${i}` }))
    assert.throws(() => applyJsonPatch({ a: 'x' }, bomb), /copies too much/)
    const nest = Array.from({ length: 200 }, () => [
      { op: 'add', path: '/n', value: {} },
      { op: 'move', from: '/deep', path: '/n/deep' },
      { op: 'move', from: '/n', path: '/deep' },
    ]).flat()
    assert.throws(() => applyJsonPatch({ deep: {} }, nest), /more than 128 levels/)
  })

  it('changes a copy and its source apart', () => {
    const patch = [
      { op: 'copy', from: '/a', path: '/b' },
      { op: 'add', path: '/a/x', value: 1 },
      { op: 'add', path: '/b/y', value: 2 },
    ]
    assert.deepEqual(applyJsonPatch({ a: { l: [] } }, patch), { a: { l: [], x: 1 }, b: { l: [], y: 2 } })
  })

  it('works through the longest allowed patch quickly', () => {
    const patch = Array.from({ length: MAX_OPERATIONS }, (_, i) => ({ op: 'add', path: `/l/-`, value: i }))
    assert.equal((applyJsonPatch({ l: [] }, patch) as { l: unknown[] }).l.length, MAX_OPERATIONS)
  })
})

describe('JSON merge patch (RFC 7386, appendix A)', () => {
  const cases: readonly (readonly [unknown, unknown, unknown])[] = [
    [{ a: 'b' }, { a: 'c' }, { a: 'c' }],
    [{ a: 'b' }, { b: 'c' }, { a: 'b', b: 'c' }],
    [{ a: 'b' }, { a: null }, {}],
    [{ a: 'b', b: 'c' }, { a: null }, { b: 'c' }],
    [{ a: ['b'] }, { a: 'c' }, { a: 'c' }],
    [{ a: 'c' }, { a: ['b'] }, { a: ['b'] }],
    [{ a: { b: 'c' } }, { a: { b: 'd', c: null } }, { a: { b: 'd' } }],
    [{ a: [{ b: 'c' }] }, { a: [1] }, { a: [1] }],
    [
      ['a', 'b'],
      ['c', 'd'],
      ['c', 'd'],
    ],
    [{ a: 'b' }, ['c'], ['c']],
    [{ a: 'foo' }, null, null],
    [{ e: null }, { a: 1 }, { e: null, a: 1 }],
    [[1, 2], { a: 'b', c: null }, { a: 'b' }],
    [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
  ]
  for (const [target, patch, result] of cases) {
    it(`${JSON.stringify(target)} + ${JSON.stringify(patch)}`, () =>
      assert.deepEqual(mergePatch(target, patch), result))
  }

  it('takes __proto__ for an ordinary key', () => {
    const out = mergePatch({ a: 1 }, parseJson('{"__proto__":{"polluted":true}}').value)
    assert.equal(JSON.stringify(out), '{"a":1,"__proto__":{"polluted":true}}')
    assert.equal(({} as { polluted?: unknown }).polluted, undefined)
    assert.equal(JSON.stringify(mergePatch(out, parseJson('{"__proto__":null}').value)), '{"a":1}')
  })
})
