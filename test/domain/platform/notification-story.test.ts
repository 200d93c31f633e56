import assert from 'node:assert/strict'
import { afterEach, beforeEach, test } from 'node:test'
import type { HttpCall } from '#controllers/actuators/http-call.ts'
import { platformControllers } from '#controllers/platform.ts'
import { ApprovalRequest } from '#domain/kinds/approval/approval-request.ts'
import { KINDS } from '#domain/kinds/index.ts'
import { Notification } from '#domain/kinds/notification/notification.ts'
import { NotificationChannel } from '#domain/kinds/notification/notification-channel.ts'
import { NotificationTemplate } from '#domain/kinds/notification/notification-template.ts'
import { Team } from '#domain/kinds/organization/team.ts'
import { FINALIZER, type Resource } from '#domain/object.ts'
import type { Follower } from '#source/source.ts'
import { Garden } from '#test/control/fixture.ts'
import { Permit, Ticket, ticketControllers } from './ticket.ts'

const NS = 'poc--eni--pandora'
const HOOK = 'https://hooks.example/hyperion'

let garden: Garden
let calls: HttpCall[]
let status: number
/** As they came into the world. */
let created: Resource[]
let stop: AbortController

beforeEach(() => {
  calls = []
  created = []
  status = 200
  const send = async (call: HttpCall) => {
    calls.push(call)
    return { status, retryAfter: null, text: '' }
  }
  garden = new Garden({
    kinds: [...KINDS, Ticket, Permit],
    controllers: [...platformControllers({ send }), ...ticketControllers],
  }).start()
  stop = new AbortController()
  const changed: Follower['changed'] = (changes) =>
    created.push(...changes.filter(({ type }) => type === 'ADDED').map(({ resource }) => resource))
  void garden.source.follow(
    [Notification, NotificationChannel, ApprovalRequest],
    { snapshot: () => {}, changed },
    stop.signal,
  )
})
afterEach(async () => {
  stop.abort()
  await garden.stop()
  await garden.registry.close()
})

async function put(...args: Parameters<Garden['put']>): Promise<void> {
  await garden.put(...args)
  await garden.settle()
}
const team = (): Promise<void> =>
  put(
    Team,
    'eni--hyperion',
    { group: 'eni', name: 'hyperion', email: 'h@example.com', webhook: HOOK },
    { namespace: 'poc' },
  )
const ask = (): Promise<void> =>
  put(Ticket, 't', { team: 'eni--pandora', owner: 'eni--hyperion', strategy: 'Simple' }, { namespace: NS })
const notifications = async (): Promise<readonly Resource<any, any>[]> =>
  (await garden.registry.list(Notification, {})).items.map((item) => item.resource)

test('the deciders are told once, in the words of the template, and each channel is remembered', async () => {
  const purpose = 'approvalrequest--subscribe--created--decider'
  const words = { purpose, channelType: 'Webhook', subject: 'Please', body: '{{requester}} asks for {{target}}' }
  await put(NotificationTemplate, `${purpose}--callback`, words, { namespace: 'poc' })
  await team()
  await ask()
  assert.deepEqual(
    calls.map(({ method, url }) => `${method} ${url}`),
    [`POST ${HOOK}`],
  )
  const { subject, text } = JSON.parse(calls[0]?.body ?? '')
  assert.deepEqual([subject, text], ['Please', `eni--pandora asks for Ticket ${NS}/t`])
  const [told, ...others] = await notifications()
  assert.deepEqual(others, [])
  assert.deepEqual(
    told?.status.states.map(({ channel, sent }: any) => [channel, sent]),
    [
      ['poc--eni--hyperion/eni--hyperion--mail', true],
      ['poc--eni--hyperion/eni--hyperion--webhook', true],
    ],
  )
  await put(NotificationTemplate, `${purpose}--callback`, { ...words, body: 'other words' }, { namespace: 'poc' })
  await garden.advance(3_600_000)
  assert.equal(calls.length, 1, 'what changes later is no news')
})

test('a channel that does not answer is tried again, and blocks nothing but the notification', async () => {
  status = 503
  await team()
  await ask()
  const name = (await notifications())[0]?.metadata.name ?? ''
  assert.equal(garden.condition(Notification, name, 'Ready', NS).split('/')[0], 'False')
  assert.equal(garden.condition(Ticket, 't', 'Ready', NS), 'False/ApprovalPending')
  status = 200
  await garden.advance(3_600_000)
  assert.equal(garden.condition(Notification, name, 'Ready', NS), 'True/Provisioned')
  const sent = calls.length
  await garden.advance(3_600_000)
  assert.equal(calls.length, sent)
})

test('a team without a webhook is told at the channel of that name, with its token, and at no other', async () => {
  const spec = { group: 'eni', name: 'hyperion', email: 'h@example.com' }
  await put(Team, 'eni--hyperion', spec, { namespace: 'poc' })
  const channel = (url: string): object => ({ webhook: { url, token: 'hook-token' } })
  await put(NotificationChannel, 'eni--hyperion--webhook', channel(HOOK), { namespace: 'poc--eni--hyperion' })
  await put(NotificationChannel, 'night-shift', channel('https://other.example'), { namespace: 'poc--eni--hyperion' })
  await ask()
  assert.deepEqual(
    calls.map(({ url, headers }) => [url, headers?.['authorization']]),
    [[HOOK, 'Bearer hook-token']],
  )
})

test('a purpose a channel ignores is not sent there', async () => {
  await team()
  const channel = garden.find(NotificationChannel, 'eni--hyperion--webhook', 'poc--eni--hyperion')
  const deaf = { namespace: NS, name: 'deaf' }
  await put(NotificationChannel, deaf.name, { ...channel?.spec, ignore: ['fire'] }, { namespace: NS })
  const spec = { purpose: 'fire', sender: { type: 'System', name: 'System' }, channels: [deaf] }
  await put(Notification, 'n', spec, { namespace: NS })
  assert.deepEqual(calls, [])
  assert.equal(garden.condition(Notification, 'n', 'Ready', NS), 'True/Provisioned')
})

test('a child with an effect outside is created with its finalizer, others are created without', async () => {
  await team()
  await ask()
  const finalizers = (kind: string): unknown => created.find((o) => o.kind === kind)?.metadata.finalizers
  assert.deepEqual(finalizers('Notification'), [FINALIZER])
  assert.equal(finalizers('NotificationChannel'), undefined)
  assert.equal(finalizers('ApprovalRequest'), undefined)
})
