import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'

/** Programs some tests talk to, and the Debian packages that bring them. `.ci/run` installs the same list. */
const packages = {
  etcd: 'etcd-server',
  'nats-server': 'nats-server',
  nginx: 'nginx-core',
  wrk: 'wrk',
  kubectl: 'kubernetes-client',
  cc: 'build-essential',
} as const

export type SystemPart = keyof typeof packages

/** Servers live in sbin, which is not on everybody's PATH. */
const SERVER_FOLDERS = ['/usr/local/sbin', '/usr/sbin', '/sbin']

/** The path of a program, if this machine has it. */
export function findProgram(name: string): string | undefined {
  const folders = [...(process.env['PATH'] ?? '').split(delimiter), ...SERVER_FOLDERS]
  return folders.map((folder) => join(folder, name)).find(isExecutable)
}

/**
 * Options for a test or suite that needs these parts: `describe('…', needs('etcd'), () => …)`. Where one is missing the
 * test is skipped with the command that installs it; with CI=true it fails instead, because there nothing may be missing.
 */
export function needs(...parts: readonly SystemPart[]): { readonly skip: string | false } {
  const missing = parts.find((part) => findProgram(part) === undefined)
  if (missing === undefined) return { skip: false }
  const remedy = `${missing} – apt-get install ${packages[missing]}`
  if (process.env['CI'] === 'true') throw new Error(`with CI=true no system part may be missing: ${remedy}`)
  return { skip: `missing ${remedy}` }
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
