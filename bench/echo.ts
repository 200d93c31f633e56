import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { makeAuthority, makeServerCertificate } from '#apiserver/credentials/certificates.ts'

/** Answers a GET with a fixed kilobyte and a POST with the JSON it was sent: what HTTPS and JSON alone cost here. */
const fixed = JSON.stringify({ text: 'x'.repeat(900) })
const authority = makeAuthority()
const { key, cert } = makeServerCertificate(authority, ['127.0.0.1'])

const server = createServer({ key, cert }, (request, response) => {
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', () => {
    const body = chunks.length === 0 ? fixed : JSON.stringify(JSON.parse(Buffer.concat(chunks).toString()))
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) })
    response.end(body)
  })
})
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`https://127.0.0.1:${(server.address() as AddressInfo).port}\n`)
})
process.on('SIGTERM', () => process.exit(0))
