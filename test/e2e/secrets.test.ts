import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { KINDS } from '#domain/kinds/index.ts'
import { apiVersionOf, type Kind } from '#domain/kind.ts'
import { Connection, type Answer, type Target } from '#test/support/connection.ts'
import { startServerProcess, type ServerProcess } from '#test/support/server.ts'

/** A secret that can be found wherever it leaks. It has what generated secrets have, so that no rule refuses it. */
const CANARY = /Canary0[a-zA-Z0-9]+/
let planted = 0
const canary = (): string => `Canary0${planted++}xYz`

const zone = { name: 'blue', namespace: 'demo' }
const NS = 'demo--eni--shop'
const application = (name: string) => ({ name, namespace: NS })
const idp = {
  tokenEndpoint: 'https://idp.example/token',
  tokenRequest: 'client_secret_post',
  grantType: 'client_credentials',
}

/** One object for each field in which a person can put a secret; the platform copies them into the other kinds. */
const world = (): readonly (readonly [string, string, string, object])[] => [
  [
    'Zone',
    'demo',
    'blue',
    {
      visibility: 'Enterprise',
      gateway: {
        presets: [{ name: 'default', default: true, urls: [{ hostname: 'blue.gw.example', basePath: '/' }] }],
        admin: { url: 'https://admin.blue.example', clientSecret: canary() },
      },
      identityProvider: {
        url: 'https://idp.blue.example',
        admin: { clientId: 'admin', userName: 'root', password: canary() },
      },
      redis: { host: 'redis.blue.example', password: canary() },
    },
  ],
  [
    'RemoteOrganization',
    'demo',
    'partner',
    {
      id: 'partner',
      url: 'https://partner.example',
      clientId: 'us',
      clientSecret: canary(),
      issuerUrl: 'https://idp.partner.example',
      zone,
    },
  ],
  [
    'EventConfig',
    'demo--blue',
    'demo',
    {
      zone,
      local: {
        admin: { url: 'https://config.blue.example', client: { clientId: 'adm', clientSecret: canary() } },
        publishEventUrl: 'https://events.blue.example/publish',
        serverSendEventUrl: 'https://events.blue.example/sse',
      },
      mesh: { client: { clientId: 'cb', clientSecret: canary() } },
    },
  ],
  [
    'Team',
    'demo',
    'eni--shop',
    {
      name: 'shop',
      group: 'eni',
      email: 'shop@eni.example',
      members: [{ name: 'Ann', email: 'ann@eni.example' }],
      secret: canary(),
    },
  ],
  ['NotificationChannel', NS, 'eni--shop--hook', { webhook: { url: 'https://hooks.example/x', token: canary() } }],
  ['Application', NS, 'shop', { team: 'eni--shop', teamEmail: 'shop@eni.example', zone, secret: canary() }],
  [
    'ApiSpecification',
    NS,
    'eni-shop-v1',
    { basepath: '/eni/shop/v1', category: 'other', hash: 'x', specification: 'f', version: '1.0.0' },
  ],
  [
    'ApiSpecification',
    NS,
    'eni-post-v1',
    { basepath: '/eni/post/v1', category: 'other', hash: 'x', specification: 'f', version: '1.0.0' },
  ],
  ['ApiExposure', NS, 'shop--a', exposure('/eni/shop/v1', { basic: { username: 'u', password: canary() } })],
  [
    'ApiExposure',
    NS,
    'shop--b',
    exposure('/eni/post/v1', {
      externalIDP: { ...idp, client: { clientId: 'c', clientSecret: canary(), refreshToken: canary() } },
    }),
  ],
  ['ApiSubscription', NS, 'shop--s1', subscription('/eni/shop/v1', { basic: { username: 'u', password: canary() } })],
  ['ApiSubscription', NS, 'shop--s2', subscription('/eni/post/v1', { client: { clientId: 'c', clientKey: canary() } })],
  [
    'Rover',
    NS,
    'cart',
    {
      zone: 'blue',
      clientSecret: canary(),
      exposures: [
        {
          api: {
            basePath: '/eni/cart/v1',
            upstreams: [{ url: 'https://cart.example' }],
            visibility: 'World',
            approval: {},
            security: { m2m: { externalIDP: { ...idp, basic: { username: 'u', password: canary() } } } },
          },
        },
      ],
      subscriptions: [
        { api: { basePath: '/eni/shop/v1', security: { m2m: { client: { clientId: 'c', clientSecret: canary() } } } } },
      ],
    },
  ],
]

const exposure = (apiBasePath: string, m2m: object) => ({
  apiBasePath,
  upstreams: [{ url: 'https://up.example/x' }],
  visibility: 'World',
  approval: { strategy: 'Auto' },
  zone,
  traffic: {},
  security: { m2m },
  provider: application('shop'),
})
const subscription = (apiBasePath: string, m2m: object) => ({
  apiBasePath,
  requestor: { application: application('shop') },
  traffic: {},
  zone,
  security: { m2m },
})

const kindNamed = (name: string) => KINDS.find((kind) => kind.kind === name) ?? assert.fail(`no kind ${name}`)
const collection = (kindName: string, namespace: string): string => {
  const kind = kindNamed(kindName)
  return `/apis/${kind.group}/v1/namespaces/${namespace}/${kind.plural}`
}

