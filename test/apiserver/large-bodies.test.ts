import assert from 'node:assert/strict'
import { test } from 'node:test'
import { turnFor } from '#apiserver/large-bodies.ts'

const LARGE = 1 << 20

test('large bodies that arrive together are looked at in turns of their own, in their order', async () => {
  const turns: string[] = []
  let turn = 0
  const next = (): void => {
    turn++
    if (turns.length < 3) setImmediate(next)
  }
  setImmediate(next)
  const look = async (name: string): Promise<void> => {
    await turnFor(LARGE)
    turns.push(`${name} ${turn}`)
  }
  await Promise.all([look('a'), look('b'), look('c')])
  assert.deepEqual(
    turns.map((seen) => seen[0]),
    ['a', 'b', 'c'],
  )
  assert.equal(new Set(turns.map((seen) => seen.slice(2))).size, 3, `not in the same turn: ${turns.join(', ')}`)
})

test('small bodies wait for nobody', () => {
  void turnFor(LARGE)
  assert.equal(turnFor(1000), undefined)
})
