import assert from 'node:assert/strict'
import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import { get } from 'node:https'
import { createServer, type AddressInfo } from 'node:net'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { runToEnd, startServerProcess, temporaryDirectory, tokenOf } from '#test/support/server.ts'

interface Read {
  readonly status: number
  readonly text: string
}

function read(url: string, data: string, token?: string): Promise<Read> {
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` }
  return new Promise((resolve, reject) => {
    const answered = async (response: IncomingMessage): Promise<void> =>
      resolve({ status: response.statusCode ?? 0, text: Buffer.concat(await response.toArray()).toString() })
    get(
      url,
      { ca: readFileSync(join(data, 'ca.crt')), headers, agent: false },
      (response) => void answered(response),
    ).on('error', reject)
  })
}

const serve = (data: string, ...more: string[]): string[] => [
  'serve',
  '--data',
  data,
  '--listen',
  '127.0.0.1:0',
  ...more,
]

describe('stellwerk serve', () => {
  it('says where it is ready, answers there, and its process is the one that was started', async (t) => {
    const server = await startServerProcess(t)
    assert.match(server.url, /^https:\/\/127\.0\.0\.1:\d+$/)
    assert.deepEqual(await read(`${server.url}/readyz`, server.data), { status: 200, text: 'ok' })
    assert.equal(readFileSync(join(server.data, 'server.pid'), 'utf8').trim(), String(server.child.pid))
    assert.equal((await read(`${server.url}/apis`, server.data)).status, 401)
    assert.equal((await read(`${server.url}/apis`, server.data, tokenOf(server.data))).status, 200)
  })

  it('keeps what is secret from other users of the machine', async (t) => {
    const { data } = await startServerProcess(t)
    for (const name of ['admin.token', 'ca.key', 'server.key', 'secret.key', 'kubeconfig']) {
      assert.equal(statSync(join(data, name)).mode & 0o077, 0, name)
    }
  })

  it('writes a kubeconfig that needs no other file', async (t) => {
    const { data, url } = await startServerProcess(t)
    const text = readFileSync(join(data, 'kubeconfig'), 'utf8')
    assert.ok(text.includes(`server: ${url}\n`))
    assert.ok(text.includes(`token: ${tokenOf(data)}\n`))
    assert.ok(text.includes(Buffer.from(readFileSync(join(data, 'ca.crt'))).toString('base64')))
  })

  it('stops by itself on SIGTERM and SIGINT, also while someone watches', async (t) => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) {
      const server = await startServerProcess(t)
      const path = '/apis/event.cp.ei.vendor.de/v1/eventtypes?watch=1'
      const watch = read(server.url + path, server.data, tokenOf(server.data))
      while (
        !(await read(`${server.url}/metrics`, server.data, tokenOf(server.data))).text.includes('lane="watches"} 1')
      )
        continue
      const forced = setTimeout(() => server.child.kill('SIGKILL'), 5000)
      assert.equal(await server.stop(signal), 0)
      clearTimeout(forced)
      assert.equal((await watch).status, 200)
    }
  })

  it('finds everything again after a restart, also after kill -9', async (t) => {
    const data = temporaryDirectory(t)
    const first = await startServerProcess(t, [], data)
    const token = tokenOf(data)
    await first.stop('SIGKILL')
    const second = await startServerProcess(t, [], data)
    assert.equal(tokenOf(data), token)
    assert.equal((await read(`${second.url}/apis`, data, token)).status, 200)
  })

  it('serves the same API without TLS where asked, with the same token', async (t) => {
    const server = await startServerProcess(t, ['--http', '127.0.0.1:0', '--store', 'memory'])
    const url = /"url":"(http:[^"]+)"/.exec(server.stderr())?.[1] ?? ''
    const authorization = `Bearer ${tokenOf(server.data)}`
    assert.equal((await fetch(`${url}/apis`)).status, 401)
    assert.equal((await fetch(`${url}/apis`, { headers: { authorization } })).status, 200)
  })
})

describe('stellwerk serve refuses to start, with one sentence, when', () => {
  /** A single line that says what is wrong; never a stack. */
  const sentence = (stderr: string): string => {
    const said = stderr.split('\n').filter((line) => line !== '' && !line.startsWith('{'))
    assert.equal(said.length, 1, stderr)
    assert.match(said[0] ?? '', /^stellwerk: /)
    return said[0] ?? ''
  }

  it('the port is taken', async (t) => {
    const taken = createServer().listen(0, '127.0.0.1')
    t.after(() => taken.close())
    await new Promise((resolve) => taken.once('listening', resolve))
    const { port } = taken.address() as AddressInfo
    const { code, stderr, stdout } = await runToEnd([
      'serve',
      '--data',
      temporaryDirectory(t),
      '--listen',
      `127.0.0.1:${port}`,
    ])
    assert.deepEqual([code, stdout], [1, ''])
    assert.match(sentence(stderr), new RegExp(`127.0.0.1:${port}.*taken`))
  })

  it('another process uses the data directory', async (t) => {
    const server = await startServerProcess(t)
    const { code, stderr } = await runToEnd(serve(server.data))
    assert.equal(code, 1)
    assert.match(sentence(stderr), new RegExp(`in use by another process \\(${server.child.pid}\\)`))
    assert.equal((await read(`${server.url}/readyz`, server.data)).status, 200)
  })

  it('the data directory is a file', async (t) => {
    const path = join(temporaryDirectory(t), 'file')
    writeFileSync(path, '')
    const { code, stderr } = await runToEnd(serve(path))
    assert.equal(code, 1)
    assert.match(sentence(stderr), /not a directory/)
  })

  it('the store is corrupt, and leaves it as it is', async (t) => {
    const data = temporaryDirectory(t)
    writeFileSync(join(data, 'store.db'), 'this is not a database, it only looks like one'.repeat(100))
    const before = readFileSync(join(data, 'store.db'))
    const { code, stderr } = await runToEnd(serve(data))
    assert.equal(code, 1)
    sentence(stderr)
    assert.deepEqual(readFileSync(join(data, 'store.db')), before)
  })

  it('the key of the secrets is damaged', async (t) => {
    const data = temporaryDirectory(t)
    writeFileSync(join(data, 'secret.key'), 'short')
    const { code, stderr } = await runToEnd(serve(data))
    assert.equal(code, 1)
    assert.match(sentence(stderr), /secret\.key.*32 bytes/)
  })

  for (const [title, change, said] of [
    ['missing', (path: string) => rmSync(path), /secret\.key is missing: .*backup/],
    ['another one', (path: string) => writeFileSync(path, Buffer.alloc(32, 7)), /secret\.key is another key .*backup/],
  ] as const) {
    it(`the key of the secrets is ${title}, and makes no new one`, async (t) => {
      const server = await startServerProcess(t)
      await server.stop()
      const path = join(server.data, 'secret.key')
      const right = readFileSync(path)
      change(path)
      const { code, stderr } = await runToEnd(serve(server.data))
      assert.equal(code, 1)
      assert.match(sentence(stderr), said)
      assert.equal(existsSync(path), title !== 'missing')
      writeFileSync(path, right)
      assert.equal(await (await startServerProcess(t, [], server.data)).stop(), 0)
    })
  }

  const flags: Record<string, [args: string[], said: RegExp]> = {
    'the address makes no sense': [['--listen', 'nowhere'], /HOST:PORT/],
    'plain HTTP would leave the machine': [['--http', '0.0.0.0:0'], /loopback/],
    'the store is unknown': [['--store', 'paper'], /sqlite, memory/],
    'the issuer is no URL': [['--issuer-url', 'x'], /URL/],
    'a flag is unknown': [['--nope'], /nope/],
  }
  for (const [title, [args, said]] of Object.entries(flags)) {
    it(title, async (t) => {
      const { code, stderr } = await runToEnd(serve(temporaryDirectory(t), ...args))
      assert.equal(code, 1)
      assert.match(sentence(stderr), said)
    })
  }
})

describe('stellwerk', () => {
  it('prints the CRDs of our kinds as YAML', async () => {
    const { code, stdout } = await runToEnd(['crds'])
    assert.equal(code, 0)
    assert.match(stdout, /^ {2}name: eventtypes\.event\.cp\.ei\.vendor\.de$/m)
    assert.ok(!stdout.includes('name: namespaces.'))
  })

  it('explains itself with examples', async () => {
    for (const args of [['--help'], ['serve', '--help'], ['up', '--help']]) {
      const { code, stdout } = await runToEnd(args)
      assert.equal(code, 0)
      assert.match(stdout, /Examples?:\n/)
    }
  })
})
