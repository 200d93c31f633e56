import { createPrivateKey, randomBytes, webcrypto } from 'node:crypto'
import { isIP } from 'node:net'
import {
  BasicConstraintsExtension,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  KeyUsageFlags,
  KeyUsagesExtension,
  SubjectAlternativeNameExtension,
  SubjectKeyIdentifierExtension,
  X509Certificate,
  X509CertificateGenerator,
} from '@peculiar/x509'
import type { KeyAndCertificate } from './certificates.ts'

/** One kind of key everywhere: small, and fast in handshakes. */
const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const

interface Period {
  readonly notBefore: number
  readonly notAfter: number
}

const serialNumber = (): string => `00${randomBytes(15).toString('hex')}`
const period = ({ notBefore, notAfter }: Period) => ({ notBefore: new Date(notBefore), notAfter: new Date(notAfter) })

/** A certificate authority of our own. */
export async function selfSigned(valid: Period): Promise<KeyAndCertificate> {
  const keys = await webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify'])
  const certificate = await X509CertificateGenerator.createSelfSigned({
    serialNumber: serialNumber(),
    name: 'CN=stellwerk-ca',
    ...period(valid),
    signingAlgorithm: ALGORITHM,
    keys,
    extensions: [
      new BasicConstraintsExtension(true, 0, true),
      new KeyUsagesExtension(KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign, true),
      await SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  })
  return { key: await pem(keys.privateKey), cert: certificate.toString('pem') }
}

interface Order extends Period {
  readonly ca: KeyAndCertificate
  readonly hosts: readonly string[]
}

/** A server certificate for these host names and addresses. */
export async function issue({ ca, hosts, ...valid }: Order): Promise<KeyAndCertificate> {
  const keys = await webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify'])
  const certificate = await X509CertificateGenerator.create({
    serialNumber: serialNumber(),
    subject: 'CN=stellwerk',
    issuer: new X509Certificate(ca.cert).subject,
    ...period(valid),
    signingAlgorithm: ALGORITHM,
    publicKey: keys.publicKey,
    signingKey: await importKey(ca.key),
    extensions: [
      new BasicConstraintsExtension(false, undefined, true),
      new KeyUsagesExtension(KeyUsageFlags.digitalSignature, true),
      new ExtendedKeyUsageExtension([ExtendedKeyUsage.serverAuth]),
      new SubjectAlternativeNameExtension(hosts.map((value) => ({ type: isIP(value) === 0 ? 'dns' : 'ip', value }))),
    ],
  })
  return { key: await pem(keys.privateKey), cert: certificate.toString('pem') }
}

async function pem(key: webcrypto.CryptoKey): Promise<string> {
  const der = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', key))
  return createPrivateKey({ key: der, format: 'der', type: 'pkcs8' })
    .export({ format: 'pem', type: 'pkcs8' })
    .toString()
}

function importKey(key: string): Promise<webcrypto.CryptoKey> {
  const der = createPrivateKey(key).export({ format: 'der', type: 'pkcs8' })
  return webcrypto.subtle.importKey('pkcs8', der, ALGORITHM, false, ['sign'])
}
