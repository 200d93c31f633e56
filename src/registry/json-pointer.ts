/** RFC 6901: `/a~1b/0` → `['a/b', '0']`; undefined when the text is no pointer. */
export function parsePointer(text: string): readonly string[] | undefined {
  if (text === '') return []
  if (!text.startsWith('/') || /~(?![01])/.test(text)) return undefined
  return text
    .slice(1)
    .split('/')
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
}