test('a secret that went in comes out nowhere: not in reads, lists, watches, errors, logs, metrics or files', async (t) => {
  const server = await startServerProcess(t)
  const token = readFileSync(join(server.data, 'admin.token'), 'utf8').trim()
  const target = { url: server.url, token, ca: readFileSync(join(server.data, 'ca.crt'), 'utf8') }
  const connection = new Connection(target)
  await connection.open()
  const answers: string[] = []
  const send = async (...args: Parameters<Connection['request']>): Promise<Answer> => {
    const answer = await connection.request(...args)
    answers.push(answer.body.toString())
    return answer
  }

  const objects = world()
  for (const [kind, namespace, name, spec] of objects) {
    const object = JSON.stringify({
      apiVersion: apiVersionOf(kindNamed(kind)),
      kind,
      metadata: { name, namespace, annotations: lastApplied(spec) },
      spec,
    })
    const dry = await send('POST', `${collection(kind, namespace)}?dryRun=All`, object)
    assert.equal(dry.status, 201, `${kind}: ${dry.body.toString()}`)
    const created = await send('POST', collection(kind, namespace), object)
    assert.equal(created.status, 201, `${kind}: ${created.body.toString()}`)
  }
  assert.ok(planted >= 15)
  await untilQuiet(server, send)
  await provokeErrors(send)
  await readEverything(send)
  answers.push(...(await watchEverything(target)))
  await send('GET', '/metrics')
  connection.close()

  const routes = answers.filter((text) => text.includes('"kind":"RouteList"')).join('')
  assert.match(routes, /"password":"\$</, 'the platform copied a reference into a Route')
  for (const text of answers) assert.doesNotMatch(text, CANARY)
  assert.doesNotMatch(server.stderr(), CANARY)
  await server.stop()
  for (const file of readdirSync(server.data))
    assert.doesNotMatch(readFileSync(join(server.data, file), 'latin1'), CANARY, file)
})

const lastApplied = (spec: object) => ({ 'kubectl.kubernetes.io/last-applied-configuration': JSON.stringify({ spec }) })

type Send = (...args: Parameters<Connection['request']>) => Promise<Answer>

/** Waits until the engine has had its say: the queue is empty and the store has stood still between two looks. */
async function untilQuiet(server: ServerProcess, send: Send): Promise<void> {
  for (let before = ''; ;) {
    const metrics = (await send('GET', '/metrics')).body.toString()
    const revision = /^stellwerk_store_revision (\d+)/m.exec(metrics)?.[1] ?? assert.fail('no revision in /metrics')
    const depth = /^stellwerk_control_queue_depth (\d+)/m.exec(metrics)?.[1]
    if (depth === '0' && revision === before) return
    before = revision
    assert.equal(server.child.exitCode, null)
    await new Promise((resolve) => setTimeout(resolve, 500))
  }
}

/** Mistakes in and around secrets: what is wrong is said without saying the secret. */
async function provokeErrors(send: Send): Promise<void> {
  const shop = `${collection('Application', NS)}/shop`
  const json = 'application/json-patch+json'
  const merge = 'application/merge-patch+json'
  const tested = await send(
    'PATCH',
    shop,
    JSON.stringify([{ op: 'test', path: '/spec/secret', value: 'Canary03xYz' }]),
    json,
  )
  assert.ok(tested.status >= 400 || !CANARY.test(tested.body.toString()))
  const wrong = await send('PATCH', shop, JSON.stringify({ spec: { secret: [canary()] } }), merge)
  assert.equal(wrong.status, 422, wrong.body.toString())
  const foreign = await send(
    'PATCH',
    shop,
    JSON.stringify({ spec: { secret: '$<zones/demo/blue/spec.redis.password#abc>' } }),
    merge,
  )
  assert.equal(foreign.status, 422, foreign.body.toString())
  const both = { security: { m2m: { client: { clientId: 'c', clientSecret: canary(), clientKey: canary() } } } }
  assert.equal(
    (await send('PATCH', `${collection('ApiSubscription', NS)}/shop--s1`, JSON.stringify({ spec: both }), merge))
      .status,
    422,
  )
  const rotated = await send('PATCH', shop, JSON.stringify({ spec: { secret: 'rotate' } }), merge)
  assert.equal(rotated.status, 200, rotated.body.toString())
}

const everywhere = ({ group, plural }: Kind): string => `${group === '' ? '/api' : `/apis/${group}`}/v1/${plural}`

/** What watches of all kinds say within a second, at the same time. */
function watchEverything(target: Target): Promise<readonly string[]> {
  const watched = KINDS.map(async (kind) => {
    const connection = new Connection(target)
    await connection.open()
    const answer = await connection.request('GET', `${everywhere(kind)}?watch=true&resourceVersion=0&timeoutSeconds=1`)
    connection.close()
    assert.equal(answer.status, 200, kind.kind)
    return answer.body.toString()
  })
  return Promise.all(watched)
}

async function readEverything(send: Send): Promise<void> {
  for (const kind of KINDS) {
    const listed = await send('GET', everywhere(kind))
    assert.equal(listed.status, 200, kind.kind)
    for (const { metadata } of JSON.parse(listed.body.toString()).items)
      if (kind.scope === 'Namespaced' && kind.group !== '')
        await send('GET', `${collection(kind.kind, metadata.namespace)}/${metadata.name}`)
  }
}
