import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import { makeAuthority, makeServerCertificate } from '#apiserver/credentials/certificates.ts'
import { findObstacle } from './requester.ts'

function play(url: string): Promise<{ code: unknown; stdout: string; stderr: string }> {
  const args = [join(import.meta.dirname, 'play.ts'), '--base-url', url, '--token', 'x']
  return new Promise((resolve) =>
    execFile(process.execPath, args, (error, stdout, stderr) => resolve({ code: error?.code, stdout, stderr })),
  )
}

test('a certificate that nobody vouches for is said to be the obstacle, instead of hundreds of differences', async (t) => {
  const authority = makeAuthority()
  const server = createServer(makeServerCertificate(authority, ['127.0.0.1']), (_request, response) => response.end())
  t.after(() => server.close())
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`
  const { code, stdout, stderr } = await play(url)
  assert.deepEqual([code, stdout], [2, ''])
  assert.match(stderr, /certificate of \S+ is not trusted: .*--ca/)
  assert.equal(await findObstacle({ url, token: 'x', ca: authority.cert }), undefined)
  assert.equal(await findObstacle({ url, token: 'x', insecure: true }), undefined)
})

test('a server that is not there is said to be the obstacle', async () => {
  const server = createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`
  await new Promise((resolve) => server.close(resolve))
  const { code, stderr } = await play(url)
  assert.equal(code, 2)
  assert.match(stderr, /does not answer: .*ECONNREFUSED/)
})
