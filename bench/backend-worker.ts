import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { parentPort } from 'node:worker_threads'

/** A configuration backend with a token endpoint that agrees to everything; it only counts. */
let counts = { PUT: 0, DELETE: 0, POST: 0 }
const server = createServer((request, response) => {
  request.resume()
  request.on('end', () => {
    const method = request.method as keyof typeof counts
    counts[method]++
    if (method === 'POST') response.writeHead(200).end('{"access_token":"bench","expires_in":3600}')
    else response.writeHead(method === 'PUT' ? 200 : 204).end()
  })
})
server.keepAliveTimeout = 60_000
server.listen(0, '127.0.0.1', () =>
  parentPort?.postMessage(`http://127.0.0.1:${(server.address() as AddressInfo).port}`),
)
parentPort?.on('message', () => {
  parentPort?.postMessage(counts)
  counts = { PUT: 0, DELETE: 0, POST: 0 }
})
