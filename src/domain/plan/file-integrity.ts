import { bytesToHex } from '@noble/hashes/utils.js'
import { type Verdict, verdict } from '#domain/condition.ts'
import { keyOf } from '#domain/environment.ts'
import { parseFileId } from '#domain/file-id.ts'
import { File } from '#domain/kinds/files/file.ts'
import { astray } from './of-environment.ts'
import type { World } from './world.ts'

/**
 * Whether the stored file is the one that was registered (§2.3 hash). It never keeps anything from being ready: the
 * API works without its description, and the file may be kept elsewhere.
 */
export function fileIntegrity(world: World, environment: string, fileId: string, hash: string): Verdict {
  const about = (reason: string, message: string): Verdict =>
    verdict('FileIntegrity', reason === 'Verified', reason, message)
  const ref = parseFileId(fileId)
  if (ref === undefined)
    return about(
      'InvalidFileId',
      `"${fileId}" is no file id: store the file and name it <env>--<group>--<team>--<name>`,
    )
  const strange = fileAstray(world, environment, fileId)
  if (strange !== undefined) return strange
  const file = world.get(File, ref)
  if (file === undefined)
    return about('FileMissing', `File ${keyOf(ref)} is not stored: PUT it to /api/v1/files/${fileId}`)
  const { checksum } = file.spec
  if (checksum === hash || hexOf(checksum) === hash.toLowerCase())
    return about('Verified', 'The stored file has the registered hash')
  return about(
    'HashMismatch',
    `File ${keyOf(ref)} has the hash ${checksum}, not spec.hash: store the right file or register it again`,
  )
}

/** A file of another environment is none of this one; undefined for any other text. */
export function fileAstray(world: World, environment: string, fileId: string): Verdict | undefined {
  const ref = parseFileId(fileId)
  const message = ref && astray(world, environment, { kind: File, ref, field: 'spec.specification' })
  return message === undefined ? undefined : verdict('FileIntegrity', false, 'FileMissing', message)
}

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'

/** A SHA-256 in base64 as `sha256sum` prints it. */
function hexOf(base64: string): string {
  const bits = Array.from(base64.replace(/=+$/, ''), (c) => ALPHABET.indexOf(c).toString(2).padStart(6, '0')).join('')
  const bytes = Array.from({ length: bits.length >> 3 }, (_, i) => Number.parseInt(bits.slice(i * 8, i * 8 + 8), 2))
  return bytesToHex(Uint8Array.from(bytes))
}
