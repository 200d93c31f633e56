import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { parseAllDocuments } from 'yaml'
import { KINDS } from '#domain/kinds/index.ts'
import { Connection } from '#test/support/connection.ts'
import { startServerProcess, tokenOf } from '#test/support/server.ts'

const folder = join(import.meta.dirname, '..', '..', 'examples')

/** What cannot become ready here, and why it says so: nothing listens at the addresses of the examples. */
const WAITS: Readonly<Record<string, RegExp>> = {
  'EventSubscription mailer--orders-created-v1': /^SubResourceNotReady: Subscriber .* is not ready/,
  'Rover cart': /^SubResourceNotReady: Waiting for EventSubscription/,
}

test('the examples are accepted without a warning and become what they promise', async (t) => {
  const server = await startServerProcess(t)
  const ca = readFileSync(join(server.data, 'ca.crt'), 'utf8')
  const connection = new Connection({ url: server.url, token: tokenOf(server.data), ca })
  await connection.open()
  const files = readdirSync(folder).toSorted()
  const texts = files.map((file) => readFileSync(join(folder, file), 'utf8'))
  const objects = texts.flatMap((text) => parseAllDocuments(text).map((document) => document.toJS()))
  const pathOf = ({ apiVersion, kind, metadata }: any): string => {
    const plural = KINDS.find((k) => k.kind === kind && apiVersion === `${k.group}/${k.version}`)?.plural
    return `/apis/${apiVersion}/namespaces/${metadata.namespace}/${plural}`
  }
  for (const object of objects) {
    const answer = await connection.request('POST', `${pathOf(object)}?fieldValidation=Strict`, JSON.stringify(object))
    assert.equal(answer.status, 201, answer.body.toString())
  }
  for (const object of objects) {
    const name = `${object.kind} ${object.metadata.name}`
    const expected = WAITS[name] ?? /^Provisioned: /
    for (let said = ''; !expected.test(said);) {
      const answer = await connection.request('GET', `${pathOf(object)}/${object.metadata.name}`)
      const ready = JSON.parse(answer.body.toString()).status?.conditions?.find((c: any) => c.type === 'Ready')
      said = `${ready?.reason}: ${ready?.message}`
      assert.equal(server.child.exitCode, null)
    }
  }
  connection.close()
})
