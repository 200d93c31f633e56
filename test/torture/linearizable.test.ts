import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Connection, Target } from '#test/support/connection.ts'
import { progress } from '#test/support/progress.ts'
import { scratch, startChild } from './child.ts'
import { BASE, connect, counterObject, counterOf, parse } from './counters.ts'
import { findViolation, type Operation } from './history.ts'

const REGISTERS = Number(process.env.STELLWERK_REGISTERS ?? 16)
/** Every register is raised so often. */
const INCREMENTS = Number(process.env.STELLWERK_INCREMENTS ?? 100)
/** Few at a time, so that everyone fights for them; then others, so that there are many histories. */
const AT_A_TIME = 8
const CLIENTS = 12
/** One look in so many is a list. */
const LIST_EVERY = 20

test('concurrent increments lose nothing and the recorded history is linearizable', async (t) => {
  const server = await startChild(scratch(t, 'cas'))
  const history: Operation[] = []
  let raised = 0
  for (let first = 0; first < REGISTERS; first += AT_A_TIME) {
    const group = Array.from({ length: Math.min(AT_A_TIME, REGISTERS - first) }, (_, i) => `r-${first + i}`)
    raised += await fight(server.target, group, history)
    progress(`linearizable: ${raised} of ${REGISTERS * INCREMENTS} increments, ${history.length} operations`)
  }
  assert.equal(findViolation(history), undefined)
  await compareWithStored(server.target, history)
  const count = (type: Operation['type']): number => history.filter((o) => o.type === type).length
  t.diagnostic(
    `${history.length} operations on ${REGISTERS} registers: ${count('write')} writes, of them ${raised} increments, ` +
      `${count('read')} reads, ${count('conflict')} refused because somebody was faster`,
  )
})

/** Every acknowledged increment counts exactly once. */
async function compareWithStored(target: Target, history: readonly Operation[]): Promise<void> {
  const connection = await connect(target)
  const stored = parse((await connection.request('GET', BASE)).body).items.map(counterOf)
  connection.close()
  const written = Map.groupBy(
    history.filter((o) => o.type === 'write'),
    (o) => o.register,
  )
  assert.equal(stored.length, REGISTERS)
  for (const { name, count } of stored) assert.equal(count, written.get(name)?.length, name)
}

/** All clients raise the registers of a group until each has been raised often enough; says how often that was in all. */
async function fight(target: Target, group: readonly string[], history: Operation[]): Promise<number> {
  const left = new Map(group.map((register) => [register, INCREMENTS]))
  const connections = await Promise.all(Array.from({ length: CLIENTS }, () => connect(target)))
  for (const register of group) await create(connections[0] as Connection, register, history)
  let raised = 0
  const client = async (connection: Connection, id: number): Promise<void> => {
    // Clients go round in different steps: otherwise all would want the same one each time.
    for (let turn = id; ; turn += 1 + (id % 3)) {
      const open = group.filter((register) => (left.get(register) ?? 0) > 0)
      const register = open[turn % open.length]
      if (register === undefined) return
      if (Math.floor(turn / 3) % LIST_EVERY === 0) await list(connection, group, history)
      if (!(await increment(connection, register, history))) continue
      left.set(register, (left.get(register) ?? 0) - 1)
      raised++
    }
  }
  await Promise.all(connections.map(client))
  connections.forEach((connection) => connection.close())
  return raised
}

async function create(connection: Connection, register: string, history: Operation[]): Promise<void> {
  const called = performance.now()
  const answer = await connection.request('POST', BASE, counterObject(register, 1))
  const { revision } = counterOf(parse(answer.body))
  history.push({ register, type: 'write', called, returned: performance.now(), revision, value: 1, expected: 0 })
}

/** A list is a look at each of its registers at once. */
async function list(connection: Connection, group: readonly string[], history: Operation[]): Promise<void> {
  const called = performance.now()
  const answer = await connection.request('GET', `${BASE}?labelSelector=writer+in+(${group.join(',')})`)
  const returned = performance.now()
  const found = parse(answer.body).items.map(counterOf)
  assert.equal(found.length, group.length, 'nothing that exists is missing in a list')
  for (const { name, count, revision } of found)
    history.push({ register: name, type: 'read', called, returned, revision, value: count })
}

/** Reads the register, then tries to raise it from what it read; losing the race is an answer, too. */
async function increment(connection: Connection, register: string, history: Operation[]): Promise<boolean> {
  const called = performance.now()
  const seen = counterOf(parse((await connection.request('GET', `${BASE}/${register}`)).body))
  const tried = performance.now()
  history.push({ register, type: 'read', called, returned: tried, revision: seen.revision, value: seen.count })
  const body = counterObject(register, seen.count + 1, seen.revision)
  const answer = await connection.request('PUT', `${BASE}/${register}`, body)
  const times = { register, called: tried, returned: performance.now(), expected: seen.revision }
  if (answer.status === 409) {
    history.push({ ...times, type: 'conflict', revision: seen.revision, value: seen.count })
    return false
  }
  assert.equal(answer.status, 200, answer.body.toString())
  const { revision, count } = counterOf(parse(answer.body))
  history.push({ ...times, type: 'write', revision, value: count })
  return true
}
