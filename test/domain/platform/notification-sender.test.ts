import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ActuatorContext } from '#control/actuator.ts'
import { notificationSender } from '#controllers/actuators/notification-sender.ts'
import type { HttpCall } from '#controllers/actuators/http-call.ts'
import type { Message } from '#domain/plan/notification-message.ts'
import { createLog } from '#lib/log.ts'

const lines: string[] = []
const context: ActuatorContext = {
  signal: new AbortController().signal,
  log: createLog({ destination: { write: (line) => void lines.push(line) } }),
  resolveSecret: async (reference) => (reference === '$<t>' ? 'opensesame' : undefined),
  readFile: async () => undefined,
}
const self = { apiVersion: '', kind: 'Notification', metadata: { name: 'n', uid: 'u' }, spec: {} as never }
const text = { purpose: 'p', subject: 's', body: 'b', properties: { a: '1' } }
const mail: Message = { ...text, channel: 'n/mail', to: { type: 'email', recipients: ['a@example.com'] } }
const hook = (name: string): Message => ({
  ...text,
  channel: `n/${name}`,
  to: { type: 'webhook', url: `https://hooks.example.com/${name}`, token: '$<t>' },
})

const MAIL_STATE = 'Written to the log of the server: this version sends no mail'

function sender(statuses: Readonly<Record<string, number>>) {
  const calls: HttpCall[] = []
  const actuator = notificationSender({
    clock: { now: () => Date.UTC(2026, 0, 1) },
    send: async (call) => {
      calls.push(call)
      const status = statuses[new URL(call.url).pathname.slice(1)] ?? 200
      if (status === 0) throw Object.assign(new Error('x'), { code: 'ECONNREFUSED' })
      return { status, retryAfter: null, text: '' }
    },
  })
  return { actuator, calls }
}

test('a webhook gets the message with its token, mail goes to the log, and both are remembered', async () => {
  const { actuator, calls } = sender({})
  const result = await actuator.apply(self, { messages: [mail, hook('a')] }, context)
  assert.deepEqual(result, {
    type: 'ok',
    status: {
      states: [
        { channel: 'n/mail', sent: true, message: MAIL_STATE, sentAt: '2026-01-01T00:00:00Z' },
        { channel: 'n/a', sent: true, sentAt: '2026-01-01T00:00:00Z' },
      ],
    },
  })
  assert.equal(calls[0]?.headers['authorization'], 'Bearer opensesame')
  assert.deepEqual(JSON.parse(calls[0]?.body ?? ''), { purpose: 'p', subject: 's', text: 'b', properties: { a: '1' } })
  const [logged, ...more] = lines.filter((l) => l.includes('"msg":"mail"')).map((l) => JSON.parse(l))
  assert.deepEqual([logged.to, logged.subject, logged.text, more], [['a@example.com'], 's', 'b', []])
  assert.ok(!lines.join('').includes('opensesame'))
})

test('what got through before another channel failed is not sent again', async () => {
  const statuses = { b: 500 }
  const { actuator, calls } = sender(statuses)
  const effect = { messages: [hook('a'), hook('b')] }
  assert.equal((await actuator.apply(self, effect, context)).type, 'retry')
  statuses.b = 200
  assert.equal((await actuator.apply(self, effect, context)).type, 'ok')
  assert.deepEqual(
    calls.map((c) => new URL(c.url).pathname),
    ['/a', '/b', '/b'],
  )
})

test('busy is tried again later, unreachable with back-off, refused only after a change', async () => {
  const type = async (status: number) =>
    (await sender({ a: status }).actuator.apply(self, { messages: [hook('a')] }, context)).type
  assert.equal(await type(429), 'retryAfter')
  assert.equal(await type(503), 'retryAfter')
  assert.equal(await type(500), 'retry')
  assert.equal(await type(0), 'retry')
  assert.equal(await type(403), 'blocked')
  assert.equal(await type(302), 'blocked')
})
