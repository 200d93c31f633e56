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

/** The key that secret fields are encrypted with. Without it, stored secrets are lost: it is never replaced. */
export function secretKeyIn(directory: string): Uint8Array {
  const path = join(directory, 'secret.key')
  if (!existsSync(path)) writePrivate(path, randomBytes(KEY_BYTES))
  const key = readFileSync(path)
  if (key.length !== KEY_BYTES) {
    throw new StartError(`${path} must hold exactly ${KEY_BYTES} bytes, it has ${key.length}; restore it from a backup`)
  }
  return key
}
