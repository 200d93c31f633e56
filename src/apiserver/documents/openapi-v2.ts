import { apiVersionOf, type Kind } from '#domain/kind.ts'
import { openApiSchemas } from './openapi-schemas.ts'
import { double, field, flag, integer, message, text, type Bytes } from './protobuf-writer.ts'

/**
 * OpenAPI 2 in the Protocol Buffers form that kubectl before 1.27 insists on: the `Document` message of gnostic's
 * OpenAPIv2.proto, whose field numbers are the numbers below. Definitions and the operations kubectl looks at are enough.
 */
export function encodeOpenApiV2(kinds: readonly Kind[], version: string): Bytes {
  const info = message(text(1, 'Stellwerk'), text(2, version))
  const paths = kinds.flatMap((kind) => itemPaths(kind).map(([path, item]) => field(2, named(path, item))))
  const schemas = Object.entries(openApiSchemas(kinds, 'v2') as Readonly<Record<string, JsonSchema>>)
  const definitions = schemas.map(([name, schema]) => field(1, named(name, encodeSchema(schema))))
  return message(text(1, '2.0'), field(2, info), field(8, message(paths)), field(9, message(definitions)))
}

/** The part of JSON Schema our kinds use. */
export interface JsonSchema {
  readonly $ref?: string
  readonly type?: string
  readonly format?: string
  readonly description?: string
  readonly default?: unknown
  readonly required?: readonly string[]
  readonly enum?: readonly unknown[]
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly items?: JsonSchema
  readonly additionalProperties?: JsonSchema | boolean
  readonly maxLength?: number
  readonly minLength?: number
  readonly maxItems?: number
  readonly minItems?: number
  readonly maximum?: number
  readonly minimum?: number
  readonly pattern?: string
}

const named = (name: string, value: Bytes): Bytes => message(text(1, name), field(2, value))
/** `Any` carries YAML; JSON is YAML. */
const any = (value: unknown): Bytes => text(2, `${JSON.stringify(value)}\n`)

function extensions(number: number, holder: object): Bytes[] {
  const own = Object.entries(holder).filter(([key]) => key.startsWith('x-'))
  return own.map(([key, value]) => field(number, named(key, any(value))))
}

function encodeSchema(schema: JsonSchema): Bytes {
  return message(
    text(1, schema.$ref),
    text(2, schema.format),
    text(4, schema.description),
    schema.default === undefined ? [] : [field(5, any(schema.default))],
    double(7, schema.maximum),
    double(9, schema.minimum),
    integer(11, schema.maxLength),
    integer(12, schema.minLength),
    text(13, schema.pattern),
    integer(14, schema.maxItems),
    integer(15, schema.minItems),
    (schema.required ?? []).map((name) => text(19, name)),
    (schema.enum ?? []).map((value) => field(20, any(value))),
    typeof schema.additionalProperties === 'object'
      ? [field(21, field(1, encodeSchema(schema.additionalProperties)))]
      : [],
    schema.type === undefined ? [] : [field(22, text(1, schema.type))],
    schema.items === undefined ? [] : [field(23, field(1, encodeSchema(schema.items)))],
    schema.properties === undefined ? [] : [field(25, encodeProperties(schema.properties))],
    extensions(31, schema),
  )
}

const encodeProperties = (properties: Readonly<Record<string, JsonSchema>>): Bytes =>
  message(Object.entries(properties).map(([name, schema]) => field(1, named(name, encodeSchema(schema)))))

function itemPaths(kind: Kind): [path: string, item: Bytes][] {
  const root = kind.group === '' ? `/api/${kind.version}` : `/apis/${apiVersionOf(kind)}`
  const inside = kind.scope === 'Namespaced' ? `${root}/namespaces/{namespace}` : root
  const collection = message(field(2, operation(kind, 'list', [])), field(4, operation(kind, 'post', WRITING)))
  const object = message(
    field(2, operation(kind, 'get', [])),
    field(3, operation(kind, 'put', WRITING)),
    field(5, operation(kind, 'delete', ['dryRun'])),
    field(8, operation(kind, 'patch', [...WRITING, 'force'])),
  )
  return [
    [`${inside}/${kind.plural}`, collection],
    [`${inside}/${kind.plural}/{name}`, object],
  ]
}

const WRITING = ['dryRun', 'fieldManager', 'fieldValidation']

function operation(kind: Kind, action: string, parameters: readonly string[]): Bytes {
  const gvk = { group: kind.group, version: kind.version, kind: kind.kind }
  const ok = field(1, named('200', field(1, text(1, 'OK'))))
  return message(
    text(5, `${action}${kind.kind}`),
    parameters.map((name) => field(8, queryParameter(name))),
    field(9, ok),
    extensions(13, { 'x-kubernetes-action': action, 'x-kubernetes-group-version-kind': gvk }),
  )
}

/** ParametersItem.parameter.non_body_parameter.query_parameter_sub_schema */
const queryParameter = (name: string): Bytes =>
  field(1, field(2, field(3, message(text(2, 'query'), text(4, name), text(6, 'string'), flag(20, true)))))
