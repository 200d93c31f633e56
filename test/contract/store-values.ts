import assert from 'node:assert/strict'
import type { Change, Entry, Expectation, Op, Outcome, Store } from '#store/store.ts'

const encoder = new TextEncoder()
const decoder = new TextDecoder()

export const bytes = (text: string): Uint8Array => encoder.encode(text)
export const text = (value: Uint8Array): string => decoder.decode(value)

export function put(key: string, value: string, expect: Expectation = 'any'): Op {
  return { type: 'put', key, expect, encode: () => bytes(value) }
}

export function remove(key: string, expect: Expectation = 'any'): Op {
  return { type: 'delete', key, expect }
}

/** The revision of a transaction that must have been accepted. */
export async function accepted(outcome: Promise<Outcome>): Promise<number> {
  const result = await outcome
  assert.equal(result.ok, true, 'the transaction was refused')
  return result.ok ? result.revision : 0
}

export async function write(store: Store, key: string, value: string): Promise<number> {
  return accepted(store.transact([put(key, value)]))
}

/** `key=value@revision`, so that a failed comparison can be read. */
export function shown(entries: Iterable<Entry>): string[] {
  return Array.from(entries, ({ key, value, revision }) => `${key}=${text(value)}@${revision}`)
}

/** `revision type key value (previous)`. */
export function shownChange({ revision, type, key, value, previous }: Change): string {
  return `${revision} ${type} ${key} ${text(value)} (${previous ? text(previous) : ''})`
}

/** A listener that notes each call as one string list. */
export function recorder(): { calls: string[][]; listener: (changes: readonly Change[]) => void } {
  const calls: string[][] = []
  return { calls, listener: (changes) => calls.push(changes.map(shownChange)) }
}
