/** A JSON object of any content, as it came from outside. */
export type Json = Readonly<Record<string, unknown>>

export const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** `target[key] = value` for keys a stranger chose: `__proto__` is an ordinary key. */
export function setOwn(target: Record<string, unknown>, key: string, value: unknown): void {
  if (key === '__proto__')
    Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true })
  else target[key] = value
}

/** Properties are read without asking whether they are own, so no schema may name what every object inherits. */
export function assertOwnable(key: string): string {
  if (key in {}) throw new TypeError(`a schema cannot have a property named ${key}: every object inherits it`)
  return key
}
