/** Both texts by line: ` ` in both, `-` only expected, `+` only actual; unchanged stretches are shortened. */
export function lineDiff(expected: string, actual: string): string {
  const a = expected.split('\n')
  const b = actual.split('\n')
  const common = commonLengths(a, b)
  const lines: string[] = []
  let [i, j] = [0, 0]
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) lines.push(`  ${(j++, a[i++])}`)
    else if (i < a.length && (j >= b.length || common[i + 1]![j]! >= common[i]![j + 1]!)) lines.push(`- ${a[i++]}`)
    else lines.push(`+ ${b[j++]}`)
  }
  return shortened(lines).join('\n')
}

/** common[i][j]: the longest common subsequence of a from i and b from j. */
function commonLengths(a: readonly string[], b: readonly string[]): readonly (readonly number[])[] {
  const table = Array.from({ length: a.length + 1 }, () => Array.from({ length: b.length + 1 }, () => 0))
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      table[i]![j] = a[i] === b[j] ? table[i + 1]![j + 1]! + 1 : Math.max(table[i + 1]![j]!, table[i]![j + 1]!)
    }
  }
  return table
}

const CONTEXT = 3

function shortened(lines: readonly string[]): readonly string[] {
  const near = lines.map((_, i) =>
    lines.slice(Math.max(0, i - CONTEXT), i + CONTEXT + 1).some((l) => !l.startsWith(' ')),
  )
  return lines.flatMap((line, i) => (near[i] ? [line] : near[i - 1] ? ['  …'] : []))
}
