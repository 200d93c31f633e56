import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import type { Connection, Target } from '#test/support/connection.ts'
import { startChild } from './child.ts'
import { BASE, connect, counterObject, counterOf, parse } from './counters.ts'
import { findViolation, type Operation } from './history.ts'

const operations = Number(process.env.STELLWERK_OPERATIONS ?? 6000)

test('concurrent increments lose nothing and the recorded history is linearizable', async (t) => {
  const data = mkdtempSync(join(tmpdir(), 'stellwerk-cas-'))
  const server = await startChild(data)
  t.after(() => server.kill('SIGKILL').then(() => rmSync(data, { recursive: true, force: true })))
  const history: Operation[] = []
  const registers = ['r-0', 'r-1', 'r-2']
  await createRegisters(server.target, registers, history)
  let left = operations
  const clients = Array.from({ length: 12 }, async (_, i) => {
    const connection = await connect(server.target)
    while (left-- > 0) await step(connection, registers[(left + i) % registers.length] as string, history)
    connection.close()
  })
  await Promise.all(clients)
  assert.equal(findViolation(history), undefined)
  for (const register of registers) {
    const writes = history.filter((o) => o.register === register && o.type === 'write')
    const connection = await connect(server.target)
    const final = counterOf(parse((await connection.request('GET', `${BASE}/${register}`)).body))
    connection.close()
    assert.equal(final.count, writes.length, 'every acknowledged increment counts exactly once')
  }
  t.diagnostic(`${history.length} operations`)
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
