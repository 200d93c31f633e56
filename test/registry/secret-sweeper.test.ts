import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Application } from '#domain/kinds/application/application.ts'
import { Client } from '#domain/kinds/identity/client.ts'
import { apiVersionOf } from '#domain/kind.ts'
import { KINDS } from '#domain/kinds/index.ts'
import { fitsSecrets } from '#registry/key-check.ts'
import { kindPrefix, SECRET_ROOT, secretKey } from '#registry/keys.ts'
import type { PatchBody } from '#registry/registry.ts'
import { LOOK_AFTER_MS } from '#registry/secret-sweeper.ts'
import { openMemoryStore } from '#store/memory.ts'
import type { Store } from '#store/store.ts'
import { asAlice, asPlatform, body, fixture, SECRET_KEY, textOf, type Fixture } from './fixture.ts'
import { switchedStore } from './switched-store.ts'

const key = { namespace: 'd', name: 'a' }
const merge = (value: unknown): PatchBody => ({ type: 'merge', value, duplicates: [] })
const count = (store: Store): number => store.count(SECRET_ROOT)

const application = (name = 'a') => ({
  apiVersion: apiVersionOf(Application),
  kind: 'Application',
  metadata: { name },
  spec: { team: 'g--t', teamEmail: 't@example.com', zone: { name: 'z', namespace: 'e--z' } },
})
const client = (clientSecret: string, name = 'c') => ({
  apiVersion: apiVersionOf(Client),
  kind: 'Client',
  metadata: { name, namespace: 'd' },
  spec: { clientId: 'c', realm: { name: 'r', namespace: 'e--z' }, clientSecret },
})

async function start(store?: Store): Promise<Fixture & { readonly secret: string }> {
  const made = fixture(store)
  const { resource } = await made.registry.create(Application, 'd', body(application()), asAlice)
  return { ...made, secret: (resource.spec as { secret: string }).secret }
}

const lend = ({ registry, secret }: { registry: Fixture['registry']; secret: string }, name?: string) =>
  registry.create(Client, 'd', body(client(secret, name)), asPlatform)
const drop = ({ registry }: Fixture) => registry.delete(Application, key, {}, asAlice)

async function look({ clock, registry }: Fixture): Promise<void> {
  clock.advance(LOOK_AFTER_MS)
  await registry.settled()
}

describe('a sealed value', () => {
  it('lives as long as any object refers to it, whoever it was given to', async () => {
    const made = await start()
    await lend(made)
    await drop(made)
    // What was lent a moment ago is spared in any case.
    for (let i = 0; i < 4; i++) await look(made)
    assert.ok(await made.registry.resolveSecret(made.secret))
    await made.registry.delete(Client, { namespace: 'd', name: 'c' }, {}, asAlice)
    for (let i = 0; i < 4; i++) await look(made)
    assert.equal(await made.registry.resolveSecret(made.secret), undefined)
    assert.equal(count(made.store), 0)
    // It has been opened before, and is lent no more for that.
    const { resource } = await lend(made)
    assert.notEqual((resource.spec as { clientSecret: string }).clientSecret, made.secret)
    await made.registry.delete(Client, { namespace: 'd', name: 'c' }, {}, asAlice)
    for (let i = 0; i < 4; i++) await look(made)
    assert.equal(made.clock.pending, 0)
  })

  it('is looked for only after somebody let go of one, and once after a start', async () => {
    const made = await start()
    assert.equal(made.clock.pending, 0)
    await drop(made)
    assert.equal(made.clock.pending, 1)
    assert.ok(await made.registry.resolveSecret(made.secret), 'not at once')
    await made.registry.close()
    assert.equal(made.clock.pending, 0)
    const again = fixture(made.store)
    assert.equal(again.clock.pending, 1)
    await look(again)
    assert.equal(count(made.store), 0)
    assert.equal(again.clock.pending, 0)
    const { revision } = made.store
    await look(again)
    assert.equal(made.store.revision, revision)
  })

  it('stays while the write that refers to it is on its way when the look begins', async () => {
    const made = await start()
    await drop(made)
    const transaction = made.registry.begin(asPlatform)
    transaction.create(Client, client(made.secret))
    await look(made)
    assert.equal(await transaction.commit(), undefined)
    assert.ok(await made.registry.resolveSecret(made.secret))
    for (let i = 0; i < 4; i++) await look(made)
    assert.ok(await made.registry.resolveSecret(made.secret))
  })

  it('stays when it is lent while the look is under way', async () => {
    const made = await start()
    await drop(made)
    made.clock.advance(LOOK_AFTER_MS)
    await lend(made)
    await made.registry.settled()
    assert.ok(await made.registry.resolveSecret(made.secret))
  })

  it('is lent to nobody once its removal has begun', async () => {
    const store = switchedStore(openMemoryStore())
    const begun = Promise.withResolvers<void>()
    const held = Promise.withResolvers<void>()
    store.gate = (ops) => {
      if (!ops.every((op) => op.type === 'delete' && op.key.startsWith(SECRET_ROOT))) return undefined
      begun.resolve()
      return held.promise
    }
    const made = await start(store)
    await drop(made)
    made.clock.advance(LOOK_AFTER_MS)
    await begun.promise
    assert.ok(await made.registry.resolveSecret(made.secret))
    await lend(made).catch(() => undefined)
    held.resolve()
    await made.registry.settled()
    assert.equal(await made.registry.resolveSecret(made.secret), undefined)
    for (const { value } of store.entries(kindPrefix(Client))) assert.equal(textOf(value).includes(made.secret), false)
  })

  it('is never one of a kind that is unknown here, nor what tells which key fits', async () => {
    const store = openMemoryStore()
    assert.ok(await fitsSecrets(store, SECRET_KEY))
    const made = await start(store)
    await made.registry.close()
    const others = fixture(
      store,
      KINDS.filter((kind) => kind !== Application),
    )
    await look(others)
    assert.equal(count(store), 2)
    await others.registry.close()
    const again = fixture(store)
    assert.ok(await again.registry.resolveSecret(made.secret))
    await drop(again)
    await look(again)
    assert.equal(count(store), 1)
    assert.ok(store.get(secretKey('check')))
  })

  it('is found among many, and a store that takes no writes is asked again', async () => {
    const store = switchedStore(openMemoryStore())
    const made = await start(store)
    for (let i = 0; i < 350; i++) await made.registry.create(Application, 'd', body(application(`a${i}`)), asAlice)
    await drop(made)
    await made.registry.patch(Application, { ...key, name: 'a7' }, merge({ spec: { secret: 'another' } }), asAlice)
    await made.registry.patch(Application, { ...key, name: 'a7' }, merge({ spec: { secret: 'a third' } }), asAlice)
    store.refuses = () => true
    await look(made)
    assert.equal(count(store), 353)
    store.refuses = () => false
    await look(made)
    assert.equal(count(store), 351)
  })
})
