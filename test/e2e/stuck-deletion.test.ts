import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { findCondition } from '#domain/condition.ts'
import { EventExposure } from '#domain/kinds/event/event-exposure.ts'
import { EventSubscription } from '#domain/kinds/event/event-subscription.ts'
import type { Condition } from '#domain/object.ts'
import {
  application,
  callbackSubscriber,
  eventType,
  exposure,
  exposureRef,
  local,
  subscriptionRef,
  zone,
} from '#test/domain/event/drafts.ts'
import { Connection } from '#test/support/connection.ts'
import { tokenOf } from '#test/support/server.ts'
import { EventWorld } from './event-world.ts'

const own = subscriptionRef('app')
const OWN = `/apis/event.cp.ei.vendor.de/v1/namespaces/${own.namespace}/eventsubscriptions/${own.name}`
const NAMESPACE = `/api/v1/namespaces/${own.namespace}`

/** A subscription that is served, and a backend that takes its time to end that. */
async function served(t: TestContext) {
  const world = await EventWorld.start(t)
  await world.create(zone('b'), zone('c'), local('b'), local('c'))
  await world.create(application('shop', 'b'), eventType(), exposure('b'))
  await world.untilReady(EventExposure, exposureRef())
  await world.create(...callbackSubscriber('app', 'c'))
  await world.untilReady(EventSubscription, own)
  const { url, data } = world.server
  const connection = new Connection({ url, token: tokenOf(data), ca: readFileSync(join(data, 'ca.crt'), 'utf8') })
  await connection.open()
  t.after(() => connection.close())
  const get = async (path: string): Promise<any> => {
    const { status, body } = await connection.request('GET', path)
    return status === 404 ? undefined : JSON.parse(body.toString())
  }
  const until = async (path: string, holds: (object: any) => boolean): Promise<any> => {
    for (let object = await get(path); ; object = await get(path)) if (holds(object)) return object
  }
  const gate = Promise.withResolvers<void>()
  world.backend.gate = gate.promise
  return { connection, get, until, release: gate.resolve }
}

const condition = (object: any, type: string): Condition | undefined => findCondition(object?.status?.conditions, type)

test('what is deleted in the foreground and waits says for what, and its story stays until it is gone', async (t) => {
  const { connection, until, release } = await served(t)
  const storyOf = ({ items }: any): readonly string[] =>
    items
      .filter((e: any) => e.involvedObject.name === own.name && e.involvedObject.kind === 'EventSubscription')
      .map((e: any) => `${e.reason}: ${e.message}`)
  const events = `${NAMESPACE}/events`
  await until(events, (list) => storyOf(list).includes('Provisioned: Provisioned'))
  await connection.request('DELETE', OWN, '{"propagationPolicy":"Foreground"}')
  const stuck = await until(OWN, (object) => condition(object, 'Terminating') !== undefined)
  const { message } = condition(stuck, 'Terminating')!
  assert.match(message, /^Waiting until .*Subscriber .*deleted/)
  const told = storyOf(await until(events, (list) => storyOf(list).includes(`DependentsRemaining: ${message}`)))
  assert.ok(told.includes('Provisioned: Provisioned'), told.join('\n'))
  release()
  await until(OWN, (object) => object === undefined)
  await until(events, (list) => storyOf(list).length === 0)
})

test('a namespace that cannot go names the kind and the finalizer it waits for', async (t) => {
  const { connection, until, release } = await served(t)
  await connection.request('DELETE', NAMESPACE)
  const stuck = await until(NAMESPACE, (object) => condition(object, 'NamespaceContentRemaining') !== undefined)
  assert.match(condition(stuck, 'NamespaceContentRemaining')!.message, /subscribers\.pubsub\.cp\.ei\.vendor\.de has 1 /)
  assert.match(condition(stuck, 'NamespaceFinalizersRemaining')!.message, /cp\.ei\.vendor\.de\/\S+ in 1 /)
  release()
  await until(NAMESPACE, (object) => object === undefined)
})
