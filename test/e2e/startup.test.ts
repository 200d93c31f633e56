import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'

const main = join(import.meta.dirname, '../../src/main.ts')

/** Runs inside the server and tells at its end what was loaded: Node's own modules, then files. */
const spy = `data:text/javascript,${encodeURIComponent(`
  import { registerHooks } from 'node:module'
  import { isMainThread } from 'node:worker_threads'
  const files = []
  registerHooks({ load: (url, context, next) => (files.push(url), next(url, context)) })
  if (isMainThread) process.on('exit', () => console.error(JSON.stringify([...process.moduleLoadList, ...files])))
`)}`

/** What a server that was asked nothing has loaded, with these flags. */
async function loadedBy(...flags: readonly string[]): Promise<readonly string[]> {
  const data = mkdtempSync(join(tmpdir(), 'stellwerk-startup-'))
  const args = ['--import', spy, main, 'serve', '--data', data, '--listen', '127.0.0.1:0', '--log-level', 'silent']
  const child = spawn(process.execPath, [...args, ...flags], { stdio: ['ignore', 'pipe', 'pipe'] })
  try {
    let told = ''
    child.stderr.on('data', (chunk) => (told += chunk))
    await once(child.stdout, 'data')
    child.kill('SIGTERM')
    await once(child, 'close')
    return JSON.parse(told)
  } finally {
    child.kill('SIGKILL')
    rmSync(data, { recursive: true, force: true })
  }
}

test('a server that was asked nothing has loaded no fetch, no YAML, no telemetry and, without controllers, no planner', async () => {
  const loaded = await loadedBy('--no-controllers')
  assert.ok(loaded.some((name) => name.endsWith('/src/server.ts')))
  for (const heavy of [/undici/, /node_modules\/yaml\//, /opentelemetry/, /src\/controllers\//, /src\/control\//])
    assert.deepEqual(
      loaded.filter((name) => heavy.test(name)),
      [],
    )
})
