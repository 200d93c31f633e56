/** Why a text is not the JSON we accept, and where: `position` counts characters (bytes when it is not UTF-8) from 0. */
export class JsonError extends Error {
  override readonly name = 'JsonError'
  readonly reason: string
  readonly position: number
  readonly line: number
  readonly column: number

  constructor(reason: string, position: number, textBefore: string) {
    const lineStart = textBefore.lastIndexOf('\n') + 1
    const line = countLines(textBefore)
    const column = textBefore.length - lineStart + 1
    super(`invalid JSON at line ${line}, column ${column}: ${reason}`)
    this.reason = reason
    this.position = position
    this.line = line
    this.column = column
  }
}

/** JSON as it should be, only too much of it. */
export class TooManyValues extends JsonError {}

function countLines(text: string): number {
  let lines = 1
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) lines++
  return lines
}
