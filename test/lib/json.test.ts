import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import fc from 'fast-check'
import { decodeTrusted, deepEqual, encodeJson, JsonError, parseJson, setKey } from '#lib/json.ts'
import { always } from '#test/support/property.ts'

const value = (text: string | Uint8Array) => parseJson(text).value
const refused = (text: string | Uint8Array, reason: RegExp) =>
  assert.throws(
    () => parseJson(text),
    (error) => error instanceof JsonError && reason.test(error.reason),
    `accepted ${String(text)}`,
  )
/** JSON text in many layouts, escapes included, of values JSON.parse and we must read alike. */
const jsonText = fc
  .tuple(
    fc.jsonValue({ maxDepth: 6, stringUnit: 'binary' }),
    fc.constantFrom(undefined, 1, '\t', '\r\n '),
    fc.boolean(),
  )
  .map(([json, indent, escaped]) => {
    const text = JSON.stringify(json, null, indent)
    return escaped
      ? text.replace(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
      : text
  })

describe('parseJson reads what JSON.parse reads', () => {
  it('every JSON value, in any layout, from a string and from bytes', () => {
    always(
      fc.property(jsonText, (text) => {
        fc.pre(!/\d{19}/.test(text)) // an integral double may be beyond 64 bits, which is refused
        const expected = JSON.stringify(JSON.parse(text))
        assert.equal(encodeJson(value(text)), expected)
        assert.equal(encodeJson(value(Buffer.from(text))), expected)
      }),
      { numRuns: 500 },
    )
  })

  it('and refuses every mutilated text that JSON.parse refuses', () => {
    const mutation = fc.tuple(
      jsonText,
      fc.nat(),
      fc.constantFrom('', ',', '"', '}', ']', '0', '-', '.', 'e', '\\', '\u0001', ':', ' '),
    )
    always(
      fc.property(mutation, ([text, at, insert]) => {
        const cut = at % (text.length + 1)
        const mutilated = text.slice(0, cut) + insert + text.slice(cut + 1)
        fc.pre(mutilated.isWellFormed())
        assert.equal(accepts(JSON.parse, mutilated) || !accepts(parseJson, mutilated), true, mutilated)
      }),
      { numRuns: 2000 },
    )
  })

  it('numbers in every notation', () => {
    for (const text of [
      '0',
      '-1',
      '1.5',
      '-0.25',
      '1e3',
      '1E+3',
      '25e-1',
      '1e-400',
      '123456789012345.5',
      '9007199254740991',
    ]) {
      assert.equal(value(text), Number(text) === 0 ? 0 : JSON.parse(text), text)
    }
  })
})

function accepts(parse: (text: string) => unknown, text: string): boolean {
  try {
    parse(text)
    return true
  } catch {
    return false
  }
}

describe('parseJson refuses', () => {
  it('what RFC 8259 does not allow', () => {
    const bad = [
      '',
      ' ',
      '{',
      '[',
      '{"a"}',
      '{"a":}',
      '{"a":1,}',
      '[1,]',
      '[,1]',
      '{,}',
      "{'a':1}",
      '{a:1}',
      '"a',
      '"\\x"',
      '"\\u12g4"',
    ]
    const worse = [
      '01',
      '-',
      '-a',
      '1.',
      '.5',
      '+1',
      '1e',
      '1e+',
      '0x10',
      'NaN',
      'tru',
      'nulll',
      '"\t"',
      '"\n"',
      '[1 2]',
      '{"a":1 "b":2}',
    ]
    for (const text of [...bad, ...worse, '"\\', '"\\u12', '\u00a01', '[1}', '{"a":1]', '/*c*/1']) refused(text, /./)
  })

  it('anything after the value', () => refused('{} {}', /nothing may follow/))

  it('a byte order mark', () => {
    refused('\ufeff{}', /byte order mark/)
    refused(Buffer.from('\ufeff{}'), /byte order mark/)
  })

  it('bytes that are not UTF-8, and says which', () => {
    const bytes = Buffer.concat([Buffer.from('{"\ufffdä":\n"'), Buffer.from([0xc3, 0x28]), Buffer.from('"}')])
    assert.throws(() => parseJson(bytes), {
      name: 'JsonError',
      reason: 'not valid UTF-8',
      position: 11,
      line: 2,
      column: 2,
    })
    refused(Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22]), /UTF-8/)
    refused(Buffer.from([0x22, 0xf0, 0x9f, 0x98]), /UTF-8/)
  })

  it('halves of surrogate pairs, escaped or not', () => {
    for (const text of [
      '"\\ud800"',
      '"\\udc00"',
      '"\\ud800\\ud800"',
      '"\\ud83dx"',
      '"\ud83d"',
      '"\udc00"',
      '"\ud83d\\ude00"',
    ]) {
      refused(text, /surrogate/)
    }
    assert.equal(value('"\\ud83d\\ude00"'), '😀')
  })

  it('numbers that do not fit', () => {
    refused('1e400', /does not fit a double/)
    refused('[-1e400]', /does not fit a double/)
    for (const text of ['18446744073709551616', '-9223372036854775809', '9'.repeat(1_000_000)])
      refused(text, /out of range/)
  })

  it('nesting beyond the limit, long before the stack ends', () => {
    const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth)
    assert.ok(value(nested(128)))
    refused(nested(129), /deeper than 128/)
    refused('['.repeat(5_000_000), /deeper than 128/)
    refused('{"a":'.repeat(1_000_000), /deeper than 128/)
    assert.throws(() => parseJson(nested(4), { maxDepth: 3 }), { reason: 'nested deeper than 3 levels' })
    assert.throws(() => parseJson(nested(1_000_000), { maxDepth: Infinity }), {
      reason: 'nested deeper than 1000 levels',
    })
  })

  it('with the place of the fault', () => {
    assert.throws(() => parseJson('{\n  "a": 1,\n  "b": tru\n}'), {
      message: 'invalid JSON at line 3, column 8: expected a value, but found "t"',
      position: 19,
      line: 3,
    })
    assert.throws(() => parseJson('{"a": "x'), {
      position: 6,
      message: /column 7: the string that starts here has no closing/,
    })
    assert.throws(() => parseJson('[1'), { message: /column 3: expected "," or "\]", but the text ends/ })
  })
})

