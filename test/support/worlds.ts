import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import { apiVersionOf, type Kind } from '#domain/kind.ts'
import type { Condition, Resource } from '#domain/object.ts'
import type { Installation } from '#domain/plan/world.ts'

/** test/worlds, with the parts several worlds share in `_parts`. */
export const WORLDS = join(import.meta.dirname, '..', 'worlds')

/** A golden world as read: every resource complete, nothing added that the files do not name. */
export interface WorldFile {
  readonly self: { readonly kind: string; readonly namespace: string | undefined; readonly name: string }
  readonly now: string | undefined
  readonly installation: Installation | undefined
  readonly resources: readonly Resource[]
}

/** Completes resources as the server would: names of kinds, defaults, what the server stamps. */
export interface Normalise {
  (resource: Resource, where: string): Resource
}

const FIELDS = ['self', 'now', 'use', 'installation', 'resources']
const RESOURCE_FIELDS = ['apiVersion', 'kind', 'metadata', 'spec', 'status', 'ready']

export const worldNames = (folder: string): readonly string[] =>
  readdirSync(join(WORLDS, folder))
    .filter((file) => file.endsWith('.in.yaml'))
    .map((file) => file.slice(0, -'.in.yaml'.length))
    .toSorted()

export const worldPath = (folder: string, name: string, side: 'in' | 'out'): string =>
  join(WORLDS, folder, `${name}.${side}.yaml`)

export function readWorld(path: string, kind: Kind<any, any>, normalise: Normalise): WorldFile {
  const file = readYaml(path)
  refuseUnknown(file, FIELDS, path)
  const parts = (file['use'] as readonly string[] | undefined) ?? []
  const resources = [
    ...parts.flatMap((part) => readPart(part, kind, normalise)),
    ...((file['resources'] as readonly unknown[] | undefined) ?? []).map((r, i) =>
      complete(r, kind, normalise, `${path}: resources[${i}]`),
    ),
  ]
  refuseTwins(resources, path)
  return {
    self: selfOf(file['self'], kind, path),
    now: file['now'] as string | undefined,
    installation: file['installation'] as Installation | undefined,
    resources,
  }
}

function readPart(name: string, kind: Kind<any, any>, normalise: Normalise): readonly Resource[] {
  const path = join(WORLDS, '_parts', `${name}.yaml`)
  if (!existsSync(path)) throw new Error(`there is no part "${name}": expected ${path}`)
  const list = readYaml(path) as unknown as readonly unknown[]
  if (!Array.isArray(list)) throw new Error(`${path}: a part is a list of resources`)
  return list.map((r, i) => complete(r, kind, normalise, `${path}: [${i}]`))
}

function readYaml(path: string): Record<string, unknown> {
  return parse(readFileSync(path, 'utf8'), { strict: true, uniqueKeys: true, prettyErrors: true }) as Record<
    string,
    unknown
  >
}

function refuseUnknown(object: object, known: readonly string[], where: string): void {
  const unknown = Object.keys(object).filter((key) => !known.includes(key))
  if (unknown.length > 0)
    throw new Error(`${where}: unknown field ${unknown.join(', ')}; known are ${known.join(', ')}`)
}

function refuseTwins(resources: readonly Resource[], path: string): void {
  const keys = resources.map((r) => `${r.apiVersion}/${r.kind} ${r.metadata.namespace ?? ''}/${r.metadata.name}`)
  const twin = keys.find((key, i) => keys.indexOf(key) !== i)
  if (twin !== undefined) throw new Error(`${path}: ${twin} is there twice`)
}

function selfOf(self: unknown, kind: Kind<any, any>, path: string): WorldFile['self'] {
  if (typeof self === 'string') return { kind: kind.kind, namespace: undefined, name: self }
  const { kind: own, namespace, name } = (self ?? {}) as { kind?: string; namespace?: string; name?: string }
  if (name === undefined) throw new Error(`${path}: self must name the object to plan`)
  return { kind: own ?? kind.kind, namespace, name }
}

/** Fills what the server would have stamped, the same for the same object wherever it stands in the file. */
function complete(value: unknown, kind: Kind<any, any>, normalise: Normalise, where: string): Resource {
  const given = value as Resource & { readonly ready?: boolean }
  refuseUnknown(given, RESOURCE_FIELDS, where)
  const { ready, ...rest } = given
  const { name, namespace } = rest.metadata
  const apiVersion: string = rest.apiVersion ?? (rest.kind === kind.kind ? apiVersionOf(kind) : '')
  const metadata = {
    uid: `uid:${rest.kind}:${namespace ?? ''}:${name}`.toLowerCase(),
    resourceVersion: '1',
    generation: 1,
    creationTimestamp: '2026-01-01T00:00:00Z',
    ...rest.metadata,
  }
  const resource = normalise({ ...rest, apiVersion, metadata }, where)
  if (resource.apiVersion === '') throw new Error(`${where}: apiVersion is missing`)
  return ready === undefined ? resource : withReady(resource, ready, where)
}

function withReady(resource: Resource, ready: boolean, where: string): Resource {
  const others = resource.status?.conditions ?? []
  if (others.some((c) => c.type === 'Ready')) throw new Error(`${where}: "ready" and a Ready condition contradict`)
  const condition: Condition = {
    type: 'Ready',
    status: ready ? 'True' : 'False',
    reason: ready ? 'Provisioned' : 'SubResourceNotReady',
    message: ready ? 'Provisioned' : 'Not ready',
    observedGeneration: resource.metadata.generation,
    lastTransitionTime: '2026-01-01T00:00:00Z',
  }
  return { ...resource, status: { ...(resource.status as object), conditions: [condition, ...others] } }
}
