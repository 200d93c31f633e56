import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { Application } from '#domain/kinds/application/application.ts'
import { ApiSubscription } from '#domain/kinds/api/api-subscription.ts'
import { Rover } from '#domain/kinds/rover/rover.ts'
import { createRegistry } from '#registry/create-registry.ts'
import { LAST_APPLIED } from '#registry/last-applied.ts'
import type { PatchBody, WriteContext } from '#registry/registry.ts'
import { SECRET_ROOT } from '#registry/keys.ts'
import { LOOK_AFTER_MS } from '#registry/secret-sweeper.ts'
import { openSqliteStore } from '#store/sqlite.ts'
import type { Store } from '#store/store.ts'
import { asAlice, asPlatform, body, fixture, refusal, SECRET_KEY, textOf, type Fixture } from './fixture.ts'

const CANARY = 'hunter2-canary-0815'
const key = { namespace: 'd', name: 'a' }
const REFERENCE = /^\$<Application\/d\/a\/spec\.secret\/[A-Za-z0-9_-]{22}>$/
const merge = (value: unknown): PatchBody => ({ type: 'merge', value, duplicates: [] })

const application = (spec: object = {}, metadata: object = {}): object => ({
  apiVersion: 'application.cp.ei.vendor.de/v1',
  kind: 'Application',
  metadata: { name: 'a', ...metadata },
  spec: { team: 'g--t', teamEmail: 't@example.com', zone: { name: 'z', namespace: 'e--z' }, ...spec },
})

const subscription = (m2m: object): object => ({
  apiVersion: 'api.cp.ei.vendor.de/v1',
  kind: 'ApiSubscription',
  metadata: { name: 'a' },
  spec: {
    apiBasePath: '/x/v1',
    requestor: { application: { name: 'a', namespace: 'd' } },
    traffic: {},
    zone: { name: 'z', namespace: 'e--z' },
    security: { m2m },
  },
})

const specOf = ({ registry }: Fixture): { secret: string; rotatedSecret?: string } =>
  registry.get(Application, key).resource.spec as { secret: string; rotatedSecret?: string }

async function start(spec: object = { secret: CANARY }): Promise<Fixture> {
  const made = fixture()
  await made.registry.create(Application, 'd', body(application(spec)), asAlice)
  return made
}

/** The look for secrets nobody refers to. */
async function sweep({ clock, registry }: Fixture): Promise<void> {
  clock.advance(LOOK_AFTER_MS)
  await registry.settled()
}

const secretCount = (store: Store): number => store.count(SECRET_ROOT)

/** Everything the store ever held, as text. */
async function allBytes(store: Store): Promise<string> {
  const texts: string[] = []
  const watch = await store.watch('', 0, (changes) => void texts.push(...changes.map(({ value }) => textOf(value))))
  watch.close()
  return texts.join('\n')
}

