/** Code points from `low` to `high`, both included. */
export type Range = readonly [low: number, high: number]

/** A pattern as a tree. */
export type Node =
  | { readonly is: 'char'; readonly ranges: readonly Range[] }
  | { readonly is: 'sequence'; readonly nodes: readonly Node[] }
  | { readonly is: 'choice'; readonly nodes: readonly Node[] }
  | { readonly is: 'repeat'; readonly node: Node; readonly min: number; readonly max: number }

export interface Parsed {
  readonly node: Node
  readonly fromStart: boolean
  readonly toEnd: boolean
}

const LAST = 0x10ffff
const DIGIT: readonly Range[] = [[48, 57]]
const WORD: readonly Range[] = [
  [48, 57],
  [65, 90],
  [95, 95],
  [97, 122],
]
const SPACE: readonly Range[] = [
  [9, 10],
  [12, 13],
  [32, 32],
]
const CLASSES: Readonly<Record<string, readonly Range[]>> = {
  d: DIGIT,
  D: inverted(DIGIT),
  w: WORD,
  W: inverted(WORD),
  s: SPACE,
  S: inverted(SPACE),
}
const CONTROLS: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', f: '\f' }

/**
 * Reads the part of RE2's syntax that kinds use: characters, classes, groups, choices and repetition, with `^` and `$`
 * at the ends only. Anything else (look-around, back references, lazy loops) throws: Kubernetes could not run it in
 * linear time, or at all.
 */
export function parsePattern(pattern: string): Parsed {
  const fromStart = pattern.startsWith('^')
  const toEnd = /(?:^|[^\\])(?:\\\\)*\$$/.test(pattern)
  const body = Array.from(pattern.slice(fromStart ? 1 : 0, toEnd ? -1 : undefined))
  const reader = { pattern, body, at: 0 }
  const node = readChoice(reader)
  // `^a|b$` means `(^a)|(b$)`: whoever wants that can write it with a group.
  const isSplit = node.is === 'choice' && node.nodes.length > 1
  if (reader.at < body.length || (isSplit && (fromStart || toEnd))) throw unsupported(reader)
  return { node, fromStart, toEnd }
}

interface Reader {
  readonly pattern: string
  readonly body: readonly string[]
  at: number
}

const peek = (reader: Reader): string | undefined => reader.body[reader.at]
const unsupported = (reader: Reader): SyntaxError =>
  new SyntaxError(`pattern ${reader.pattern} uses something a kind's pattern cannot at "${peek(reader) ?? 'its end'}"`)

function take(reader: Reader, char?: string): string {
  const next = peek(reader)
  if (next === undefined || (char !== undefined && next !== char)) throw unsupported(reader)
  reader.at++
  return next
}

function readChoice(reader: Reader): Node {
  const nodes = [readSequence(reader)]
  while (peek(reader) === '|') {
    reader.at++
    nodes.push(readSequence(reader))
  }
  return { is: 'choice', nodes }
}

function readSequence(reader: Reader): Node {
  const nodes: Node[] = []
  for (let next = peek(reader); next !== undefined && next !== '|' && next !== ')'; next = peek(reader))
    nodes.push(readRepeat(reader))
  return { is: 'sequence', nodes }
}

function readRepeat(reader: Reader): Node {
  const node = readAtom(reader)
  const next = peek(reader)
  if (next !== '*' && next !== '+' && next !== '?' && next !== '{') return node
  const [min, max] = readCount(reader)
  if (['*', '+', '?', '{'].includes(peek(reader) ?? '') || max > 1000) throw unsupported(reader)
  return { is: 'repeat', node, min, max: max < 0 ? Infinity : max }
}

/** -1 stands for "without end". */
function readCount(reader: Reader): readonly [number, number] {
  const sign = take(reader)
  if (sign !== '{') return sign === '*' ? [0, -1] : sign === '+' ? [1, -1] : [0, 1]
  const end = reader.body.indexOf('}', reader.at)
  const match = /^(\d{1,4})(,(\d{1,4})?)?$/.exec(reader.body.slice(reader.at, end).join(''))
  if (match === null) throw unsupported(reader)
  reader.at = end + 1
  const min = Number(match[1])
  return [min, match[2] === undefined ? min : match[3] === undefined ? -1 : Number(match[3])]
}

function readAtom(reader: Reader): Node {
  const char = take(reader)
  if (char === '(') return readGroup(reader)
  if (char === '[') return { is: 'char', ranges: readClass(reader) }
  if (char === '.') return { is: 'char', ranges: inverted([[10, 10]]) }
  if (char === '\\') return { is: 'char', ranges: readEscape(reader) }
  if ('*+?{}^$)]'.includes(char)) throw unsupported(reader)
  return { is: 'char', ranges: single(char) }
}

function readGroup(reader: Reader): Node {
  if (peek(reader) === '?') {
    take(reader)
    take(reader, ':')
  }
  const node = readChoice(reader)
  take(reader, ')')
  return node
}

function readEscape(reader: Reader): readonly Range[] {
  const char = take(reader)
  const known = CLASSES[char]
  if (known !== undefined) return known
  const control = CONTROLS[char]
  if (control !== undefined) return single(control)
  if (/[A-Za-z0-9]/.test(char)) throw unsupported(reader)
  return single(char)
}

function readClass(reader: Reader): readonly Range[] {
  const negated = peek(reader) === '^'
  if (negated) reader.at++
  const ranges: Range[] = []
  do {
    const low = readClassPart(reader)
    const isRange = peek(reader) === '-' && reader.body[reader.at + 1] !== ']'
    if (!isRange) {
      ranges.push(...low)
      continue
    }
    take(reader, '-')
    ranges.push([low[0]?.[0] ?? 0, readClassPart(reader)[0]?.[1] ?? 0])
  } while (peek(reader) !== ']')
  take(reader, ']')
  return negated ? inverted(ranges) : ranges
}

function readClassPart(reader: Reader): readonly Range[] {
  const char = take(reader)
  return char === '\\' ? readEscape(reader) : single(char)
}

function single(char: string): readonly Range[] {
  const code = char.codePointAt(0) ?? 0
  return [[code, code]]
}

function inverted(ranges: readonly Range[]): readonly Range[] {
  const out: Range[] = []
  let next = 0
  for (const [low, high] of ranges.toSorted((a, b) => a[0] - b[0])) {
    if (low > next) out.push([next, low - 1])
    next = Math.max(next, high + 1)
  }
  if (next <= LAST) out.push([next, LAST])
  return out
}
