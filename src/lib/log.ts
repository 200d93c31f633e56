import { pino, stdTimeFunctions } from 'pino'

export type LogLevel = 'debug' | 'info' | 'warn' | 'error' | 'silent'

/** What varies goes here; an `error` is written with its stack. The names the line itself uses are not available. */
export type LogFields = Readonly<Record<string, unknown>> & {
  readonly level?: never
  readonly time?: never
  readonly msg?: never
}

/** One JSON object per line: a constant message to search for, and the fields that vary. */
export interface Log {
  debug(message: string, fields?: LogFields): void
  info(message: string, fields?: LogFields): void
  warn(message: string, fields?: LogFields): void
  error(message: string, fields?: LogFields): void
  /** Whether such lines are written at all: what takes work to describe need not be described otherwise. */
  writes(level: Exclude<LogLevel, 'silent'>): boolean
  /** A log that adds these fields to every line. */
  with(fields: LogFields): Log
}

export interface LogOptions {
  readonly level?: LogLevel | undefined
  /** Receives whole lines; standard error when left out, because standard output carries the `ready` line only. */
  readonly destination?: { write(line: string): void } | undefined
}

export function createLog(options: LogOptions = {}): Log {
  const settings = {
    level: options.level ?? 'info',
    base: null,
    timestamp: stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
    serializers: { error: (error: unknown) => (error instanceof Error ? describeError(error) : error) },
  }
  // Synchronous: the last line before a crash is the one that matters.
  return wrap(pino(settings, options.destination ?? pino.destination({ dest: 2, sync: true })))
}

function wrap(logger: pino.Logger): Log {
  return {
    debug: (message, fields = {}) => logger.debug(fields, message),
    info: (message, fields = {}) => logger.info(fields, message),
    warn: (message, fields = {}) => logger.warn(fields, message),
    error: (message, fields = {}) => logger.error(fields, message),
    writes: (level) => logger.isLevelEnabled(level),
    with: (fields) => wrap(logger.child(fields)),
  }
}

function describeError(error: Error): object {
  const cause = error.cause instanceof Error ? { cause: describeError(error.cause) } : {}
  return { name: error.name, message: error.message, stack: error.stack, ...cause }
}
