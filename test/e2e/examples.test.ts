import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { type TestContext, test } from 'node:test'
import { parseAllDocuments } from 'yaml'
import { KINDS } from '#domain/kinds/index.ts'
import { Connection } from '#test/support/connection.ts'
import { startServerProcess, tokenOf } from '#test/support/server.ts'

const root = join(import.meta.dirname, '..', '..')
const folder = join(root, 'examples')
const readme = readFileSync(join(root, 'README.md'), 'utf8')

/** What waits for the decision the README asks for. */
const WAITS: Readonly<Record<string, RegExp>> = { 'Rover cart': /^SubResourceNotReady: .*EventSubscription/ }

const pathOf = ({ apiVersion, kind, metadata }: any): string => {
  const plural = KINDS.find((k) => k.kind === kind && apiVersion === `${k.group}/${k.version}`)?.plural
  return `/apis/${apiVersion}/namespaces/${metadata.namespace}/${plural}`
}

/** examples/backend.mjs on a free port, and every line it prints. */
async function startBackend(t: TestContext): Promise<{ readonly origin: string; readonly lines: readonly string[] }> {
  const child = spawn(process.execPath, [join(folder, 'backend.mjs'), '0'], { stdio: ['ignore', 'pipe', 'inherit'] })
  t.after(() => child.kill())
  const printed = createInterface(child.stdout)
  const lines: string[] = []
  printed.on('line', (line) => void lines.push(line))
  const [first] = (await once(printed, 'line')) as [string]
  return { origin: first.replace(/^.*: /, ''), lines }
}

test('the examples are accepted without a warning and end with subscriptions that are ready', async (t) => {
  const [server, backend] = await Promise.all([startServerProcess(t), startBackend(t)])
  const ca = readFileSync(join(server.data, 'ca.crt'), 'utf8')
  const connection = new Connection({ url: server.url, token: tokenOf(server.data), ca })
  await connection.open()
  t.after(() => connection.close())
  const files = readdirSync(folder).filter((name) => name.endsWith('.yaml'))
  const texts = files.toSorted().map((file) => readFileSync(join(folder, file), 'utf8'))
  const here = texts.map((text) => text.replaceAll('http://127.0.0.1:8700', backend.origin))
  const objects = here.flatMap((text) => parseAllDocuments(text).map((document) => document.toJS()))

  for (const object of objects) {
    const answer = await connection.request('POST', `${pathOf(object)}?fieldValidation=Strict`, JSON.stringify(object))
    assert.equal(answer.status, 201, answer.body.toString())
  }
  const becomes = async (object: any, expected: RegExp): Promise<void> => {
    for (let said = ''; !expected.test(said);) {
      const answer = await connection.request('GET', `${pathOf(object)}/${object.metadata.name}`)
      const ready = JSON.parse(answer.body.toString()).status?.conditions?.find((c: any) => c.type === 'Ready')
      said = `${ready?.reason}: ${ready?.message}`
      assert.equal(server.child.exitCode, null)
    }
  }
  const nameOf = ({ kind, metadata }: any): string => `${kind} ${metadata.name}`
  for (const object of objects) await becomes(object, WAITS[nameOf(object)] ?? /^Provisioned: /)

  const requests = '/apis/approval.cp.ei.vendor.de/v1/namespaces/demo--retail--cart/approvalrequests'
  const { items } = JSON.parse((await connection.request('GET', requests)).body.toString())
  const [name, ...others] = items
    .filter((item: any) => item.spec.state === 'Pending')
    .map((item: any) => item.metadata.name)
  assert.deepEqual(others, [])
  const [, patch = ''] = new RegExp(`patch approvalrequest ${name} .*?-p '(.*?)'`, 's').exec(readme) ?? []
  const decided = await connection.request('PATCH', `${requests}/${name}`, patch, 'application/merge-patch+json')
  assert.equal(decided.status, 200, decided.body.toString())
  for (const object of objects) await becomes(object, /^Provisioned: /)
  assert.equal(backend.lines.filter((line) => line.startsWith('PUT ')).length, 2, backend.lines.join('\n'))
})
