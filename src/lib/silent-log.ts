import type { Log } from './log.ts'

/** Says nothing, and needs no logger for that. */
export const SILENT: Log = {
  debug: () => {},
  info: () => {},
  warn: () => {},
  error: () => {},
  writes: () => false,
  with: () => SILENT,
}
