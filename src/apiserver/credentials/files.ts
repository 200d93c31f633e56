import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'

/** Whole or not at all, and never readable by others for a moment. */
export function writePrivate(path: string, content: string | Uint8Array): void {
  writeWhole(path, content, 0o600)
}

export function writeWhole(path: string, content: string | Uint8Array, mode: number): void {
  const draft = `${path}.${randomBytes(6).toString('hex')}.tmp`
  writeFileSync(draft, content, { mode, flush: true })
  renameSync(draft, path)
}

export function readIfThere(path: string): string | undefined {
  return existsSync(path) ? readFileSync(path, 'utf8') : undefined
}
