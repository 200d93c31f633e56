import { createPrivateKey, X509Certificate } from 'node:crypto'
import { isIP } from 'node:net'
import { join } from 'node:path'
import { readIfThere, writePrivate, writeWhole } from './files.ts'

export interface KeyAndCertificate {
  readonly key: string
  readonly cert: string
}

export interface ServerCredentials {
  readonly ca: string
  readonly tls: KeyAndCertificate
}

const DAY_MS = 24 * 60 * 60 * 1000
const CA_DAYS = 3650
const SERVER_DAYS = 365
const RENEW_DAYS = 30

/** The authority is made once; the server's certificate again when it runs out soon or names other hosts. */
export async function serverCredentialsIn(
  directory: string,
  hosts: readonly string[],
  now: number,
): Promise<ServerCredentials> {
  const files = filesIn(directory)
  const authority = usable(read(files.ca), now, []) ?? (await makeAuthority(directory, now))
  const names = [...new Set([...hosts, 'localhost', '127.0.0.1', '::1'])]
  const known = usable(read(files.server), now, names)
  if (known !== undefined && signedBy(known, authority)) return { ca: authority.cert, tls: known }
  const { issue } = await import('./issue-certificate.ts')
  const tls = await issue({
    ca: authority,
    hosts: names,
    notBefore: now - DAY_MS,
    notAfter: now + SERVER_DAYS * DAY_MS,
  })
  write(files.server, tls, 0o600)
  return { ca: authority.cert, tls }
}

interface Files {
  readonly key: string
  readonly cert: string
}

const filesIn = (directory: string): { readonly ca: Files; readonly server: Files } => ({
  ca: { key: join(directory, 'ca.key'), cert: join(directory, 'ca.crt') },
  server: { key: join(directory, 'server.key'), cert: join(directory, 'server.crt') },
})

async function makeAuthority(directory: string, now: number): Promise<KeyAndCertificate> {
  const { selfSigned } = await import('./issue-certificate.ts')
  const authority = await selfSigned({ notBefore: now - DAY_MS, notAfter: now + CA_DAYS * DAY_MS })
  write(filesIn(directory).ca, authority, 0o644)
  return authority
}

function write(files: Files, pair: KeyAndCertificate, mode: number): void {
  writePrivate(files.key, pair.key)
  writeWhole(files.cert, pair.cert, mode)
}

function read(files: Files): KeyAndCertificate | undefined {
  const key = readIfThere(files.key)
  const cert = readIfThere(files.cert)
  return key === undefined || cert === undefined ? undefined : { key, cert }
}

function usable(
  pair: KeyAndCertificate | undefined,
  now: number,
  hosts: readonly string[],
): KeyAndCertificate | undefined {
  if (pair === undefined) return undefined
  try {
    const certificate = new X509Certificate(pair.cert)
    const lasts =
      Date.parse(certificate.validTo) - now > RENEW_DAYS * DAY_MS && Date.parse(certificate.validFrom) <= now
    const fits = hosts.every((host) => covers(certificate, host))
    return lasts && fits && certificate.checkPrivateKey(createPrivateKey(pair.key)) ? pair : undefined
  } catch {
    return undefined
  }
}

const covers = (certificate: X509Certificate, host: string): boolean =>
  (isIP(host) === 0 ? certificate.checkHost(host) : certificate.checkIP(host)) !== undefined

function signedBy(pair: KeyAndCertificate, authority: KeyAndCertificate): boolean {
  return new X509Certificate(pair.cert).verify(new X509Certificate(authority.cert).publicKey)
}
