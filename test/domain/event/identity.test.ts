import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { EventConfig } from '#domain/kinds/event/event-config.ts'
import { Consumer } from '#domain/kinds/gateway/consumer.ts'
import { Client } from '#domain/kinds/identity/client.ts'
import { EventStore } from '#domain/kinds/pubsub/event-store.ts'
import { application, at, configRef, local, proxy, zone } from './drafts.ts'
import { rowAt } from './route-rows.ts'
import { type Draft, type Story, told } from './story.ts'

const names = (story: Story, kind: typeof Client | typeof Consumer, z: string) =>
  story
    .all(kind)
    .filter((c) => c.metadata.namespace === at(z))
    .map((c) => c.metadata.name)
    .toSorted()

describe('the callback identity of an EventConfig', () => {
  it('7: has the id the mesh names, in the Client, the Consumer and the allow-list', () =>
    told([zone('b'), local('b', { clientId: 'custom-cb' })], (story) => {
      assert.deepEqual(names(story, Client, 'b'), ['custom-cb', 'eventbackend-admin', 'rover'])
      assert.deepEqual(names(story, Consumer, 'b'), ['custom-cb', 'gateway'])
      assert.equal(rowAt(story, 'callback--b', 'b')?.allowed, 'custom-cb')
      const consumer = story.get(Consumer, { name: 'custom-cb', namespace: at('b') })
      assert.deepEqual(consumer.spec, { gateway: { name: 'gateway', namespace: at('b') }, name: 'custom-cb' })
      const { uid } = story.get(EventConfig, configRef('b')).metadata
      assert.equal(consumer.metadata.ownerReferences?.find((owner) => owner.controller)?.uid, uid)
    }))

  it('8: is eventstore by default, and a proxy never allows the id of its backend', () =>
    told([zone('b'), zone('e'), local('b', { clientId: 'cb-b' }), proxy('e', 'b')], (story) => {
      assert.deepEqual(names(story, Consumer, 'e'), ['eventstore', 'gateway'])
      assert.deepEqual(names(story, Client, 'e'), ['eventstore', 'rover'])
      assert.equal(rowAt(story, 'callback--e', 'e')?.allowed, 'eventstore, gateway')
    }))

  it('9: moves as a whole when the id changes', () =>
    told([zone('b'), zone('s'), local('b', { clientId: 'custom-cb' }), local('s')], async (story) => {
      await story.apply(local('b', { clientId: 'other' }))
      assert.deepEqual(names(story, Client, 'b'), ['eventbackend-admin', 'other', 'rover'])
      assert.deepEqual(names(story, Consumer, 'b'), ['gateway', 'other'])
      assert.equal(rowAt(story, 'callback--b', 'b')?.allowed, 'gateway, other')
      assert.equal(rowAt(story, 'callback--s', 'b')?.allowed, 'other')
      assert.equal(story.ready(EventConfig, configRef('b')), 'True')
    }))

  it('10: keeps the Consumer when only the secret changes', () =>
    told([zone('b'), local('b', { clientId: 'cb' })], async (story) => {
      const ref = { name: 'cb', namespace: at('b') }
      const before = story.get(Consumer, ref).metadata
      await story.change(EventConfig, configRef('b'), (spec) => ({
        ...spec,
        mesh: { ...spec.mesh, client: { clientId: 'cb', clientSecret: '$<new>' } },
      }))
      assert.equal(story.get(Client, ref).spec.clientSecret, '$<new>')
      assert.deepEqual(
        [story.get(Consumer, ref).metadata.uid, story.get(Consumer, ref).metadata.generation],
        [before.uid, before.generation],
      )
    }))

  const owner = { apiVersion: 'v1', kind: 'Other', name: 'them', uid: 'u-them', controller: true }
  for (const [whose, ownerReferences] of [
    ['nobody', []],
    ['someone else', [owner]],
  ] as const)
    it(`11: never takes over a Consumer of ${whose}`, async () => {
      const metadata = { name: 'eventstore', namespace: at('b'), labels: { 'cp.ei.vendor.de/domain': 'event' } }
      const spec = { gateway: { name: 'gateway', namespace: at('b') }, name: 'theirs' }
      const foreign: Draft = { kind: Consumer, metadata: { ...metadata, ownerReferences } as Draft['metadata'], spec }
      await told([zone('b'), foreign], async (story) => {
        const before = story.get(Consumer, foreign.metadata)
        await story.apply(local('b'))
        assert.equal(story.ready(EventConfig, configRef('b')), 'False/PreconditionNotMet')
        assert.equal(story.condition(EventConfig, configRef('b'), 'Processing').reason, 'Blocked')
        assert.match(
          story.condition(EventConfig, configRef('b'), 'Ready').message,
          /Consumer prod--b\/eventstore belongs to someone else/,
        )
        assert.deepEqual(story.get(Consumer, foreign.metadata), before)
      })
    })

  for (const clientId of ['gateway', 'Gateway', '/gateway/'])
    it(`11: refuses the reserved id ${clientId} and makes nothing`, () =>
      told([zone('b'), local('b', { clientId })], (story) => {
        assert.equal(story.ready(EventConfig, configRef('b')), 'False/PreconditionNotMet')
        assert.equal(story.condition(EventConfig, configRef('b'), 'Processing').reason, 'Blocked')
        assert.deepEqual(story.eventRoutes(), [])
        assert.deepEqual(names(story, Consumer, 'b'), ['gateway'])
        assert.deepEqual(names(story, Client, 'b'), ['rover'])
        assert.deepEqual(story.all(EventStore), [])
      }))

  it('keeps the admin client and the callback client apart', () =>
    told([zone('b'), local('b', { clientId: 'EventBackend_Admin' })], (story) => {
      assert.match(story.condition(EventConfig, configRef('b'), 'Ready').message, /both called "eventbackend-admin"/)
    }))

  it('never takes the client of the zone itself', () =>
    told([zone('b'), local('b', { clientId: 'rover' })], (story) => {
      assert.match(
        story.condition(EventConfig, configRef('b'), 'Ready').message,
        /Client prod--b\/rover belongs to someone else/,
      )
    }))

  it('says so when its realm does not exist, and has it once that does', () =>
    told([zone('b'), local('b', { clientId: 'cb' })], async (story) => {
      const inRealm = (name: string) => (spec: any) => ({
        ...spec,
        mesh: { ...spec.mesh, client: { ...spec.mesh.client, realm: { name, namespace: at('b') } } },
      })
      await story.change(EventConfig, configRef('b'), inRealm('nope'))
      assert.equal(
        story.condition(EventConfig, configRef('b'), 'Ready').message,
        'Realm prod--b/nope does not exist: create it or correct spec.mesh.client.realm',
      )
      assert.equal(story.ready(EventConfig, configRef('b')), 'False/SubResourceNotReady')
      await story.change(EventConfig, configRef('b'), inRealm('rover'))
      assert.equal(story.ready(EventConfig, configRef('b')), 'True')
    }))

  it('says whose its id is when it is taken', () =>
    told([zone('z'), application('shop', 'z'), local('z', { clientId: 'shop--orders--shop' })], async (story) => {
      const { status, reason, message } = story.condition(EventConfig, configRef('z'), 'Ready')
      assert.deepEqual([status, reason], ['False', 'SubResourceNotReady'])
      assert.match(message, /^Client prod--z\/shop--orders--shop is not ready: Client prod--shop--orders\/.* is older/)
      assert.match(
        message,
        /; Consumer prod--z\/shop--orders--shop is not ready: Consumer prod--shop--orders\/.* is older/,
      )
      await story.apply(local('z', { clientId: 'mine' }))
      assert.equal(story.ready(EventConfig, configRef('z')), 'True')
      assert.deepEqual(names(story, Consumer, 'z'), ['gateway', 'mine'])
    }))
})
