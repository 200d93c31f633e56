import { setKey } from '#lib/json.ts'

/** The patch cannot be applied; the message says why, never what values were met. */
export class PatchError extends Error {
  override readonly name = 'PatchError'
  /** Whether the patch itself is malformed, whatever it is applied to. */
  readonly malformed: boolean

  constructor(message: string, malformed = false) {
    super(message)
    this.malformed = malformed
  }
}

/** As deep as a body may be: what a patch makes can be sent again. */
const MAX_DEPTH = 128
/** Copies of copies grow without bound: all copies of a patch together may have this many parts. */
const MAX_COPIED = 100_000

type Map = Record<string, unknown>
type Change = (container: unknown, step: string) => void

/** A JSON value that is edited by pointer. Each container is copied when it is first changed and then changed in place. */
export class JsonDocument {
  readonly #owned = new WeakSet<object>()
  #root: unknown
  #copied = 0

  constructor(root: unknown) {
    this.#root = root
  }

  finish(): unknown {
    if (depthWithin(this.#root, MAX_DEPTH) > MAX_DEPTH)
      throw new PatchError(`the result has more than ${MAX_DEPTH} levels`)
    return this.#root
  }

  read(path: readonly string[]): unknown {
    let value = this.#root
    for (const step of path) {
      if (Array.isArray(value)) value = value[indexIn(value, step, value.length - 1)]
      else if (isMap(value) && Object.hasOwn(value, step)) value = value[step]
      else throw missing(path)
    }
    return value
  }

  /** A value of its own, so that changing one place never changes the other. */
  copy(path: readonly string[]): unknown {
    return this.#clone(this.read(path), 0)
  }

  insert(path: readonly string[], value: unknown): void {
    if (path.length === 0) this.#root = value
    else
      this.#edit(path, (container, step) => {
        if (Array.isArray(container))
          container.splice(step === '-' ? container.length : indexIn(container, step, container.length), 0, value)
        else if (isMap(container)) setKey(container, step, value)
        else throw missing(path)
      })
  }

  replace(path: readonly string[], value: unknown): void {
    if (path.length === 0) this.#root = value
    else
      this.#edit(path, (container, step) => {
        if (Array.isArray(container)) container[indexIn(container, step, container.length - 1)] = value
        else if (isMap(container) && Object.hasOwn(container, step)) setKey(container, step, value)
        else throw missing(path)
      })
  }

  remove(path: readonly string[]): void {
    if (path.length === 0) throw new PatchError('the whole object cannot be removed')
    this.#edit(path, (container, step) => {
      if (Array.isArray(container)) container.splice(indexIn(container, step, container.length - 1), 1)
      else if (isMap(container) && Object.hasOwn(container, step)) delete container[step]
      else throw missing(path)
    })
  }

  /** Hands the container of the last step to `change`, owned like every container on the way there. */
  #edit(path: readonly string[], change: Change): void {
    let container = (this.#root = this.#own(this.#root))
    for (const step of path.slice(0, -1)) {
      if (Array.isArray(container)) {
        const index = indexIn(container, step, container.length - 1)
        container = container[index] = this.#own(container[index])
      } else if (isMap(container) && Object.hasOwn(container, step)) {
        const child = this.#own(container[step])
        setKey(container, step, child)
        container = child
      } else throw missing(path)
    }
    change(container, path.at(-1)!)
  }

  #own(value: unknown): unknown {
    if (typeof value !== 'object' || value === null || this.#owned.has(value)) return value
    const own: object = Array.isArray(value) ? [...(value as unknown[])] : { ...value }
    this.#owned.add(own)
    return own
  }

  #clone(value: unknown, depth: number): unknown {
    if (++this.#copied > MAX_COPIED || depth > MAX_DEPTH) throw new PatchError('the patch copies too much')
    if (Array.isArray(value)) return value.map((item) => this.#clone(item, depth + 1))
    if (!isMap(value)) return this.#charge(value)
    const out: Map = {}
    for (const key of Object.keys(value)) setKey(out, key, this.#clone(value[key], depth + 1))
    return out
  }

  /** Long texts count by their length: copying one a thousand times is no small matter either. */
  #charge(value: unknown): unknown {
    if (typeof value === 'string') this.#copied += value.length >> 4
    return value
  }
}

const isMap = (value: unknown): value is Map => typeof value === 'object' && value !== null && !Array.isArray(value)
const missing = (path: readonly string[]): PatchError =>
  new PatchError(`there is nothing at /${path.join('/').slice(0, 200)}`)

/** A list index as RFC 6901 writes it: no sign, no leading zero, not beyond `last`. */
function indexIn(list: readonly unknown[], step: string, last: number): number {
  const index = /^(0|[1-9]\d{0,9})$/.test(step) ? Number(step) : -1
  if (index >= 0 && index <= last) return index
  throw new PatchError(`${JSON.stringify(step.slice(0, 50))} is not an index into a list of ${list.length}`)
}

function depthWithin(value: unknown, limit: number): number {
  if (typeof value !== 'object' || value === null || limit < 0) return 0
  let deepest = 0
  for (const child of Object.values(value)) deepest = Math.max(deepest, depthWithin(child, limit - 1))
  return deepest + 1
}
