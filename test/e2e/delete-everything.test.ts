import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { parseAllDocuments } from 'yaml'
import { KINDS } from '#domain/kinds/index.ts'
import { Connection } from '#test/support/connection.ts'
import { type ServerProcess, startServerProcess, tokenOf } from '#test/support/server.ts'
import { RealBackend } from './event-world.ts'

const WORLD = readFileSync(join(import.meta.dirname, 'event-operator-world.yaml'), 'utf8')

const pathOf = ({ apiVersion, kind, metadata }: any): string => {
  const plural = KINDS.find((k) => k.kind === kind && apiVersion === `${k.group}/${k.version}`)?.plural
  return `/apis/${apiVersion}/namespaces/${metadata.namespace}/${plural}`
}

/** What neither a person declared nor the platform keeps of its own accord. */
const STAYS = new Set(['Namespace', 'Event', 'File'])

async function left(connection: Connection): Promise<readonly string[]> {
  const names: string[] = []
  for (const { group, version, kind, plural } of KINDS.filter((k) => !STAYS.has(k.kind))) {
    const { body } = await connection.request('GET', `/apis/${group}/${version}/${plural}`)
    const { items } = JSON.parse(body.toString()) as { items: readonly any[] }
    names.push(...items.map(({ metadata }) => `${kind} ${metadata.namespace}/${metadata.name}`))
  }
  return names
}

async function connect(server: ServerProcess): Promise<Connection> {
  const ca = readFileSync(join(server.data, 'ca.crt'), 'utf8')
  const connection = new Connection({ url: server.url, token: tokenOf(server.data), ca })
  await connection.open()
  return connection
}

/** Waits as long as something still changes. */
async function until(server: ServerProcess, holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds())) {
    assert.equal(server.child.exitCode, null)
    await pause(20)
  }
}

for (const order of ['as it was written', 'backwards', 'all at once'] as const) {
  test(`a world that is deleted ${order} leaves nothing behind`, { timeout: 60_000 }, async (t) => {
    const backend = new RealBackend()
    await backend.start(t)
    const server = await startServerProcess(t, ['--log-level', 'warn', '--issuer-url', backend.origin])
    const connection = await connect(server)
    t.after(() => connection.close())
    const objects = parseAllDocuments(WORLD.replaceAll('$backend', backend.origin)).map((document) => document.toJS())
    for (let round = 0; round < 3; round++) {
      for (const object of objects) {
        const { status, body } = await connection.request('POST', pathOf(object), JSON.stringify(object))
        assert.ok(status === 201 || status === 409, body.toString())
      }
      await until(server, () => Promise.resolve(backend.registered.size > 0))
      const remove = async (object: any, over = connection): Promise<void> => {
        const { status, body } = await over.request('DELETE', `${pathOf(object)}/${object.metadata.name}`)
        assert.ok(status < 300 || status === 404, body.toString())
      }
      if (order === 'all at once') {
        const many = await Promise.all(objects.map(() => connect(server)))
        await Promise.all(objects.map((object, i) => remove(object, many[i])))
        many.forEach((c) => c.close())
      } else for (const object of order === 'backwards' ? objects.toReversed() : objects) await remove(object)
      await until(server, async () => (await left(connection)).length === 0)
      assert.deepEqual([...backend.registered], [])
    }
  })
}
