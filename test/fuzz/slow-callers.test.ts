import assert from 'node:assert/strict'
import { connect, type Socket } from 'node:net'
import { test, type TestContext } from 'node:test'
import { connect as connectTls } from 'node:tls'
import { collectionPath } from './case.ts'
import { EventType } from '#domain/kinds/event/event-type.ts'
import { type PlainServer, startPlainServer } from './plain-server.ts'
import { parseReply, type Reply } from './reply.ts'

const PATH = collectionPath(EventType)
const full = process.env.STELLWERK_FUZZ_FULL !== undefined

/** A connection that does as it is told, and everything it got. */
class Caller {
  readonly socket: Socket
  #parts: Buffer[] = []
  readonly closed: Promise<void>

  constructor({ address }: Pick<PlainServer, 'address'>, t: TestContext, tls = false) {
    const options = { ...address, noDelay: true, allowHalfOpen: true }
    this.socket = tls ? connectTls({ ...options, rejectUnauthorized: false }) : connect(options)
    this.socket.on('data', (chunk: Buffer) => this.#parts.push(chunk))
    this.socket.on('error', () => undefined)
    this.closed = new Promise((resolve) => {
      this.socket.once('end', () => this.socket.end())
      this.socket.once('close', () => resolve())
    })
    t.after(() => this.socket.destroy())
  }

  get received(): Buffer {
    return Buffer.concat(this.#parts)
  }

  /** Writes a little again and again, until the server has had enough. */
  async dribble(text: string, everyMs: number): Promise<Reply | undefined> {
    const timer = setInterval(() => this.socket.writable && this.socket.write(text), everyMs)
    await this.closed
    clearInterval(timer)
    return parseReply(this.received, 'GET', true)
  }

  /** Resolves with what arrived by the time `enough` is content or the server is. */
  async until(enough: (received: Buffer) => boolean): Promise<Buffer> {
    await Promise.race([
      this.closed,
      new Promise<void>((resolve) => {
        const look = (): void => (enough(this.received) ? resolve() : undefined)
        this.socket.on('data', look)
        look()
      }),
    ])
    return this.received
  }
}

const head = (server: PlainServer, method: string, path: string): string =>
  `${method} ${path} HTTP/1.1\r\nHost: ${server.address.host}\r\nAuthorization: Bearer ${server.token}\r\n`

/** One honest request from beginning to end. */
async function honest(server: PlainServer, t: TestContext): Promise<number> {
  const caller = new Caller(server, t)
  caller.socket.write(`${head(server, 'GET', PATH)}Connection: close\r\n\r\n`)
  await caller.closed
  return parseReply(caller.received, 'GET', true)?.status ?? 0
}

test('callers that dribble their heads or say nothing are dropped, and nobody waits for them', async (t) => {
  const server = await startPlainServer(t)
  const dribbling = Array.from({ length: 150 }, () => {
    const caller = new Caller(server, t)
    caller.socket.write(`GET ${PATH} HTTP/1.1\r\n`)
    return caller.dribble('X-More: x\r\n', 500)
  })
  const silent = Array.from({ length: 150 }, () => new Caller(server, t).dribble('', 1000))
  const statuses = await Promise.all(Array.from({ length: 20 }, () => honest(server, t)))
  assert.deepEqual(new Set(statuses), new Set([200]), 'others are served meanwhile')
  const replies = await Promise.all(dribbling)
  for (const reply of replies) {
    assert.equal(reply?.status, 408)
    assert.equal(JSON.parse(reply.body.toString()).kind, 'Status')
  }
  await Promise.all(silent)
  assert.equal(await honest(server, t), 200)
})

/** The first bytes of a handshake that says it is longer. */
const HALF_A_HELLO = Buffer.from('16030102000100', 'hex')

test('callers that do not come to an end with TLS, or say nothing in it, are dropped', async (t) => {
  const server = await startPlainServer(t)
  const secure = { address: server.secure }
  const callers = Array.from({ length: 30 }, () => [
    new Caller(secure, t),
    new Caller(secure, t),
    new Caller(secure, t, true),
  ])
  for (const [, half] of callers) half?.socket.write(HALF_A_HELLO)
  const dribbling = new Caller(secure, t, true)
  dribbling.socket.write(`GET ${PATH} HTTP/1.1\r\n`)
  const late = dribbling.dribble('X-More: x\r\n', 500)
  assert.equal(await honest(server, t), 200)
  assert.equal((await late)?.status, 408)
  await Promise.all(callers.flat().map(({ closed }) => closed))
  assert.equal(await honest(server, t), 200)
})

test('callers that dribble their bodies hold up nobody, and are dropped', async (t) => {
  const server = await startPlainServer(t)
  const dribbling = Array.from({ length: 50 }, () => {
    const caller = new Caller(server, t)
    caller.socket.write(
      `${head(server, 'POST', PATH)}Content-Type: application/json\r\nContent-Length: 100000\r\n\r\n{`,
    )
    return { caller, ended: caller.dribble(' ', 500) }
  })
  const statuses = await Promise.all(Array.from({ length: 20 }, () => honest(server, t)))
  assert.deepEqual(new Set(statuses), new Set([200]), 'others are served meanwhile')
  // A body may take a minute: too long for every run.
  if (full) for (const { ended } of dribbling) assert.equal((await ended)?.status, 408)
  else for (const { caller } of dribbling) caller.socket.destroy()
  assert.equal(await honest(server, t), 200)
})

test('a body that ends early creates nothing and harms nobody', async (t) => {
  const server = await startPlainServer(t)
  const body = JSON.stringify({
    apiVersion: 'event.cp.ei.vendor.de/v1',
    kind: 'EventType',
    metadata: { name: 'cut' },
    spec: { type: 'cut.v1', version: '1' },
  })
  for (const end of ['end', 'destroy', 'resetAndDestroy'] as const) {
    const caller = new Caller(server, t)
    caller.socket.write(
      `${head(server, 'POST', PATH)}Content-Type: application/json\r\nContent-Length: ${body.length + 1}\r\n\r\n${body}`,
    )
    caller.socket[end]()
    await caller.closed
  }
  assert.equal(await honest(server, t), 200)
  const list = new Caller(server, t)
  list.socket.write(`${head(server, 'GET', PATH)}Connection: close\r\n\r\n`)
  await list.closed
  assert.deepEqual(JSON.parse(parseReply(list.received, 'GET', true)?.body.toString() ?? '').items, [])
})

test('a caller that closed its half after a complete request gets the answer, or at least an end', async (t) => {
  const server = await startPlainServer(t)
  const caller = new Caller(server, t)
  caller.socket.end(`${head(server, 'GET', PATH)}\r\n`)
  await caller.closed
  t.diagnostic(`answered ${parseReply(caller.received, 'GET', true)?.status ?? 'nothing'}`)
  assert.equal(await honest(server, t), 200)
})

test('pipelined requests are answered in order, each by its own answer', async (t) => {
  const server = await startPlainServer(t)
  const caller = new Caller(server, t)
  const paths = [PATH, '/nowhere', '/version', `${PATH}/nobody`, '/healthz', `${PATH}?limit=x`]
  const last = `${head(server, 'GET', '/version')}Connection: close\r\n\r\n`
  caller.socket.write(paths.map((path) => `${head(server, 'GET', path)}\r\n`).join('') + last)
  await caller.closed
  const statuses = [...caller.received.toString('latin1').matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) =>
    Number(status),
  )
  assert.deepEqual(statuses, [200, 404, 200, 404, 200, 400, 200])
})

test('a flood of connections is survived', async (t) => {
  const server = await startPlainServer(t)
  const watch = `${head(server, 'GET', `${PATH}?watch=true&timeoutSeconds=60`)}\r\n`
  const idle = Array.from({ length: 300 }, () => new Caller(server, t))
  const watching = Array.from({ length: 300 }, () => new Caller(server, t))
  for (const caller of watching) caller.socket.write(watch)
  const heads = await Promise.all(watching.map((caller) => caller.until((bytes) => bytes.includes('\r\n\r\n'))))
  for (const bytes of heads) assert.match(bytes.toString('latin1'), /^HTTP\/1\.1 200/)
  assert.equal(await honest(server, t), 200)
  for (const caller of [...idle, ...watching]) caller.socket.destroy()
  assert.equal(await honest(server, t), 200)
  assert.equal(server.ended(), undefined)
})
