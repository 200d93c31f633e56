import { StatusError } from '#domain/errors.ts'
import { apiVersionOf, type Kind } from '#domain/kind.ts'
import { EventType } from '#domain/kinds/event/event-type.ts'
import type { ManagedFieldsEntry } from '#domain/managed-fields/entry.ts'
import type { Resource } from '#domain/object.ts'
import type { PatchBody, WriteContext, Written } from '#registry/registry.ts'
import { ALICE, body, fixture, type Fixture } from '#test/registry/fixture.ts'

export interface How extends Partial<WriteContext> {
  readonly kind?: Kind
  readonly force?: boolean
  readonly name?: string
  readonly duplicates?: readonly string[]
}

/** What someone got: the object, or the refusal. */
export interface Answered {
  readonly code: number
  readonly error: StatusError | undefined
  readonly resource: Resource<any, any>
  readonly warnings: readonly string[]
}

/** A registry with the verbs of these tests; objects live in the namespace `tests`. */
export interface Lab extends Fixture {
  /** The body is completed with what every object has. */
  apply(manager: string, value: object, how?: How): Promise<Answered>
  merge(manager: string, value: object, how?: How): Promise<Answered>
  create(manager: string, value: object, how?: How): Promise<Answered>
  get(name?: string, kind?: Kind): Resource<any, any>
  /** Every owner and its set: `one Apply`, `ctl Update status`. */
  owners(name?: string, kind?: Kind): Record<string, object>
}

export const NAME = 'a'

export function lab(): Lab {
  const base = fixture()
  const { registry } = base
  const patch =
    (type: PatchBody['type']) =>
    (manager: string, value: object, how: How = {}) => {
      const { kind = EventType, force, name = NAME, duplicates = [], ...rest } = how
      const full = type === 'apply' ? completed(kind, name, value) : value
      const key = { namespace: 'tests', name }
      const context = { user: ALICE, fieldManager: manager, ...rest }
      return answered(registry.patch(kind, key, { type, value: full, duplicates, force }, context))
    }
  const get = (name = NAME, kind: Kind = EventType): Resource =>
    registry.get(kind, { namespace: 'tests', name }).resource
  return {
    ...base,
    apply: patch('apply'),
    merge: patch('merge'),
    create: (manager, value, { kind = EventType, name = NAME, ...rest } = {}) => {
      const context = { user: ALICE, fieldManager: manager, ...rest }
      return answered(registry.create(kind, 'tests', body(completed(kind, name, value)), context))
    },
    get,
    owners: (name, kind) => ownersOf(get(name, kind)),
  }
}

function completed(kind: Kind, name: string, value: object): object {
  const { metadata, ...rest } = value as { readonly metadata?: object }
  return { apiVersion: apiVersionOf(kind), kind: kind.kind, metadata: { name, ...metadata }, ...rest }
}

async function answered(written: Promise<Written>): Promise<Answered> {
  try {
    const { resource, warnings, created } = await written
    return { code: created ? 201 : 200, error: undefined, resource: resource as Resource<any, any>, warnings }
  } catch (error) {
    if (!(error instanceof StatusError)) throw error
    return { code: error.code, error, resource: {} as Resource<any, any>, warnings: [] }
  }
}

export function ownersOf({ metadata }: Resource): Record<string, object> {
  const entries = (metadata.managedFields ?? []) as readonly ManagedFieldsEntry[]
  return Object.fromEntries(
    entries.map(({ manager, operation, subresource, fieldsV1 }) => [
      [manager, operation, subresource].filter(Boolean).join(' '),
      fieldsV1,
    ]),
  )
}

/** `{ 'f:a': {}, 'f:b': {} }` from `f('a', 'b')`. */
export const f = (...names: readonly string[]): Record<string, object> =>
  Object.fromEntries(names.map((name) => [`f:${name}`, {}]))
