/**
 * Schemas are data: one value from which the TypeScript type, defaulting, pruning, validation, the CRD, OpenAPI and
 * the reference page derive. Only what a Kubernetes structural schema can say can be said here.
 */
export interface Schema<T = unknown> {
  readonly type: 'string' | 'integer' | 'number' | 'boolean' | 'array' | 'object'
  readonly doc?: string
  readonly default?: unknown
  readonly format?: 'uri' | 'date-time' | 'int32' | 'int64' | 'email'
  readonly enum?: readonly string[]
  /** Lengths count code points and are checked before the pattern. */
  readonly minLength?: number
  readonly maxLength?: number
  readonly pattern?: string
  readonly minimum?: number
  readonly maximum?: number
  readonly items?: Schema
  readonly minItems?: number
  readonly maxItems?: number
  readonly listType?: 'atomic' | 'set' | 'map'
  readonly listMapKeys?: readonly string[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly additionalProperties?: Schema
  readonly preserveUnknown?: boolean
  readonly rules?: readonly Rule[]
  /**
   * The value is stored encrypted and read as a reference. A `generated` one is made by the server when it is absent
   * from an object that is present; no parent object is ever invented for it.
   */
  readonly secret?: 'given' | 'generated'
  /** Never set: carries the type of a valid value. */
  readonly shape?: T
}

/** A rule over several fields: CEL in the CRD, the same rule as a function in admission. Both are tested to agree. */
export interface Rule {
  readonly cel: string
  readonly message: string
  readonly holds: (self: Readonly<Record<string, unknown>>) => boolean
}

export type Infer<S> = S extends Schema<infer T> ? T : never

type Properties = Readonly<Record<string, Schema>>
type Shape<R extends Properties, O extends Properties> = {
  readonly [K in keyof R]: Infer<R[K]>
} & { readonly [K in keyof O]?: Infer<O[K]> | undefined }

type Options = Omit<Schema, 'type' | 'properties' | 'required' | 'items' | 'additionalProperties' | 'shape'>

const string = (options: Options = {}): Schema<string> => ({ type: 'string', ...options })

const oneOf = <const V extends readonly string[]>(values: V, options: Options = {}): Schema<V[number]> => ({
  type: 'string',
  enum: values,
  ...options,
})

const uri = (options: Options = {}): Schema<string> => ({ type: 'string', format: 'uri', ...options })
const time = (options: Options = {}): Schema<string> => ({ type: 'string', format: 'date-time', ...options })
const integer = (options: Options = {}): Schema<number> => ({ type: 'integer', ...options })
const boolean = (options: Options = {}): Schema<boolean> => ({ type: 'boolean', ...options })

const list = <T>(items: Schema<T>, options: Options = {}): Schema<readonly T[]> => ({
  type: 'array',
  items,
  listType: 'atomic',
  ...options,
})

const map = <T>(values: Schema<T>, options: Options = {}): Schema<Readonly<Record<string, T>>> => ({
  type: 'object',
  additionalProperties: values,
  ...options,
})

/** An object of any content, kept as it is. */
const anything = (options: Options = {}): Schema<Readonly<Record<string, unknown>>> => ({
  type: 'object',
  preserveUnknown: true,
  ...options,
})

/** The required properties first, the optional ones second. A required property with a default is filled when absent. */
const object = <const R extends Properties, const O extends Properties = Record<never, never>>(
  required: R,
  optional?: O,
  options: Options = {},
): Schema<Shape<R, O>> => ({
  type: 'object',
  properties: { ...required, ...optional },
  required: Object.keys(required),
  ...options,
})

/** The same schema with another description or other constraints. */
const but = <T>(schema: Schema<T>, options: Options): Schema<T> => ({ ...schema, ...options })

export const s = { string, oneOf, uri, time, integer, boolean, list, map, anything, object, but }

const has = (self: Readonly<Record<string, unknown>>, field: string): boolean =>
  Object.hasOwn(self, field) && self[field] !== undefined

export const exactlyOneOf = (a: string, b: string, message = `Exactly one of ${a} or ${b} must be set`): Rule => ({
  cel: `has(self.${a}) != has(self.${b})`,
  message,
  holds: (self) => has(self, a) !== has(self, b),
})

export const notTogether = (a: string, b: string, message: string): Rule => ({
  cel: `!(has(self.${a}) && has(self.${b}))`,
  message,
  holds: (self) => !(has(self, a) && has(self, b)),
})

export const atLeastOneOf = (fields: readonly string[], message: string): Rule => ({
  cel: fields.map((f) => `has(self.${f})`).join(' || '),
  message,
  holds: (self) => fields.some((f) => has(self, f)),
})
