import { hostname } from 'node:os'
import { join } from 'node:path'
import { adminToken } from '#apiserver/authenticate.ts'
import { createApiServer, type ApiServer } from '#apiserver/create-api-server.ts'
import { serverCredentialsIn, type ServerCredentials } from '#apiserver/credentials/server-credentials.ts'
import { writePrivate } from '#apiserver/credentials/files.ts'
import { kubeconfig } from '#apiserver/credentials/kubeconfig.ts'
import { adminTokenIn, otherKey, secretKeyIn } from '#apiserver/credentials/tokens.ts'
import { warmUpWhile } from '#apiserver/warm-up.ts'
import { isStatus } from '#domain/errors.ts'
import { Namespace } from '#domain/kinds/core/namespace.ts'
import { KINDS } from '#domain/kinds/index.ts'
import { systemClock } from '#lib/clock.ts'
import { createLog, type Log } from '#lib/log.ts'
import { Exposition } from '#lib/prometheus.ts'
import { createRegistry } from '#registry/create-registry.ts'
import { fitsSecrets, hasSecrets } from '#registry/key-check.ts'
import type { Registry } from '#registry/registry.ts'
import type { FollowableRegistry } from '#registry/source.ts'
import { logWrites } from '#store/log-writes.ts'
import { openMemoryStore } from '#store/memory.ts'
import type { Store } from '#store/store.ts'
import { authority, type Config } from './config.ts'
import { openStorage, type Storage } from './storage.ts'

export interface Running {
  readonly url: string
  readonly kubeconfig: string
  readonly log: Log
  /** Resolves when it cannot go on: the store has broken down. */
  readonly lost: Promise<Error>
  close(): Promise<void>
}

/** Requests get this long to finish once the server has been asked to stop; all of it must take less than 5 s. */
const GRACE_MS = 2500

export interface StartParts {
  readonly log?: Log
  /** Of this same config, when it was opened ahead. */
  readonly storage?: Storage
}

/** The control plane, from the disk up to the socket. Each line needs the ones above it; closing goes the other way. */
export async function startServer(config: Config, version: string, parts: StartParts = {}): Promise<Running> {
  const { log = createLog({ level: config.logLevel }) } = parts
  const undo: (() => Promise<void> | void)[] = []
  const close = async (): Promise<void> => {
    for (let step = undo.pop(); step !== undefined; step = undo.pop()) await step()
  }
  try {
    const { directory: data, store: opening, lost, watchWrites } = parts.storage ?? openStorage(config)
    const engine = config.controllers ? import('./start-engine.ts') : undefined
    const writes = logWrites(log, systemClock)
    watchWrites(writes.told)
    undo.push(() => writes.close())
    undo.push(() => data.release())
    undo.push(() => opening.then((store) => store.close()).catch(() => undefined))
    const token = adminTokenIn(data.path)
    const credentials = serverCredentialsIn(data.path, hostsOf(config), systemClock.now())
    await warmUpWhile(opening, throwAwayRegistry).catch((error: unknown) => log.warn('warming up failed', { error }))
    const store = await opening
    const secretKey = await secretKeyOf(store, data.path)
    const registry = createRegistry({ store, kinds: KINDS, clock: systemClock, secretKey })
    undo.push(() => registry.close())
    await ensureDefaultNamespace(registry)
    const exposition = new Exposition()
    const authenticators = [adminToken(token)]
    const api = createApiServer({ registry, authenticators, clock: systemClock, log, version, exposition })
    undo.push(() => api.close(GRACE_MS))
    const url = await listen(api, config, credentials, log)
    if (engine !== undefined) {
      const giveWay = (): Promise<void> | undefined => api.whenIdle()
      undo.push((await engine).startEngine({ registry, config, log, exposition, user: PLATFORM, giveWay }))
    }
    const path = writeKubeconfig(data.path, { url: reachable(url), ca: credentials.ca, token })
    return { url, kubeconfig: path, log, lost, close }
  } catch (error) {
    await close()
    throw error
  }
}

const throwAwayRegistry = (): Registry =>
  createRegistry({ store: openMemoryStore(), kinds: KINDS, secretKey: new Uint8Array(32) })

/** @throws StartError when it is not the key that opens what is stored */
async function secretKeyOf(store: Store, directory: string): Promise<Uint8Array> {
  const key = secretKeyIn(directory, hasSecrets(store))
  if (!(await fitsSecrets(store, key))) throw otherKey(directory)
  return key
}

/** Whoever writes on behalf of the platform itself. */
const PLATFORM = { name: 'system:stellwerk', groups: ['system:stellwerk'], platform: true }

/**
 * The namespace kubectl uses when none is said. Being the first write, it also keeps any list from having version 0, which a
 * watch would read as `from anywhere`.
 */
async function ensureDefaultNamespace(registry: FollowableRegistry): Promise<void> {
  const value = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'default' } }
  try {
    await registry.create(Namespace, '', { value, duplicates: [] }, { user: PLATFORM })
  } catch (error) {
    if (!isStatus(error, 'AlreadyExists')) throw error
  }
}

async function listen(api: ApiServer, config: Config, { tls }: ServerCredentials, log: Log): Promise<string> {
  const { port } = await api.listen(config.listen, tls)
  const url = `https://${authority({ ...config.listen, port })}`
  log.info('listening', { url })
  if (config.http === undefined) return url
  const plain = await api.listen(config.http)
  log.info('listening', { url: `http://${authority({ ...config.http, port: plain.port })}` })
  return url
}

const WILDCARDS = new Set(['0.0.0.0', '::'])

/** Names the certificate must have besides the loopback ones. */
const hostsOf = ({ listen: { host } }: Config): string[] => (WILDCARDS.has(host) ? [host, hostname()] : [host])

/** A wildcard is an address to listen on, not one to connect to. */
const reachable = (url: string): string => url.replace(/\/\/(0\.0\.0\.0|\[::\]):/, '//127.0.0.1:')

function writeKubeconfig(directory: string, entry: Parameters<typeof kubeconfig>[0]): string {
  const path = join(directory, 'kubeconfig')
  writePrivate(path, kubeconfig(entry))
  return path
}
