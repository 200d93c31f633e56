import { setImmediate as nextTurn } from 'node:timers/promises'
import { stringify, type CreateNodeOptions, type DocumentOptions, type ToStringOptions } from 'yaml'
import { decodeTrusted, encodeJson } from '#lib/json.ts'

/** Nothing is shared and nothing folded: both would only cost time. */
const OPTIONS: CreateNodeOptions & DocumentOptions & ToStringOptions = { aliasDuplicateObjects: false, lineWidth: 0 }

/** How long others may have to wait for a turn. */
const TURN_MS = 10

/** Of a value beyond this size nobody reads the YAML. */
const LARGE = 32 * 1024

/**
 * JSON of our own as YAML. YAML takes half a millisecond per object, so what can be long, the items of a list and the
 * rows of a table, is written one by one, and others get their turn in between. A single object that is large stays as it
 * is: JSON is YAML too, and to lay it out line by line would take a quarter of a second.
 */
export async function encodeYaml(json: Uint8Array): Promise<Buffer> {
  const value = decodeTrusted(json) as Readonly<Record<string, unknown>>
  const long = ['items', 'rows'].find((key) => Object.keys(value).at(-1) === key && Array.isArray(value[key]))
  if (long === undefined) return json.length > LARGE ? Buffer.from(json) : Buffer.from(stringify(value, OPTIONS))
  const { [long]: entries, ...rest } = value
  const list = entries as readonly unknown[]
  const parts = [stringify(rest, OPTIONS), list.length === 0 ? `${long}: []\n` : `${long}:\n`]
  let since = performance.now()
  for (const entry of list) {
    parts.push(listOfOne(entry))
    if (performance.now() - since < TURN_MS) continue
    await nextTurn()
    since = performance.now()
  }
  return Buffer.from(parts.join(''))
}

/** At the left margin: YAML allows it right under its key. */
function listOfOne(entry: unknown): string {
  const json = encodeJson(entry)
  return json.length > LARGE ? `- ${json}\n` : stringify([entry], OPTIONS)
}
