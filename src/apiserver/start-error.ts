/** Why the server cannot start, as one sentence for a person; no stack is shown. */
export class StartError extends Error {
  override readonly name = 'StartError'
}

const WORDS: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  ENOTDIR: 'a part of the path is not a directory',
  EEXIST: 'it exists and is not a directory',
  EROFS: 'the file system is read-only',
  ENOSPC: 'the disk is full, make room and start again',
  EDQUOT: 'the disk quota is used up, make room and start again',
}

const codeOf = (error: unknown): string => (error instanceof Error && 'code' in error ? String(error.code) : '')

/** Whether the operating system refused something for a reason we have words for. */
export const hasReason = (error: unknown): boolean => Object.hasOwn(WORDS, codeOf(error))

export const reasonOf = (error: unknown): string =>
  WORDS[codeOf(error)] ?? (error instanceof Error ? error.message : String(error))
