import { stringify, type CreateNodeOptions, type DocumentOptions, type ToStringOptions } from 'yaml'
import { decodeTrusted, encodeJson } from '#lib/json.ts'

/** Nothing is shared and nothing folded: both would only cost time. */
const OPTIONS: CreateNodeOptions & DocumentOptions & ToStringOptions = { aliasDuplicateObjects: false, lineWidth: 0 }

/** Of a value beyond this size nobody reads the YAML. */
const LARGE = 32 * 1024

/**
 * JSON of our own as YAML: an object, or several entries of a list, which stand at the left margin (YAML allows it right
 * under their key). What is large stays on one line: JSON is YAML too, and to lay it out would take a quarter of a second.
 */
export function encodeYaml(json: Uint8Array): Uint8Array {
  const value = decodeTrusted(json)
  return new TextEncoder().encode(Array.isArray(value) ? value.map(entryOf).join('') : textOf(value, json))
}

const textOf = (value: unknown, json: Uint8Array): string =>
  json.length > LARGE ? `${Buffer.from(json).toString()}\n` : stringify(value, OPTIONS)

function entryOf(entry: unknown): string {
  const json = encodeJson(entry)
  return json.length > LARGE ? `- ${json}\n` : stringify([entry], OPTIONS)
}
