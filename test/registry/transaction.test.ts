import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { isStatus } from '#domain/errors.ts'
import { Namespace } from '#domain/kinds/core/namespace.ts'
import { EventType } from '#domain/kinds/event/event-type.ts'
import { Client } from '#domain/kinds/identity/client.ts'
import type { Resource } from '#domain/object.ts'
import { registrySource } from '#registry/source.ts'
import { openMemoryStore } from '#store/memory.ts'
import { asAlice, asPlatform, body, eventType, type Fixture, fixture, PLATFORM, record } from './fixture.ts'
import { switchedStore } from './switched-store.ts'

const draft = (name: string, metadata: object = {}): Pick<Resource, 'metadata' | 'spec'> => ({
  metadata: { name, namespace: 'd', ...metadata },
  spec: { type: 'de.vendor.demo.v1', version: '1' },
})
const at = (name: string) => ({ namespace: 'd', name })
const get = ({ registry }: Fixture, name: string): Resource<any, any> => registry.get(EventType, at(name)).resource
const names = async ({ registry }: Fixture): Promise<string> =>
  (await registry.list(EventType, {})).items.map(({ resource }) => resource.metadata.name).join(' ')

describe('a transaction', () => {
  it('answers at once as the server will, and shows nothing to others before it is stored', async () => {
    const all = fixture()
    const transaction = all.registry.begin(asPlatform)
    const made = transaction.create(EventType, draft('a'))
    assert.match(made.metadata.uid ?? '', /^[0-9a-f-]{36}$/)
    assert.equal(made.metadata.generation, 1)
    assert.equal(await names(all), '')
    assert.equal(await transaction.commit(), undefined)
    const stored = get(all, 'a')
    assert.equal(stored.metadata.uid, made.metadata.uid)
    assert.match(stored.metadata.resourceVersion ?? '', /^\d+$/)
    assert.equal(all.registry.get(Namespace, { namespace: '', name: 'd' }).resource.metadata.name, 'd')
  })

  it('stores an object once however often it wrote it, and each under its own version', async () => {
    const all = fixture()
    const seen = record()
    await all.registry.watch(EventType, { resourceVersion: '0' }, seen.sink)
    const transaction = all.registry.begin(asPlatform)
    const a = transaction.create(EventType, draft('a'))
    const b = transaction.create(EventType, draft('b'))
    const changed = transaction.update(EventType, { ...a, spec: { type: 'de.vendor.demo.v1', version: '2' } })!
    transaction.updateStatus(EventType, { ...changed, status: { active: true } } as Resource)
    transaction.updateStatus(EventType, { ...b, status: { active: false } } as Resource)
    await transaction.commit()
    const { metadata, spec, status } = get(all, 'a')
    assert.deepEqual([metadata.generation, spec.version, status], [2, '2', { active: true }])
    assert.notEqual(metadata.resourceVersion, get(all, 'b').metadata.resourceVersion)
    await seen.until(({ events }) => events.length === 2)
    assert.deepEqual(
      seen.events.map(({ type, resource }) => `${type} ${resource.metadata.name}`),
      ['ADDED a', 'ADDED b'],
    )
  })

  it('refuses what the door refuses, and what it refused leaves no trace', async () => {
    const all = fixture()
    await all.registry.create(EventType, 'd', body(eventType('old')), asAlice)
    const transaction = all.registry.begin(asPlatform)
    const is =
      (reason: Parameters<typeof isStatus>[1]) =>
      (error: unknown): boolean =>
        isStatus(error, reason)
    assert.throws(() => transaction.create(EventType, { ...draft('bad'), spec: {} }), is('Invalid'))
    assert.throws(() => transaction.create(EventType, draft('old')), is('AlreadyExists'))
    const old = get(all, 'old')
    const stale = { ...old, metadata: { ...old.metadata, resourceVersion: '7777' } }
    assert.throws(() => transaction.update(EventType, stale), is('Conflict'))
    assert.throws(() => transaction.delete(EventType, at('old'), { uid: 'another' }), is('Conflict'))
    assert.throws(() => transaction.delete(EventType, at('none'), {}), is('NotFound'))
    const a = transaction.create(EventType, draft('a'))
    transaction.update(EventType, { ...a, spec: { type: 'de.vendor.demo.v1', version: '2' } })
    assert.throws(() => transaction.update(EventType, a), is('Conflict'), 'a version of before within the transaction')
    await transaction.commit()
    assert.equal(await names(all), 'a old')
  })

  it('names whom somebody else was faster with, and then stores nothing', async () => {
    const all = fixture()
    const { resource } = await all.registry.create(EventType, 'd', body(eventType('old')), asAlice)
    const transaction = all.registry.begin(asPlatform)
    transaction.create(EventType, draft('a'))
    transaction.updateStatus(EventType, { ...resource, status: { active: true } } as Resource)
    const labels = { faster: 'yes' }
    await all.registry.update(
      EventType,
      at('old'),
      body({ ...resource, metadata: { ...resource.metadata, labels } }),
      asAlice,
    )
    assert.deepEqual(await transaction.commit(), { kind: EventType, ref: at('old') })
    assert.equal(await names(all), 'old')
    assert.equal(get(all, 'old').status, undefined)
  })

  it('that finds its namespace made by somebody else names that', async () => {
    const all = fixture()
    const transaction = all.registry.begin(asPlatform)
    transaction.create(EventType, draft('a'))
    await all.registry.create(EventType, 'd', body(eventType('first')), asAlice)
    assert.deepEqual(await transaction.commit(), { kind: Namespace, ref: { namespace: '', name: 'd' } })
    assert.equal(await names(all), 'first')
  })

  it('that finds its namespace gone or going names that', async () => {
    const all = fixture()
    await all.registry.create(EventType, 'd', body(eventType('first')), asAlice)
    const transaction = all.registry.begin(asPlatform)
    transaction.create(EventType, draft('a'))
    await all.registry.delete(Namespace, { namespace: '', name: 'd' }, {}, asAlice)
    const closed = { kind: Namespace, ref: { namespace: '', name: 'd' } }
    assert.deepEqual(await transaction.commit(), closed)
    const late = all.registry.begin(asPlatform)
    assert.throws(
      () => late.create(EventType, draft('b')),
      (error) => isStatus(error, 'Forbidden'),
    )
    await all.registry.settled()
    assert.equal(await names(all), '')
    assert.deepEqual(await transaction.commit(), closed)
  })

  it('that finds its namespace gone and made again stores into that', async () => {
    const all = fixture()
    await all.registry.create(EventType, 'd', body(eventType('first')), asAlice)
    const transaction = all.registry.begin(asPlatform)
    transaction.create(EventType, draft('a'))
    await all.registry.delete(Namespace, { namespace: '', name: 'd' }, {}, asAlice)
    await all.registry.settled()
    await all.registry.create(EventType, 'd', body(eventType('second')), asAlice)
    assert.equal(await transaction.commit(), undefined)
    assert.equal(await names(all), 'a second')
  })

  it('names one namespace of several that is going, whoever came first into it', async () => {
    const all = fixture()
    for (const namespace of ['c', 'd'])
      await all.registry.create(EventType, namespace, body(eventType('first')), asAlice)
    const transaction = all.registry.begin(asPlatform)
    for (const [name, namespace] of [
      ['a', 'c'],
      ['b', 'd'],
      ['c', 'd'],
    ] as const)
      transaction.create(EventType, { ...draft(name), metadata: { name, namespace } })
    await all.registry.delete(Namespace, { namespace: '', name: 'd' }, {}, asAlice)
    assert.deepEqual(await transaction.commit(), { kind: Namespace, ref: { namespace: '', name: 'd' } })
  })

  it('is not held up by a namespace in which nothing it made is left', async () => {
    const all = fixture()
    for (const namespace of ['c', 'd'])
      await all.registry.create(EventType, namespace, body(eventType('first')), asAlice)
    const transaction = all.registry.begin(asPlatform)
    transaction.create(EventType, { ...draft('a'), metadata: { name: 'a', namespace: 'c' } })
    transaction.create(EventType, draft('brief'))
    transaction.delete(EventType, at('brief'), {})
    await all.registry.delete(Namespace, { namespace: '', name: 'd' }, {}, asAlice)
    assert.equal(await transaction.commit(), undefined)
    await all.registry.settled()
    assert.equal(await names(all), 'a first')
  })

  it('deletes: what has finalizers is marked, what has none is gone, what was never stored never was', async () => {
    const all = fixture()
    const finalizers = ['example.com/wait']
    await all.registry.create(EventType, 'd', body(eventType('held', { metadata: { finalizers } })), asAlice)
    await all.registry.create(EventType, 'd', body(eventType('free')), asAlice)
    const transaction = all.registry.begin(asPlatform)
    const marked = transaction.delete(EventType, at('held'), {})
    assert.ok(marked?.metadata.deletionTimestamp)
    assert.equal(transaction.delete(EventType, at('free'), {}), undefined)
    assert.throws(
      () => transaction.create(EventType, draft('free')),
      (error) => isStatus(error, 'AlreadyExists'),
    )
    transaction.create(EventType, draft('never'))
    assert.equal(transaction.delete(EventType, at('never'), {}), undefined)
    await transaction.commit()
    assert.equal(await names(all), 'held')
    const last = all.registry.begin(asPlatform)
    const { resource: held } = all.registry.get(EventType, at('held'))
    assert.equal(last.update(EventType, { ...held, metadata: { ...held.metadata, finalizers: [] } }), undefined)
    await last.commit()
    assert.equal(await names(all), '')
  })

  it('seals the secrets of what it stores, and only of that', async () => {
    const all = fixture()
    const spec = { clientId: 'c', realm: { name: 'r', namespace: 'd' } }
    const transaction = all.registry.begin(asPlatform)
    const client = transaction.create(Client, { metadata: { name: 'c', namespace: 'd' }, spec })
    const { clientSecret } = client.spec as { clientSecret: string }
    assert.match(clientSecret, /^\$<.*>$/)
    assert.equal(await all.registry.resolveSecret(clientSecret), undefined)
    const rotated = transaction.update(Client, { ...client, spec: { ...spec, clientSecret: 'a-new-one-12345678' } })
    await transaction.commit()
    const now = (rotated!.spec as { clientSecret: string }).clientSecret
    assert.equal(await all.registry.resolveSecret(now), 'a-new-one-12345678')
    assert.equal(await all.registry.resolveSecret(clientSecret), undefined)
  })

  it('lets what it writes refer to secrets it has not stored yet, and to none that were never given', async () => {
    const { registry } = fixture()
    const transaction = registry.begin(asPlatform)
    const client = (name: string, clientSecret: string) =>
      transaction.create(Client, {
        metadata: { name, namespace: 'd' },
        spec: { clientId: name, realm: { name: 'r', namespace: 'd' }, clientSecret },
      }) as Resource<{ clientSecret: string }>
    const { clientSecret } = client('a', 'opensesame').spec
    assert.equal(client('b', clientSecret).spec.clientSecret, clientSecret)
    const forged = clientSecret.replace(/.{22}>$/, `${'x'.repeat(22)}>`)
    assert.match(client('c', forged).spec.clientSecret, /^\$<Client\/d\/c\//, 'one of its own')
    assert.equal(await registry.resolveSecret(clientSecret), undefined)
    await transaction.commit()
    assert.equal(await registry.resolveSecret(clientSecret), 'opensesame')
  })

  it('on a store that is not well is a 503, and nothing of it is there', async () => {
    const store = switchedStore(openMemoryStore())
    const all = fixture(store)
    const transaction = all.registry.begin(asPlatform)
    transaction.create(EventType, draft('a'))
    transaction.create(EventType, draft('b'))
    store.refuses = (key) => key.endsWith('/b')
    await assert.rejects(transaction.commit(), (error) => isStatus(error, 'ServiceUnavailable'))
    assert.equal(await names(all), '')
  })

  it('is heard of by followers before it says that it is stored, in the form it was written', async () => {
    const { registry } = fixture()
    const source = registrySource(registry, PLATFORM)
    const stop = new AbortController()
    const heard: Resource[] = []
    const { promise, resolve } = Promise.withResolvers<void>()
    const follower = {
      snapshot: () => resolve(),
      changed: (changes: readonly { readonly resource: Resource }[]) =>
        void heard.push(...changes.map((c) => c.resource)),
    }
    const following = source.follow([EventType], follower, stop.signal)
    await promise
    const transaction = source.begin()
    const made = transaction.create(EventType, draft('a'))
    await transaction.commit()
    assert.equal(heard.length, 1)
    assert.equal(heard[0]!.spec, made.spec)
    assert.deepEqual(JSON.parse(Buffer.from(registry.get(EventType, at('a')).bytes).toString()), heard[0])
    stop.abort()
    await following
  })
})
