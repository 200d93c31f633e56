import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { StartError } from '#apiserver/start-error.ts'
import { readIfThere, writePrivate } from './files.ts'

/** The token of the administrator: made at the first start, kept ever after. */
export function adminTokenIn(directory: string): string {
  const path = join(directory, 'admin.token')
  const known = readIfThere(path)?.trim()
  if (known !== undefined && known !== '') return known
  const token = randomBytes(32).toString('base64url')
  writePrivate(path, `${token}\n`)
  return token
}

export const KEY_BYTES = 32

const LOST = 'without it nobody can read the secrets stored here; restore it from a backup. Nothing has been changed'

export const otherKey = (directory: string): StartError =>
  new StartError(`${join(directory, 'secret.key')} is another key than the one used before: ${LOST}`)

/** The key that secret fields are encrypted with. Without it, secrets `stored` before are lost: it is never replaced. */
export function secretKeyIn(directory: string, stored: boolean): Uint8Array {
  const path = join(directory, 'secret.key')
  if (!existsSync(path)) {
    if (stored) throw new StartError(`${path} is missing: ${LOST}`)
    writePrivate(path, randomBytes(KEY_BYTES))
  }
  const key = readFileSync(path)
  if (key.length !== KEY_BYTES) {
    throw new StartError(`${path} must hold exactly ${KEY_BYTES} bytes, it has ${key.length}; restore it from a backup`)
  }
  return key
}
