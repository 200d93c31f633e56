import { hasReason, reasonOf, StartError } from '#apiserver/start-error.ts'
import { isStatus } from '#domain/errors.ts'
import { authority } from './config.ts'
import { CorruptStore, DataInaccessible, DataInUse } from '#store/sqlite-errors.ts'

interface ListenFailure extends Error {
  readonly syscall: string
  readonly code: string
  readonly address?: string
  readonly port?: number
  readonly hostname?: string
}

/** One sentence about why the server did not start; for our own bugs the stack instead. */
export function explain(error: unknown): string {
  if (error instanceof StartError) return error.message
  if (error instanceof DataInUse || error instanceof CorruptStore || error instanceof DataInaccessible)
    return error.message
  if (isListenFailure(error)) return explainListen(error)
  if (error instanceof Error && 'code' in error && 'path' in error) return `${String(error.path)}: ${reasonOf(error)}`
  if (isStatus(error, 'ServiceUnavailable'))
    return 'the store cannot be written to: the disk is probably full. Make room and start again'
  // A write that fails does not say where.
  if (hasReason(error)) return `cannot start: ${reasonOf(error)}`
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}

const isListenFailure = (error: unknown): error is ListenFailure =>
  error instanceof Error && 'syscall' in error && (error.syscall === 'listen' || error.syscall === 'getaddrinfo')

const LISTEN_WORDS: Readonly<Record<string, string>> = {
  EADDRINUSE: 'the port is taken by another program: choose another one, or 0 for any free one',
  EACCES: 'permission denied: ports below 1024 need special rights',
  EADDRNOTAVAIL: 'this machine does not have that address',
  ENOTFOUND: 'the host name is not known',
  EAI_AGAIN: 'the host name cannot be looked up now',
}

function explainListen(error: ListenFailure): string {
  const { address = error.hostname, port } = error
  // Node leaves the port out of its errors when it was to be any free one.
  const place = port === undefined || address === undefined ? address : authority({ host: address, port })
  const where = place === undefined ? '' : ` on ${place}`
  return `cannot listen${where}: ${LISTEN_WORDS[error.code] ?? error.message}`
}
