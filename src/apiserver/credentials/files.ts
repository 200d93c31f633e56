import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { reasonOf, StartError } from '#apiserver/start-error.ts'

/** Whole or not at all, and never readable by others for a moment. @throws StartError */
export function writePrivate(path: string, content: string | Uint8Array): void {
  writeWhole(path, content, 0o600)
}

export function writeWhole(path: string, content: string | Uint8Array, mode: number): void {
  const draft = `${path}.${randomBytes(6).toString('hex')}.tmp`
  try {
    writeFileSync(draft, content, { mode, flush: true })
    renameSync(draft, path)
  } catch (error) {
    rmSync(draft, { force: true })
    throw new StartError(`${path} cannot be written: ${reasonOf(error)}`)
  }
}

export function readIfThere(path: string): string | undefined {
  return existsSync(path) ? readFileSync(path, 'utf8') : undefined
}
