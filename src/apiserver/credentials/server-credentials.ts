import { createPrivateKey, X509Certificate } from 'node:crypto'
import { join } from 'node:path'
import { makeAuthority, makeServerCertificate, validFor, type KeyAndCertificate } from './certificates.ts'
import { readIfThere, writePrivate, writeWhole } from './files.ts'

export interface ServerCredentials {
  readonly ca: string
  readonly tls: KeyAndCertificate
}

const RENEW_MS = 30 * 24 * 60 * 60 * 1000

/** The authority is made once; the server's certificate again when it runs out soon or names other hosts. */
export function serverCredentialsIn(directory: string, hosts: readonly string[], now: number): ServerCredentials {
  const files = filesIn(directory)
  const authority = usable(read(files.ca), now, []) ?? kept(files.ca, makeAuthority(validFor(3650, now)))
  const names = [...new Set([...hosts, 'localhost', '127.0.0.1', '::1'])]
  const known = usable(read(files.server), now, names)
  if (known !== undefined && signedBy(known, authority)) return { ca: authority.cert, tls: known }
  const tls = kept(files.server, makeServerCertificate(authority, names, validFor(365, now)))
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

function kept(files: Files, pair: KeyAndCertificate): KeyAndCertificate {
  writePrivate(files.key, pair.key)
  writeWhole(files.cert, pair.cert, 0o644)
  return pair
}

function read(files: Files): KeyAndCertificate | undefined {
  const key = readIfThere(files.key)
  const cert = readIfThere(files.cert)
  return key === undefined || cert === undefined ? undefined : { key, cert }
}

/** The pair, unless it is broken, runs out soon or does not cover a host. */
function usable(
  pair: KeyAndCertificate | undefined,
  now: number,
  hosts: readonly string[],
): KeyAndCertificate | undefined {
  if (pair === undefined) return undefined
  try {
    const certificate = new X509Certificate(pair.cert)
    const lasts = Date.parse(certificate.validTo) - now > RENEW_MS && Date.parse(certificate.validFrom) <= now
    const fits = hosts.every((host) => covers(certificate, host))
    return lasts && fits && certificate.checkPrivateKey(createPrivateKey(pair.key)) ? pair : undefined
  } catch {
    return undefined
  }
}

/** Not `isIP`, whose pattern for IPv6 takes longer to compile than everything else here. */
const isAddress = (host: string): boolean => host.includes(':') || /^[\d.]+$/.test(host)

const covers = (certificate: X509Certificate, host: string): boolean =>
  (isAddress(host) ? certificate.checkIP(host) : certificate.checkHost(host)) !== undefined

const signedBy = (pair: KeyAndCertificate, authority: KeyAndCertificate): boolean =>
  new X509Certificate(pair.cert).verify(new X509Certificate(authority.cert).publicKey)
