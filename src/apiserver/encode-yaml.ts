import { setImmediate as nextTurn } from 'node:timers/promises'
import { stringify, type CreateNodeOptions, type DocumentOptions, type ToStringOptions } from 'yaml'
import { decodeTrusted } from '#lib/json.ts'

/** Nothing is shared and nothing folded: both would only cost time. */
const OPTIONS: CreateNodeOptions & DocumentOptions & ToStringOptions = { aliasDuplicateObjects: false, lineWidth: 0 }

/** How long others may have to wait for a turn. */
const TURN_MS = 10

/**
 * JSON of our own as YAML. YAML takes half a millisecond per object, so what can be long, the items of a list and the
 * rows of a table, is written one by one, and others get their turn in between.
 */
export async function encodeYaml(json: Uint8Array): Promise<Buffer> {
  const value = decodeTrusted(json) as Readonly<Record<string, unknown>>
  const long = ['items', 'rows'].find((key) => Object.keys(value).at(-1) === key && Array.isArray(value[key]))
  if (long === undefined) return Buffer.from(stringify(value, OPTIONS))
  const { [long]: entries, ...rest } = value
  const list = entries as readonly unknown[]
  const parts = [stringify(rest, OPTIONS), list.length === 0 ? `${long}: []\n` : `${long}:\n`]
  let since = performance.now()
  for (const entry of list) {
    // A list of one, at the left margin: YAML allows it right under its key.
    parts.push(stringify([entry], OPTIONS))
    if (performance.now() - since < TURN_MS) continue
    await nextTurn()
    since = performance.now()
  }
  return Buffer.from(parts.join(''))
}
