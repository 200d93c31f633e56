import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Connection, Target } from '#test/support/connection.ts'
import { progress } from '#test/support/progress.ts'
import { scratch, startChild } from './child.ts'
import { BASE, connect, counterObject, counterOf, parse } from './counters.ts'
import { findViolation, type Operation } from './history.ts'

const operations = Number(process.env.STELLWERK_OPERATIONS ?? 6000)
const AT_A_TIME = 3
const EPOCH = 2000

test('concurrent increments lose nothing and the recorded history is linearizable', async (t) => {
  const server = await startChild(scratch(t, 'cas'))
  const history: Operation[] = []
  // Few at a time, so that everyone fights for them; then others, so that no history gets long.
  const registers = Array.from({ length: AT_A_TIME * Math.ceil(operations / EPOCH) }, (_, i) => `r-${i}`)
  await createRegisters(server.target, registers, history)
  let left = operations
  const clients = Array.from({ length: 12 }, async (_, i) => {
    const connection = await connect(server.target)
    while (left-- > 0) {
      const epoch = Math.floor((operations - 1 - left) / EPOCH)
      await step(connection, registers[epoch * AT_A_TIME + ((left + i) % AT_A_TIME)] as string, history)
      progress(`linearizable: ${operations - left} of ${operations} increments tried`)
    }
    connection.close()
  })
  await Promise.all(clients)
  assert.equal(findViolation(history), undefined)
  const written = Map.groupBy(
    history.filter((o) => o.type === 'write'),
    (o) => o.register,
  )
  const connection = await connect(server.target)
  for (const register of registers) {
    const final = counterOf(parse((await connection.request('GET', `${BASE}/${register}`)).body))
    assert.equal(final.count, written.get(register)?.length, 'every acknowledged increment counts exactly once')
  }
  connection.close()
  t.diagnostic(`${history.length} operations on ${registers.length} registers`)
})

async function createRegisters(target: Target, registers: readonly string[], history: Operation[]): Promise<void> {
  const connection = await connect(target)
  for (const register of registers) {
    const called = performance.now()
    const answer = await connection.request('POST', BASE, counterObject(register, 1))
    const { revision } = counterOf(parse(answer.body))
    history.push({ register, type: 'write', called, returned: performance.now(), revision, value: 1, expected: 0 })
  }
  connection.close()
}

/** Reads the register, then tries to raise it from what it read; losing the race is an answer, too. */
async function step(connection: Connection, register: string, history: Operation[]): Promise<void> {
  const called = performance.now()
  const seen = counterOf(parse((await connection.request('GET', `${BASE}/${register}`)).body))
  history.push({
    register,
    type: 'read',
    called,
    returned: performance.now(),
    revision: seen.revision,
    value: seen.count,
  })
  const tried = performance.now()
  const body = counterObject(register, seen.count + 1, seen.revision)
  const answer = await connection.request('PUT', `${BASE}/${register}`, body)
  if (answer.status === 409) return
  assert.equal(answer.status, 200, answer.body.toString())
  const { revision, count } = counterOf(parse(answer.body))
  history.push({
    register,
    type: 'write',
    called: tried,
    returned: performance.now(),
    revision,
    value: count,
    expected: seen.revision,
  })
}
