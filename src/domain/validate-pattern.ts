/**
 * A pattern of a schema as Kubernetes reads it (RE2), compiled for JavaScript: `.` stops at a newline only, `\s` is
 * ASCII, and text is code points wherever the pattern allows the `u` flag.
 */
export function compilePattern(pattern: string): RegExp {
  const source = asRe2(pattern)
  try {
    return new RegExp(source, 'u')
  } catch {
    return new RegExp(source)
  }
}

function asRe2(pattern: string): string {
  let out = ''
  let inClass = false
  for (let i = 0; i < pattern.length; i++) {
    const char = pattern.charAt(i)
    if (char === '\\') {
      const pair = pattern.slice(i, i + 2)
      out += pair === '\\s' ? (inClass ? '\\t\\n\\f\\r ' : '[\\t\\n\\f\\r ]') : pair
      i++
      continue
    }
    if (char === '[') inClass = true
    if (char === ']') inClass = false
    out += char === '.' && !inClass ? '[^\\n]' : char
  }
  return out
}
