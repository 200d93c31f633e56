import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  randomBytes,
  sign,
  type KeyObject,
} from 'node:crypto'
import { isIP } from 'node:net'
import { bits, explicit, implicit, integer, octets, oid, sequence, set, time, utf8, yes, type Der } from './der.ts'

export interface KeyAndCertificate {
  /** PEM */
  readonly key: string
  /** PEM */
  readonly cert: string
}

export interface Period {
  readonly notBefore: number
  readonly notAfter: number
}

const DAY_MS = 24 * 60 * 60 * 1000
/** An hour into the past, for clocks that are behind. */
export const validFor = (days: number, now = Date.now()): Period => ({
  notBefore: now - DAY_MS / 24,
  notAfter: now + days * DAY_MS,
})

const AUTHORITY = 'stellwerk-ca'

/** A certificate authority of our own. */
export function makeAuthority(period: Period = validFor(3650)): KeyAndCertificate {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const extensions = [
    extension('2.5.29.19', sequence(yes, integer(Buffer.from([0]))), true), // basicConstraints: CA, no CA below it
    extension('2.5.29.15', bits(Buffer.from([0b0000_0110]), 1), true), // keyUsage: keyCertSign, cRLSign
    extension('2.5.29.14', octets(keyIdentifier(publicKey))),
  ]
  return certify({ subject: AUTHORITY, key: publicKey, signer: privateKey, extensions, ...period }, privateKey)
}

/** A server certificate for host names and addresses. */
export function makeServerCertificate(
  authority: KeyAndCertificate,
  hosts: readonly string[],
  period: Period = validFor(365),
): KeyAndCertificate {
  const signer = createPrivateKey(authority.key)
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const extensions = [
    extension('2.5.29.19', sequence(), true),
    extension('2.5.29.15', bits(Buffer.from([0b1000_0000]), 7), true), // keyUsage: digitalSignature
    extension('2.5.29.37', sequence(oid('1.3.6.1.5.5.7.3.1'))), // extKeyUsage: serverAuth
    extension('2.5.29.17', sequence(...hosts.map(alternativeName))),
    extension('2.5.29.14', octets(keyIdentifier(publicKey))),
    extension('2.5.29.35', sequence(implicit(0, keyIdentifier(createPublicKey(signer))))),
  ]
  return certify({ subject: 'stellwerk', key: publicKey, signer, extensions, ...period }, privateKey)
}

interface Draft extends Period {
  readonly subject: string
  readonly key: KeyObject
  readonly signer: KeyObject
  readonly extensions: readonly Der[]
}

const ECDSA_SHA256 = sequence(oid('1.2.840.10045.4.3.2'))
const commonName = (name: string): Der => sequence(set(sequence(oid('2.5.4.3'), utf8(name))))

/** RFC 5280 §4.1. `own` is the private key that belongs to the subject. */
function certify(draft: Draft, own: KeyObject): KeyAndCertificate {
  const body = sequence(
    explicit(0, integer(Buffer.from([2]))),
    integer(Buffer.concat([Buffer.from([0x01]), randomBytes(15)])),
    ECDSA_SHA256,
    commonName(AUTHORITY),
    sequence(time(draft.notBefore), time(draft.notAfter)),
    commonName(draft.subject),
    draft.key.export({ type: 'spki', format: 'der' }),
    explicit(3, sequence(...draft.extensions)),
  )
  const whole = sequence(body, ECDSA_SHA256, bits(sign('sha256', body, draft.signer)))
  return { key: own.export({ type: 'pkcs8', format: 'pem' }).toString(), cert: pem(whole) }
}

const extension = (id: string, value: Der, critical = false): Der =>
  critical ? sequence(oid(id), yes, octets(value)) : sequence(oid(id), octets(value))

/** The SHA-1 of the key itself, without its algorithm (RFC 5280 §4.2.1.2): 65 bytes at the end for this curve. */
const keyIdentifier = (key: KeyObject): Buffer =>
  createHash('sha1')
    .update(key.export({ type: 'spki', format: 'der' }).subarray(-65))
    .digest()

const alternativeName = (host: string): Der =>
  isIP(host) === 0 ? implicit(2, Buffer.from(host)) : implicit(7, addressBytes(host))

function addressBytes(address: string): Buffer {
  if (isIP(address) === 4) return Buffer.from(address.split('.').map(Number))
  const [head = '', tail] = address.split('::')
  const groups = (text: string): string[] => text.split(':').filter((group) => group !== '')
  const missing = 8 - groups(head).length - groups(tail ?? '').length
  const all = [...groups(head), ...Array<string>(tail === undefined ? 0 : missing).fill('0'), ...groups(tail ?? '')]
  return Buffer.from(all.flatMap((group) => [Number.parseInt(group, 16) >> 8, Number.parseInt(group, 16) & 0xff]))
}

function pem(der: Buffer): string {
  const lines = der.toString('base64').match(/.{1,64}/g) ?? []
  return `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`
}
