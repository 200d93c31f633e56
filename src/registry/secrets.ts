import { randomBytes } from 'node:crypto'
import type { FieldError } from '#domain/errors.ts'
import type { Kind, User } from '#domain/kind.ts'
import type { Resource } from '#domain/object.ts'
import type { Op, Store } from '#store/store.ts'
import { secretKey } from './keys.ts'
import { maskLastApplied } from './last-applied.ts'
import { generateSecret, type SecretBox } from './secret-box.ts'
import { mapSecrets, type Place, secretsIn, type SecretTree, secretTree } from './secret-tree.ts'
import type { SecretUse } from './secret-use.ts'

/** `$<Kind/namespace/name/path/id>`: readable up to the id, and only the id finds the value. */
const REFERENCE = /^\$<([^<>]*)\/([A-Za-z0-9_-]{22})>$/

/** Every id of a secret that a text may refer to. */
export const idsIn = (text: string): readonly string[] => text.match(/[A-Za-z0-9_-]{22}(?=>)/g) ?? []

export const isSecretId = (text: string): boolean => /^[A-Za-z0-9_-]{22}$/.test(text)

export const referenceId = (reference: string): string | undefined => REFERENCE.exec(reference)?.[2]

export const isReference = (value: unknown): value is string => typeof value === 'string' && REFERENCE.test(value)

const ownerText = (kind: Kind, { metadata }: Resource): string =>
  `${kind.kind}/${metadata.namespace ?? ''}/${metadata.name}/`

const newReference = (kind: Kind, object: Resource, path: string): string =>
  `$<${ownerText(kind, object)}${path}/${randomBytes(16).toString('base64url')}>`

/** A clear text to be sealed under a reference, once the write it belongs to happens. */
interface Sealing {
  readonly reference: string
  readonly clear: string
}

export interface Protected {
  readonly object: Resource
  readonly errors: readonly FieldError[]
  readonly sealings: readonly Sealing[]
}

export interface ProtectRequest {
  readonly kind: Kind
  readonly object: Resource
  readonly old: Resource | undefined
  readonly user: User
}

/** Takes clear text out of objects on their way in and keeps it encrypted beside them. */
export class SecretVault {
  readonly #store: Store
  readonly #box: SecretBox
  readonly #use: SecretUse
  readonly #unsealed: ReadonlyMap<string, string>

  constructor(store: Store, box: SecretBox, use: SecretUse, unsealed: ReadonlyMap<string, string> = new Map()) {
    this.#store = store
    this.#box = box
    this.#use = use
    this.#unsealed = unsealed
  }

  /** The same vault for writes that are stored together: each knows the secrets of those before it, by their references. */
  beside(unsealed: ReadonlyMap<string, string>): SecretVault {
    return new SecretVault(this.#store, this.#box, this.#use, unsealed)
  }

  resolve(reference: string): string | undefined {
    const clear = this.#unsealed.get(reference)
    if (clear !== undefined) return clear
    const id = referenceId(reference)
    const entry = id === undefined ? undefined : this.#store.get(secretKey(id))
    return entry && this.#box.open(reference, entry.value)
  }

  /** The object with references in place of all secrets. Stores nothing: see `ops`. */
  protect(request: ProtectRequest): Protected {
    const tree = secretTree(request.kind)
    if (!tree) return { object: request.object, errors: [], sealings: [] }
    const stored = referencesByField(tree, request.old)
    const errors: FieldError[] = []
    const sealings: Sealing[] = []
    const seal: Seal = (clear, { path }) => {
      const reference = newReference(request.kind, request.object, path)
      sealings.push({ reference, clear })
      return reference
    }
    const object = mapSecrets(tree, request.object, (value, place) => {
      const kept = stored.get(place.field) ?? []
      if (value === undefined || value === '') return this.#absent(value, place, kept, seal)
      if (typeof value !== 'string') return value
      if (value.startsWith('$<')) return this.#reference(value, place, { kept, user: request.user, errors, seal })
      if (value === 'rotate') return seal(generateSecret(), place)
      return kept.find(({ text }) => this.resolve(text) === value)?.text ?? seal(value, place)
    }) as Resource
    return { object: maskLastApplied(tree, object), errors, sealings }
  }

  /**
   * What a write does to the secrets: new ones are sealed. Those it lets go of stay, because others may have been lent them;
   * the sweeper removes them when nobody refers to them any more.
   */
  ops(kind: Kind, old: Resource | undefined, next: Resource | undefined, sealings: readonly Sealing[]): Op[] {
    const tree = secretTree(kind)
    if (!tree) return []
    const used = new Set(next ? secretsIn(tree, next).map(({ text }) => text) : [])
    if (old && secretsIn(tree, old).some(({ text }) => !used.has(text))) this.#use.dropped()
    return sealings.filter(({ reference }) => used.has(reference)).map((sealing) => this.#put(sealing))
  }

  #put({ reference, clear }: Sealing): Op {
    const sealed = this.#box.seal(reference, clear)
    return { type: 'put', key: secretKey(referenceId(reference)!), expect: 'absent', encode: () => sealed }
  }

  /** A secret of ours that is left out stays as it is; one that was never there is made. */
  #absent(value: unknown, place: Place, kept: readonly Kept[], seal: Seal): unknown {
    if (place.secret !== 'generated') return value
    return kept.find(({ path }) => path === place.path)?.text ?? seal(generateSecret(), place)
  }

  #reference(value: string, place: Place, { kept, user, errors, seal }: Arrival): string | undefined {
    if (kept.some(({ text }) => text === value)) return value
    if (user.platform === true && isReference(value)) {
      if (this.#lend(value)) return value
      // What was copied is gone. To refuse it would hold up everything else the plan says, and nobody could mend that.
      if (place.secret === 'generated') return this.#absent(undefined, place, kept, seal) as string
      if (place.optional) return undefined
    }
    const message =
      'Invalid value: "$<…>": is not the reference stored here; send the reference as it was read, the clear text, or "rotate"'
    errors.push({ reason: 'FieldValueInvalid', field: place.path, message })
    return value
  }

  /** Whether the secret is there to be referred to by one more object. */
  #lend(reference: string): boolean {
    const id = referenceId(reference)
    if (id === undefined || this.#use.isCondemned(id) || !this.#isThere(reference, id)) return false
    this.#use.lend(id)
    return true
  }

  /** A value never changes under its id, so it is opened once only: thousands of objects are lent the same. */
  #isThere(reference: string, id: string): boolean {
    if (this.#use.wasOpened(reference)) return this.#store.get(secretKey(id)) !== undefined
    if (this.resolve(reference) === undefined) return false
    if (!this.#unsealed.has(reference)) this.#use.opened(reference)
    return true
  }
}

interface Kept extends Place {
  readonly text: string
}

type Seal = (clear: string, place: Place) => string

/** What there is to know about a reference that comes in: what its field holds now, and who sends it. */
interface Arrival {
  readonly kept: readonly Kept[]
  readonly user: User
  readonly errors: FieldError[]
  readonly seal: Seal
}

/** By field and not by path: an item of a list keeps its secret when it moves. */
function referencesByField(tree: SecretTree, old: Resource | undefined): ReadonlyMap<string, readonly Kept[]> {
  return old ? Map.groupBy(secretsIn(tree, old), ({ field }) => field) : new Map()
}
