import { dirname } from 'node:path'

/** Another process (or another store in this one) holds the data directory. */
export class DataInUse extends Error {
  override readonly name = 'DataInUse'
}

/** What is on disk is not a store, or no longer a whole one. Nothing is repaired or replaced silently. */
export class CorruptStore extends Error {
  override readonly name = 'CorruptStore'
}

/** The data directory cannot be used: permissions, a file in its place, a read-only disk. */
export class DataInaccessible extends Error {
  override readonly name = 'DataInaccessible'
}

/** An error on its way between the threads. */
export interface Failure {
  readonly name: string
  readonly message: string
  /** What the operating system calls it, as far as SQLite tells: ENOSPC, EIO. */
  readonly code?: string | undefined
}

/** SQLite result codes (https://www.sqlite.org/rescode.html) that are told apart. */
export const SQLITE = { BUSY: 5, READONLY: 8, IOERR: 10, CORRUPT: 11, FULL: 13, TOOBIG: 18, NOTADB: 26 } as const

const SYSTEM_CODES: Readonly<Record<number, string>> = {
  [SQLITE.READONLY]: 'EROFS',
  [SQLITE.IOERR]: 'EIO',
  [SQLITE.FULL]: 'ENOSPC',
}

export function failureOf(error: unknown): Failure {
  const name = error instanceof Error ? error.name : 'Error'
  return { name, message: messageOf(error), code: SYSTEM_CODES[resultCode(error) ?? -1] }
}

/** The primary result code of an error of `node:sqlite`; undefined for any other error. */
export function resultCode(error: unknown): number | undefined {
  if (!(error instanceof Error) || !('errcode' in error) || typeof error.errcode !== 'number') return undefined
  return error.errcode & 0xff
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

export function corrupt(path: string, detail: string): CorruptStore {
  return new CorruptStore(
    `the store ${path} cannot be read: ${detail}. Nothing has been changed. Restore ${dirname(path)} from a backup, or move it away to start with an empty store`,
  )
}
