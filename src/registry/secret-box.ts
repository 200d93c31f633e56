import { createCipheriv, createDecipheriv, createSecretKey, randomBytes, randomInt, type KeyObject } from 'node:crypto'

/** AES-256-GCM. The reference is authenticated with the value, so a ciphertext cannot be moved under another one. */
export interface SecretBox {
  seal(reference: string, clear: string): Uint8Array
  /** Undefined when the bytes are not what this key sealed under this reference. */
  open(reference: string, sealed: Uint8Array): string | undefined
}

const FORMAT = 1
const NONCE = 12
const TAG = 16

export function secretBox(key: Uint8Array): SecretBox {
  if (key.length !== 32) throw new RangeError(`the secret key must have 32 bytes, not ${key.length}`)
  const secret = createSecretKey(key)
  return {
    seal: (reference, clear) => seal(secret, reference, clear),
    open: (reference, sealed) => open(secret, reference, sealed),
  }
}

function seal(key: KeyObject, reference: string, clear: string): Uint8Array {
  const nonce = randomBytes(NONCE)
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(reference))
  const text = Buffer.concat([cipher.update(clear, 'utf8'), cipher.final()])
  return Buffer.concat([Buffer.of(FORMAT), nonce, cipher.getAuthTag(), text])
}

function open(key: KeyObject, reference: string, sealed: Uint8Array): string | undefined {
  if (sealed[0] !== FORMAT || sealed.length < 1 + NONCE + TAG) return undefined
  const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(1, 1 + NONCE)).setAAD(Buffer.from(reference))
  decipher.setAuthTag(sealed.subarray(1 + NONCE, 1 + NONCE + TAG))
  try {
    return Buffer.concat([decipher.update(sealed.subarray(1 + NONCE + TAG)), decipher.final()]).toString('utf8')
  } catch {
    return undefined
  }
}

const PREFIX = 'trd_'
const LOWER = 'abcdefghijklmnopqrstuvwxyz'
const UPPER = LOWER.toUpperCase()
const DIGITS = '0123456789'
const ALL = LOWER + UPPER + DIGITS
const LENGTH = 36

/** 36 characters with a prefix that secret scanners can be taught, and at least one of each class password rules ask for. */
export function generateSecret(): string {
  for (;;) {
    let text = ''
    for (let i = PREFIX.length; i < LENGTH; i++) text += ALL[randomInt(ALL.length)]
    if (/[a-z]/.test(text) && /[A-Z]/.test(text) && /\d/.test(text)) return PREFIX + text
  }
}
