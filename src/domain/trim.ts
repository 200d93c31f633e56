/**
 * The text without such characters at its end. A pattern like `-+$` would look at each run of them again from every
 * place in it, and texts people send can be long.
 */
export function trimEnd(text: string, character: string): string {
  let end = text.length
  while (end > 0 && text[end - 1] === character) end--
  return text.slice(0, end)
}