describe('secrets', () => {
  it('are not looked for in an object where a list of things with secrets is expected', async () => {
    const { registry } = fixture()
    const rover = {
      apiVersion: 'rover.cp.ei.vendor.de/v1',
      kind: 'Rover',
      metadata: { name: 'a' },
      spec: { zone: 'z', exposures: { a: 1 } },
    }
    const failure = await refusal(registry.create(Rover, 'd', body(rover), asAlice))
    assert.equal(failure.code, 422)
  })
  it('are the only places where a text in the form of a reference is excused from the rules', async () => {
    const { registry } = fixture()
    const teamEmail = '$<Application/d/a/spec.secret/AAAAAAAAAAAAAAAAAAAAAA>'
    const failure = await refusal(registry.create(Application, 'd', body(application({ teamEmail })), asAlice))
    assert.equal(failure.details?.causes?.[0]?.field, 'spec.teamEmail')
  })

  it('are replaced by a readable reference and found behind it', async () => {
    const made = await start()
    const { secret } = specOf(made)
    assert.match(secret, REFERENCE)
    assert.equal(await made.registry.resolveSecret(secret), CANARY)
    assert.equal((await allBytes(made.store)).includes(CANARY), false)
  })

  it('are generated where the field says so: 36 characters of all classes', async () => {
    const made = await start({})
    const clear = (await made.registry.resolveSecret(specOf(made).secret)) ?? ''
    assert.match(clear, /^trd_[A-Za-z0-9]{32}$/)
    for (const part of [/[a-z]/, /[A-Z]/, /\d/]) assert.match(clear.slice(4), part)
  })

  it('stay when left out, when sent back as read, and when the same clear text comes again', async () => {
    const made = await start()
    const { revision } = made.store
    const { resource } = made.registry.get(Application, key)
    const resend = (secret: string | undefined): Promise<unknown> =>
      made.registry.update(
        Application,
        key,
        body({ ...resource, spec: { ...(resource.spec as object), secret } }),
        asAlice,
      )
    await resend(specOf(made).secret)
    await resend(CANARY)
    await resend(undefined)
    assert.equal(made.store.revision, revision)
    assert.equal(secretCount(made.store), 1)
  })

  it('change with another clear text or "rotate"; the kind keeps the previous one aside, older ones are removed in time', async () => {
    const made = await start()
    const first = specOf(made).secret
    await made.registry.patch(Application, key, merge({ spec: { secret: 'rotate' } }), asAlice)
    const second = specOf(made)
    assert.notEqual(second.secret, first)
    assert.equal(second.rotatedSecret, first)
    assert.match((await made.registry.resolveSecret(second.secret)) ?? '', /^trd_/)
    assert.equal(await made.registry.resolveSecret(first), CANARY)
    await made.registry.patch(Application, key, merge({ spec: { secret: 'another-canary' } }), asAlice)
    await sweep(made)
    assert.equal(await made.registry.resolveSecret(first), undefined)
    assert.equal(secretCount(made.store), 2)
  })

  it('refuse a reference that is not the stored one, unless the platform copies an existing one', async () => {
    const made = await start()
    const { secret } = specOf(made)
    const other = subscription({ basic: { username: 'u', password: secret } })
    const error = await refusal(made.registry.create(ApiSubscription, 'd', body(other), asAlice))
    assert.equal(error.code, 422)
    assert.equal(error.details?.causes?.[0]?.field, 'spec.security.m2m.basic.password')
    const invented = `$<Application/d/a/spec.secret/${'A'.repeat(22)}>`
    assert.equal(
      (await refusal(made.registry.patch(Application, key, merge({ spec: { secret: invented } }), asAlice))).code,
      422,
    )
    const copied = await made.registry.create(ApiSubscription, 'd', body(other), asPlatform)
    assert.ok(textOf(copied.bytes).includes(secret))
    await made.registry.delete(ApiSubscription, key, {}, asAlice)
    assert.equal(await made.registry.resolveSecret(secret), CANARY, 'a copy does not own the secret')
  })

  it('that are gone are not copied by the platform: what may be absent is, what is generated stays or is made', async () => {
    const made = await start()
    const { secret } = specOf(made)
    const gone = secret.replace(/.{22}>$/, `${'A'.repeat(22)}>`)
    for (const wrong of [gone, secret.replace('spec.secret', 'spec.rotatedSecret')]) {
      const { revision } = made.store
      await made.registry.patch(Application, key, merge({ spec: { secret: wrong } }), asPlatform)
      assert.equal(made.store.revision, revision, 'the generated one stays')
      const context: WriteContext = { ...asPlatform, subresource: 'status' }
      const status = { clientId: 'x', rotatedClientSecret: wrong }
      for (let i = 0; i < 2; i++) await made.registry.patch(Application, key, merge({ status }), context)
      assert.deepEqual(made.registry.get(Application, key).resource.status, { clientId: 'x' })
    }
    const { revision } = made.store
    const again = { status: { rotatedClientSecret: gone } }
    await made.registry.patch(Application, key, merge(again), { ...asPlatform, subresource: 'status' })
    assert.equal(made.store.revision, revision, 'asking again writes nothing')

    const other = body({ ...application({ secret: gone }), metadata: { name: 'b' } })
    const { resource } = await made.registry.create(Application, 'd', other, asPlatform)
    const own = (resource.spec as { secret: string }).secret
    assert.match((await made.registry.resolveSecret(own)) ?? '', /^trd_/)
    assert.match(own, /^\$<Application\/d\/b\//)

    const needed = subscription({ basic: { username: 'u', password: gone } })
    const error = await refusal(made.registry.create(ApiSubscription, 'd', body(needed), asPlatform))
    assert.equal(error.details?.causes?.[0]?.field, 'spec.security.m2m.basic.password')
    const malformed = merge({ spec: { secret: '$<x>' } })
    assert.equal((await refusal(made.registry.patch(Application, key, malformed, asPlatform))).code, 422)
  })

  it('go with their object', async () => {
    const made = await start()
    const { secret } = specOf(made)
    await made.registry.delete(Application, key, {}, asAlice)
    await sweep(made)
    assert.equal(await made.registry.resolveSecret(secret), undefined)
    assert.equal(secretCount(made.store), 0)
  })

  it('go with their object also when the last finalizer removes it', async () => {
    const made = fixture()
    await made.registry.create(
      Application,
      'd',
      body(application({ secret: CANARY }, { finalizers: ['example.com/a'] })),
      asAlice,
    )
    await made.registry.delete(Application, key, {}, asAlice)
    await sweep(made)
    assert.equal(secretCount(made.store), 1)
    await made.registry.patch(Application, key, merge({ metadata: { finalizers: null } }), asAlice)
    await sweep(made)
    assert.equal(secretCount(made.store), 0)
  })

  it('are not stored by a dry run or a refused write, and never shown', async () => {
    const made = fixture()
    const dry: WriteContext = { ...asAlice, dryRun: true }
    const answer = await made.registry.create(Application, 'd', body(application({ secret: CANARY })), dry)
    assert.match((answer.resource.spec as { secret: string }).secret, REFERENCE)
    assert.equal(textOf(answer.bytes).includes(CANARY), false)
    const short = subscription({ basic: { username: '', password: CANARY }, scopes: ['x'] })
    const error = await refusal(made.registry.create(ApiSubscription, 'd', body(short), asAlice))
    assert.equal(JSON.stringify([error.message, error.details]).includes(CANARY), false)
    assert.equal(secretCount(made.store), 0)
  })

  it('do not survive in the annotation of kubectl apply', async () => {
    const made = fixture()
    const applied = JSON.stringify(application({ secret: CANARY, rotatedSecret: 'older-canary' }))
    await made.registry.create(
      Application,
      'd',
      body(application({ secret: CANARY }, { annotations: { [LAST_APPLIED]: applied } })),
      asAlice,
    )
    const { resource } = made.registry.get(Application, key)
    const text = resource.metadata.annotations?.[LAST_APPLIED] ?? ''
    const { spec } = JSON.parse(text) as { spec: { secret: string; rotatedSecret: string; team: string } }
    assert.equal(spec.secret, specOf(made).secret)
    assert.equal(spec.rotatedSecret.startsWith('$<'), true)
    assert.equal(spec.team, 'g--t')
    const { revision } = made.store
    const again = { metadata: { annotations: { [LAST_APPLIED]: applied } }, spec: { secret: CANARY } }
    await made.registry.patch(Application, key, merge(again), asAlice)
    assert.equal(made.store.revision, revision, 'applying the same again changes nothing')
    for (const hidden of [
      '{"spec":{"secret":"',
      `{"spec":{"secret":"${CANARY}","secret":"x"}}`,
      `["${CANARY}`,
      `{"spec":{"secret":{"x":"${CANARY}"}}}`,
    ]) {
      await made.registry.patch(
        Application,
        key,
        merge({ metadata: { annotations: { [LAST_APPLIED]: hidden } } }),
        asAlice,
      )
    }
    assert.doesNotMatch(await allBytes(made.store), /hunter2|older-canary/)
  })

  it('are references to a JSON patch too', async () => {
    const made = await start()
    const test = (value: string): PatchBody => ({
      type: 'json',
      value: [{ op: 'test', path: '/spec/secret', value }],
      duplicates: [],
    })
    const error = await refusal(made.registry.patch(Application, key, test(CANARY), asAlice))
    assert.equal(error.message.includes(CANARY), false)
    await made.registry.patch(Application, key, test(specOf(made).secret), asAlice)
  })

  it('in a status are replaced as well', async () => {
    const made = await start()
    const context: WriteContext = { ...asPlatform, subresource: 'status' }
    const { secret } = specOf(made)
    const written = await made.registry.patch(
      Application,
      key,
      merge({ status: { clientSecret: secret, rotatedClientSecret: 'status-canary' } }),
      context,
    )
    const status = written.resource.status as { clientSecret: string; rotatedClientSecret: string }
    assert.equal(status.clientSecret, secret)
    assert.equal(await made.registry.resolveSecret(status.rotatedClientSecret), 'status-canary')
    assert.doesNotMatch(await allBytes(made.store), /status-canary/)
  })

  it('keep their value when constraints of the field would refuse the reference itself', async () => {
    const made = fixture()
    await made.registry.create(
      ApiSubscription,
      'd',
      body(subscription({ basic: { username: 'u', password: CANARY } })),
      asAlice,
    )
    await made.registry.patch(ApiSubscription, key, merge({ metadata: { labels: { a: 'b' } } }), asAlice)
    assert.equal(made.registry.get(ApiSubscription, key).resource.metadata.labels?.['a'], 'b')
  })

  it('cannot be read with another key, and nonsense resolves to nothing', async () => {
    const made = await start()
    const { secret } = specOf(made)
    const other = createRegistry({
      store: made.store,
      kinds: made.registry.kinds.all,
      secretKey: new Uint8Array(32).fill(9),
      clock: made.clock,
    })
    assert.equal(await other.resolveSecret(secret), undefined)
    for (const text of ['', '$<>', 'x', `${secret}x`, '$<a/b>', secret.toUpperCase()])
      assert.equal(await made.registry.resolveSecret(text), undefined)
    assert.throws(() => createRegistry({ store: made.store, kinds: [], secretKey: new Uint8Array(16) }), /32 bytes/)
  })

  it('are nowhere in the files of a SQLite store, and there again after a restart', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'stellwerk-'))
    try {
      const open = async (): Promise<Fixture> => fixture(await openSqliteStore({ path: join(directory, 'store.db') }))
      const made = await open()
      const annotations = { [LAST_APPLIED]: JSON.stringify(application({ secret: CANARY })) }
      await made.registry.create(Application, 'd', body(application({ secret: CANARY }, { annotations })), asAlice)
      await made.registry.patch(Application, key, merge({ spec: { secret: 'second-canary' } }), asAlice)
      const { secret } = specOf(made)
      await made.registry.close()
      await made.store.close()
      const files = readdirSync(directory).map((name) => readFileSync(join(directory, name), 'latin1'))
      assert.ok(files.some((text) => text.includes('$<Application/d/a/spec.secret/')))
      assert.equal(
        files.some((text) => /hunter2|second-canary/.test(text)),
        false,
      )
      const again = await open()
      assert.equal(await again.registry.resolveSecret(secret), 'second-canary')
      await again.registry.close()
      await again.store.close()
    } finally {
      rmSync(directory, { recursive: true })
    }
    assert.equal(SECRET_KEY.length, 32)
  })
})
