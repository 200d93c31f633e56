import { StartError } from '#apiserver/start-error.ts'
import type { Address } from '#apiserver/listen.ts'
import type { LogLevel } from '#lib/log.ts'

/** Everything that can be said about a server from outside, checked once and never changed. */
export interface Config {
  readonly data: string
  readonly listen: Address
  /** The same API without TLS, on a loopback address only. */
  readonly http: Address | undefined
  readonly store: 'sqlite' | 'memory'
  readonly controllers: boolean
  /** Base of the issuers of zones that name no identity provider. */
  readonly issuerUrl: string
  readonly logLevel: LogLevel
}

/** The flags of `serve`, as text. */
export interface ServeFlags {
  readonly data: string
  readonly listen: string
  readonly http?: string | undefined
  readonly store: string
  readonly controllers: boolean
  readonly issuerUrl?: string | undefined
  readonly logLevel: string
}

/** A name rather than our own address: issuers must not change with a port. */
export const DEFAULT_ISSUER_URL = 'https://issuer.stellwerk.internal'

const LEVELS: readonly LogLevel[] = ['debug', 'info', 'warn', 'error', 'silent']

/** @throws StartError */
export function readConfig(flags: ServeFlags): Config {
  const http = flags.http === undefined ? undefined : parseAddress('--http', flags.http)
  if (http !== undefined && !isLoopback(http.host)) {
    throw new StartError(`--http ${flags.http} is not a loopback address: tokens must not cross a network without TLS`)
  }
  return Object.freeze({
    data: flags.data,
    listen: parseAddress('--listen', flags.listen),
    http,
    store: oneOf('--store', flags.store, ['sqlite', 'memory'] as const),
    controllers: flags.controllers,
    issuerUrl: parseUrl('--issuer-url', flags.issuerUrl ?? DEFAULT_ISSUER_URL),
    logLevel: oneOf('--log-level', flags.logLevel, LEVELS),
  })
}

function oneOf<V extends string>(flag: string, value: string, values: readonly V[]): V {
  const found = values.find((v) => v === value)
  if (found === undefined) throw new StartError(`${flag} ${value} is not one of ${values.join(', ')}`)
  return found
}

/** `HOST:PORT`, an IPv6 address in brackets. */
export function parseAddress(flag: string, text: string): Address {
  const match = /^(?:\[([0-9A-Fa-f:.]+)\]|([^:[\]\s]+)):(\d{1,5})$/.exec(text)
  const host = match?.[1] ?? match?.[2]
  const port = Number(match?.[3])
  if (host === undefined || port > 65535) {
    throw new StartError(`${flag} ${text} is not HOST:PORT, for example 127.0.0.1:6443 or [::1]:0`)
  }
  return { host, port }
}

/** @throws StartError */
export function parsePort(flag: string, text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : NaN
  if (!(port <= 65535)) throw new StartError(`${flag} ${text} is not a port: a number from 0 (any free one) to 65535`)
  return port
}

const isLoopback = (host: string): boolean => host === 'localhost' || host === '::1' || /^127(\.\d{1,3}){3}$/.test(host)

function parseUrl(flag: string, text: string): string {
  if (!URL.canParse(text) || !/^https?:/.test(text)) throw new StartError(`${flag} ${text} is not an http or https URL`)
  return text
}

/** As it is written in a URL. */
export const authority = ({ host, port }: Address): string =>
  host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`
