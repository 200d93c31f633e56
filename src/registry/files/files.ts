import { createHash, randomUUID } from 'node:crypto'
import { ENVIRONMENT_LABEL, environmentOf } from '#domain/environment.ts'
import { badRequest, conflict, StatusError } from '#domain/errors.ts'
import { parseFileId } from '#domain/file-id.ts'
import { apiVersionOf } from '#domain/kind.ts'
import { File, type FileSpec } from '#domain/kinds/files/file.ts'
import type { Metadata, Resource } from '#domain/object.ts'
import { resourceKey } from '#registry/keys.ts'
import type { Namespaces } from '#registry/namespaces.ts'
import { type Parts, stamp } from '#registry/parts.ts'
import type { Key } from '#registry/registry.ts'
import { transact } from '#registry/store-errors.ts'
import { preparePut } from '#registry/written.ts'
import type { Entry, Op } from '#store/store.ts'
import { chunkOps, chunkRemovals, readChunks } from './chunks.ts'

export const LARGEST_FILE = 10 * 1024 * 1024

export interface FileContent {
  readonly bytes: Uint8Array
  readonly contentType: string
}

export interface StoredFile extends FileContent {
  /** SHA-256 in base64. */
  readonly checksum: string
}

/** Files beside the resources, in the same log; a File resource says what each of them is (platform §10). */
export interface Files {
  /** @throws StatusError BadRequest, NotFound */
  get(id: string): StoredFile
  /** Stores the bytes and returns their checksum. @throws StatusError BadRequest, RequestEntityTooLarge, Conflict */
  put(id: string, content: FileContent): Promise<string>
  /** What a transaction has to do to store the file; for writes that stand or fall with it. */
  ops(id: string, content: FileContent): readonly Op[]
}

export const checksumOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('base64')

/** @throws StatusError BadRequest */
export function keyOfFile(id: string): Key {
  const key = parseFileId(id)
  if (key === undefined)
    throw badRequest(
      `${JSON.stringify(id.slice(0, 100))} is no file id: it has the form <env>--<group>--<team>--<name>`,
    )
  return key
}

const ATTEMPTS = 5

export function createFiles(parts: Parts, namespaces: Namespaces): Files {
  const entryOf = (key: Key): Entry | undefined => parts.store.get(resourceKey(File, key))
  const ops = (id: string, content: FileContent): readonly Op[] => {
    const key = keyOfFile(id)
    if (content.bytes.length > LARGEST_FILE)
      throw new StatusError('RequestEntityTooLarge', `a file has at most ${LARGEST_FILE} bytes`)
    return replacement(parts, key, entryOf(key), content)
  }
  return {
    ops,
    get: (id) => {
      const key = keyOfFile(id)
      const entry = entryOf(key)
      const spec = entry && (parts.cache.stored(entry).resource.spec as FileSpec)
      const bytes = spec && readChunks(parts.store, key, spec)
      if (spec === undefined || bytes === undefined) throw new StatusError('NotFound', `file ${id} is not stored`)
      return { bytes, contentType: spec.contentType, checksum: spec.checksum }
    },
    put: async (id, content) => {
      const key = keyOfFile(id)
      for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
        const changes = ops(id, content)
        if (changes.length === 0) return checksumOf(content.bytes)
        const outcome = await namespaces.during(key.namespace, () =>
          transact(parts.store, [...namespaces.opsFor(File, key.namespace, key.name), ...changes]),
        )
        if (outcome.ok) return checksumOf(content.bytes)
      }
      throw conflict(File, key.name, 'it is being written by others: try again')
    },
  }
}

/** The metadata expects what it replaces, so the chunks that go are the ones it had. */
function replacement(
  parts: Parts,
  key: Key,
  entry: Entry | undefined,
  { bytes, contentType }: FileContent,
): readonly Op[] {
  const spec: FileSpec = { checksum: checksumOf(bytes), contentType, size: bytes.length }
  const old = entry && (parts.cache.stored(entry).resource as Resource<FileSpec>)
  if (old?.spec.checksum === spec.checksum && old.spec.contentType === contentType) return []
  const put = preparePut(resourceKey(File, key), entry?.revision ?? 'absent', described(parts, key, spec, old))
  if (old?.spec.checksum === spec.checksum) return [put.op]
  return [
    put.op,
    ...(old ? chunkRemovals(parts.store, key, old.spec.checksum) : []),
    ...chunkOps(key, spec.checksum, bytes),
  ]
}

function described(parts: Parts, key: Key, spec: FileSpec, old: Resource | undefined): Resource<FileSpec> {
  const made: Metadata = {
    name: key.name,
    namespace: key.namespace,
    uid: randomUUID(),
    resourceVersion: '',
    generation: 1,
    creationTimestamp: stamp(parts.clock),
    labels: { [ENVIRONMENT_LABEL]: environmentOf(key.namespace) },
  }
  const metadata = old ? { ...old.metadata, generation: (old.metadata.generation ?? 0) + 1 } : made
  return { apiVersion: apiVersionOf(File), kind: File.kind, metadata, spec }
}