describe('parseJson keeps', () => {
  it('64-bit integers exactly, as bigint only beyond 2^53-1', () => {
    assert.equal(value('9007199254740992'), 9007199254740992n)
    assert.equal(value('-9223372036854775808'), -(2n ** 63n))
    assert.equal(value('18446744073709551615'), 2n ** 64n - 1n)
    assert.equal(value('-9007199254740991'), -9007199254740991)
  })

  it('integers written as fractions the same as plain ones', () => {
    assert.equal(value('1.0'), 1)
    assert.equal(value('1e16'), 10000000000000000n)
    assert.equal(value('9007199254740993.0'), 9007199254740992n)
    assert.equal(value('1e21'), 1e21)
    refused('1e20', /out of range/)
    refused('-9.223372036854776e18', /out of range/) // written back it would be below -(2^63)
  })

  it('no negative zero', () => {
    for (const text of ['-0', '-0.0', '-0e5', '-1e-400']) assert.ok(Object.is(value(text), 0), text)
  })

  it('__proto__ as an ordinary key', () => {
    const { value: parsed, duplicates } = parseJson('{"__proto__":{"admin":true},"toString":1}')
    assert.deepEqual(Object.keys(parsed as object), ['__proto__', 'toString'])
    assert.equal(Object.getPrototypeOf(parsed), Object.prototype)
    assert.equal((parsed as { admin?: boolean }).admin, undefined)
    assert.deepEqual(duplicates, [])
  })

  it('the last of duplicate keys, and reports their paths once', () => {
    const { value: parsed, duplicates } = parseJson(
      '{"spec":{"a":1,"a":2,"a":3,"list":[{},{"x":{"__proto__":1,"__proto__":null,"y":0,"\\u0079":1}}]},"spec2":0}',
    )
    assert.deepEqual(duplicates, ['spec.a', 'spec.list[1].x.__proto__', 'spec.list[1].x.y'])
    assert.equal(encodeJson(parsed), '{"spec":{"a":3,"list":[{},{"x":{"__proto__":null,"y":1}}]},"spec2":0}')
    assert.deepEqual(parseJson('[[{"a":null,"a":null}]]').duplicates, ['[0][0].a'])
  })

  it('the report of duplicates small, whatever the text', () => {
    const key = 'k'.repeat(100_000)
    const members = Array.from({ length: 300 }, (_, i) => `"m${i}":1,"m${i}":2`).join(',')
    const { duplicates } = parseJson(`{"${key}":{${members}}}`)
    assert.equal(duplicates.length, 100)
    assert.equal(duplicates[0], `${'k'.repeat(256)}….m0`)
  })
})

