import type { LoadedChunk, LogDatabaseOptions } from './log-database.ts'
import type { Failure } from './sqlite-errors.ts'

/** The first message to the worker. */
export type WorkerStart = LogDatabaseOptions

/** Asked by the journal; the worker answers every question, in order. */
export type Question =
  | { readonly type: 'commit'; readonly frames: ArrayBuffer; readonly length: number }
  | { readonly type: 'read'; readonly after: number; readonly until: number; readonly prefix: string }
  | { readonly type: 'trim'; readonly until: number; readonly olderThan: number }
  | { readonly type: 'close' }

export type Answer =
  /** Gives the buffer back for the next batch. */
  | { readonly type: 'committed'; readonly frames: ArrayBuffer }
  | { readonly type: 'read'; readonly frames: ArrayBuffer; readonly length: number; readonly complete: number }
  | { readonly type: 'compacted'; readonly floor: number }
  | { readonly type: 'trimmed'; readonly floor: number; readonly done: boolean }
  | { readonly type: 'closed' }
  | { readonly type: 'failed'; readonly failure: Failure }

/** Sent by itself once after the start: the content in chunks, then ready or failed. */
export type Opening =
  | { readonly type: 'chunk'; readonly chunk: LoadedChunk }
  | { readonly type: 'ready'; readonly revision: number; readonly floor: number }
  | { readonly type: 'failed'; readonly failure: Failure }
