// Stands in for what this version does not have yet: the issuer of the zones and the configuration backend of the events.
// It gives everybody a token, accepts every subscription and prints what it is told. For trying things out, on loopback only.
//   node examples/backend.mjs [port]
import { createServer } from 'node:http'

const port = Number(process.argv[2] ?? 8700)

async function answer(request, response) {
  let body = ''
  for await (const chunk of request) body += chunk
  const { method, url } = request
  console.log(method, url, method === 'PUT' ? body : '')
  if (method === 'POST' && url.endsWith('/token')) {
    response.setHeader('content-type', 'application/json')
    return response.end(JSON.stringify({ access_token: 'for-trying-out', token_type: 'Bearer', expires_in: 300 }))
  }
  const status = { PUT: 200, DELETE: 204 }[method] ?? 404
  return response.writeHead(status).end()
}

const server = createServer((request, response) => void answer(request, response).catch(() => response.destroy()))
server.listen(port, '127.0.0.1', () => {
  console.log(`issuer and event backend: http://127.0.0.1:${server.address().port}`)
})