describe('parseJson works in linear time', () => {
  // Each of these is quadratic for a careless reader and then takes minutes: the runner's timeout is the assertion.
  const cases: Record<string, string> = {
    'many members': `{${Array.from({ length: 400_000 }, (_, i) => `"key-${i}":${i}`).join(',')}}`,
    'one long string': `"${'ä'.repeat(5_000_000)}"`,
    'escapes only': `"${'\\u00e4'.repeat(1_500_000)}"`,
    'one long fraction': `0.${'1'.repeat(10_000_000)}`,
    'white space': `${' '.repeat(10_000_000)}1`,
    'the same key': `{${'"a":1,'.repeat(1_500_000)}"a":2}`,
    'lines before the fault': `${'\n'.repeat(10_000_000)}x`,
  }
  for (const [name, text] of Object.entries(cases)) {
    it(`on 10 MB of ${name}`, { timeout: 20_000 }, () => {
      assert.equal(accepts(parseJson, text), !text.endsWith('x'))
    })
  }
})

/** What the readers return, so that reading back is exact: integral doubles beyond 2^53 are bigints there. */
const scalar = fc.oneof(
  fc.string(),
  fc.maxSafeInteger(),
  fc.double({ noNaN: true, noDefaultInfinity: true, noInteger: true, min: -1e9, max: 1e9 }),
  fc.bigInt({ min: 2n ** 53n, max: 2n ** 64n - 1n }),
  fc.bigInt({ min: -(2n ** 63n), max: -(2n ** 53n) }),
)

describe('parseJson does not keep a large text alive', () => {
  it('for a small value that was read from it', () => {
    setFlagsFromString('--expose-gc')
    const collectGarbage = runInNewContext('gc') as () => void
    const heapUsed = () => (collectGarbage(), process.memoryUsage().heapUsed)
    const before = heapUsed()
    const names = Array.from({ length: 30 }, (_, i) =>
      value(`["a-name-long-enough-to-be-a-view-${i}"${' '.repeat(2_000_000)}]`),
    )
    const kept = heapUsed() - before
    assert.ok(kept < 20_000_000, `${names.length} names keep ${kept} bytes`)
  })
})

