import assert from 'node:assert/strict'
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { afterEach, test } from 'node:test'
import { failureOf, type HttpCall, Unreached } from '#controllers/actuators/http-call.ts'
import { sendHttp } from '#controllers/actuators/send-http.ts'

let close: () => Promise<void> = () => Promise.resolve()
afterEach(() => close())

async function serving(listener: RequestListener): Promise<string> {
  const server = createServer(listener)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  close = async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
}

const call = (url: string, more: Partial<HttpCall> = {}): HttpCall => ({
  method: 'PUT',
  url,
  headers: { 'content-type': 'text/plain' },
  body: 'grüße',
  timeoutMs: 10_000,
  ...more,
})

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString()
}

test('a call brings method, headers and body, and the answer its status, text and when to come back', async () => {
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const text = `${request.method} ${request.headers['content-type']} ${await bodyOf(request)}`
    response.writeHead(503, { 'retry-after': '7' }).end(text)
  }
  const url = await serving((request, response) => void answer(request, response))
  assert.deepEqual(await sendHttp(call(url)), { status: 503, retryAfter: '7', text: 'PUT text/plain grüße' })
})

test('calls one after the other use one connection', async () => {
  const sockets = new Set<unknown>()
  const url = await serving((request, response) => {
    sockets.add(request.socket)
    request.resume().on('end', () => response.end('ok'))
  })
  for (let i = 0; i < 5; i++) await sendHttp(call(url))
  assert.equal(sockets.size, 1)
})

test('a kept connection that the other side has closed is not a failure; a new one that breaks is', async () => {
  let calls = 0
  const answer = (request: IncomingMessage, response: ServerResponse): void => {
    calls++
    if (calls === 2 || calls > 3) request.socket.resetAndDestroy()
    else request.resume().on('end', () => response.end('ok'))
  }
  const url = await serving(answer)
  assert.equal((await sendHttp(call(url))).text, 'ok')
  assert.equal((await sendHttp(call(url))).text, 'ok')
  assert.equal(calls, 3)
  await assert.rejects(sendHttp(call(url)), (error) => failureOf(error) === 'ECONNRESET')
  assert.equal(calls, 5)
})

test('a redirect is an answer, and nobody follows it', async () => {
  const seen: string[] = []
  const url = await serving((request, response) => {
    seen.push(request.url ?? '')
    response.writeHead(307, { location: '/elsewhere' }).end()
  })
  assert.equal((await sendHttp(call(url))).status, 307)
  assert.deepEqual(seen, ['/'])
})

test('no answer in time, half an answer and a stop end the call', async () => {
  const url = await serving((request, response) => {
    if (request.url === '/half') response.writeHead(200, { 'content-length': '10' }).write('half')
    if (request.url === '/half') setImmediate(() => request.socket.destroy())
  })
  await assert.rejects(sendHttp(call(url, { timeoutMs: 20 })), (error) => failureOf(error) === 'no answer in time')
  await assert.rejects(sendHttp(call(`${url}half`)))
  const stop = new AbortController()
  const stopped = sendHttp(call(url, { signal: stop.signal }))
  stop.abort()
  await assert.rejects(stopped, { name: 'AbortError' })
  await assert.rejects(sendHttp(call(url, { signal: stop.signal })), { name: 'AbortError' })
})

test('only the beginning of an endless answer is read', async () => {
  const url = await serving((_, response) => {
    const more = (): void => {
      while (!response.destroyed && response.write('x'.repeat(10_000)));
      response.once('drain', more)
    }
    more()
  })
  const { status, text } = await sendHttp(call(url))
  assert.equal(status, 200)
  assert.ok(text.length > 0 && text.length <= 64 * 1024)
})

test('what is not HTTP is refused, and a port where nobody listens is named', async () => {
  await assert.rejects(sendHttp(call('ftp://127.0.0.1/x')), (error) => /ftp: is no protocol/.test(failureOf(error)))
  const url = await serving(() => {})
  await close()
  close = () => Promise.resolve()
  await assert.rejects(sendHttp(call(url)), (error) => failureOf(error) === 'ECONNREFUSED')
})

test('nobody to send anything to is told apart from somebody who does not answer', async () => {
  const url = await serving((request) => void request.resume())
  const unanswered = await sendHttp(call(url, { timeoutMs: 50 })).catch((error: unknown) => error)
  assert.deepEqual([unanswered instanceof Unreached, failureOf(unanswered)], [false, 'no answer in time'])
  await close()
  const refused = await sendHttp(call(url)).catch((error: unknown) => error)
  assert.deepEqual([refused instanceof Unreached, failureOf(refused)], [true, 'ECONNREFUSED'])
  for (const address of ['ftp://127.0.0.1/', 'nowhere']) await assert.rejects(sendHttp(call(address)), Unreached)
})

test('a server without TLS where TLS is expected gets nothing', async () => {
  const url = (await serving((_, response) => response.end())).replace('http:', 'https:')
  await assert.rejects(sendHttp(call(url)), Unreached)
})