describe('encodeJson', () => {
  it('is JSON.stringify for every value it takes', () => {
    always(fc.property(fc.jsonValue(), (json) => assert.equal(encodeJson(json), JSON.stringify(json))))
  })

  it('writes bigints as integers, drops undefined and keeps __proto__', () => {
    const odd = JSON.parse('{"__proto__":{"a":1}}') as Record<string, unknown>
    odd['big'] = [2n ** 64n - 1n]
    odd['gone'] = undefined
    assert.equal(encodeJson(odd), '{"__proto__":{"a":1},"big":[18446744073709551615]}')
  })

  it('throws on what has no JSON text instead of returning undefined', () => {
    const circle: Record<string, unknown> = { big: 1n }
    circle['self'] = circle
    assert.throws(() => encodeJson(undefined), /type undefined has no JSON text/)
    assert.throws(() => encodeJson(circle), TypeError)
  })

  it('and decodeTrusted are inverse, from a string and from bytes', () => {
    always(
      fc.property(fc.dictionary(fc.string(), fc.array(scalar)), (json) => {
        assert.ok(deepEqual(decodeTrusted(encodeJson(json)), json))
        assert.ok(deepEqual(decodeTrusted(Buffer.from(encodeJson(json))), json))
      }),
    )
  })

  it('writes every number so that both readers read it back to the same text', () => {
    always(
      fc.property(fc.oneof(fc.double({ noNaN: true, noDefaultInfinity: true }), scalar), (number) => {
        const text = encodeJson([number])
        assert.equal(encodeJson(decodeTrusted(text)), text)
        if (!accepts(parseJson, text)) return
        const { value: parsed } = parseJson(text)
        assert.equal(encodeJson(parsed), text)
        assert.deepEqual(decodeTrusted(text), parsed)
      }),
    )
    assert.deepEqual(decodeTrusted('[100000000000000000000,9007199254740993]'), [1e20, 9007199254740993n])
  })
})

describe('setKey', () => {
  it('never touches the prototype', () => {
    const target: Record<string, unknown> = {}
    setKey(target, '__proto__', { admin: true })
    setKey(target, 'constructor', 1)
    assert.deepEqual(Object.keys(target), ['__proto__', 'constructor'])
    assert.equal(Object.getPrototypeOf(target), Object.prototype)
  })
})

describe('deepEqual', () => {
  it('ignores key order and undefined properties', () => {
    assert.ok(deepEqual({ a: 1, b: [{ c: null }], d: undefined }, { b: [{ c: null }], a: 1 }))
    assert.ok(deepEqual({}, { d: undefined }))
    assert.ok(!deepEqual({ a: null }, {}))
    assert.ok(!deepEqual({}, { a: null }))
  })

  it('compares numbers and bigints by value', () => {
    assert.ok(deepEqual([1n], [1]))
    assert.ok(deepEqual(2n ** 60n, 2n ** 60n))
    assert.ok(!deepEqual(2n ** 53n + 1n, 2 ** 53))
    assert.ok(!deepEqual(1n, '1'))
    assert.ok(!deepEqual(0, false))
    assert.ok(!deepEqual(null, 0n))
  })

  it('tells arrays, objects and inherited keys apart', () => {
    assert.ok(!deepEqual([], {}))
    assert.ok(!deepEqual({}, []))
    assert.ok(!deepEqual([1], [1, undefined]))
    assert.ok(!deepEqual({ constructor: Object }, {}))
    assert.ok(!deepEqual(JSON.parse('{"__proto__":{}}'), {}))
    assert.ok(!deepEqual({}, JSON.parse('{"__proto__":{}}')))
  })

  it('agrees with the texts of the values', () => {
    always(
      fc.property(fc.jsonValue({ maxDepth: 2 }), fc.jsonValue({ maxDepth: 2 }), (a, b) => {
        const sorted = (json: unknown): string => JSON.stringify(json, (_key, item: unknown) => sortKeys(item))
        assert.equal(deepEqual(a, b), sorted(a) === sorted(b))
        assert.ok(deepEqual(a, structuredClone(a)))
      }),
    )
  })
})

function sortKeys(item: unknown): unknown {
  if (typeof item !== 'object' || item === null || Array.isArray(item)) return item
  return Object.fromEntries(Object.entries(item).toSorted(([a], [b]) => (a < b ? -1 : 1)))
}

it('no more values than allowed are read, whatever they are', () => {
  const text = '[{"a":1,"b":[true,null]},"x"]'
  assert.deepEqual(parseJson(text, { maxValues: 7 }).value, JSON.parse(text))
  assert.throws(() => parseJson(text, { maxValues: 6 }), /has more than 6 values/)
})
