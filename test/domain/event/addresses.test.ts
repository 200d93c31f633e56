import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { EventConfig } from '#domain/kinds/event/event-config.ts'
import { EventExposure } from '#domain/kinds/event/event-exposure.ts'
import { Route } from '#domain/kinds/gateway/route.ts'
import { Client } from '#domain/kinds/identity/client.ts'
import { EventStore } from '#domain/kinds/pubsub/event-store.ts'
import {
  application,
  at,
  callbackSubscriber,
  configRef,
  eventType,
  exposure,
  exposureRef,
  local,
  proxy,
  streamSubscriber,
  zone,
} from './drafts.ts'
import { type Draft, type Story, told } from './story.ts'

const PUBLISHED = [application('shop', 'b'), eventType(), exposure('b')]

const withLocal = (more: object): Draft => {
  const { spec, ...rest } = local('b', { replay: true })
  return { ...rest, spec: { ...spec, local: { ...spec.local, ...more } } }
}

/** Accepted by the specification, and nothing can be called there. */
const BAD = [
  ['urn:x:y', /^The address "urn:x:y" in (.*) is not an http or https URL: correct it$/],
  [
    'https://be.example/p?key=hush',
    /^The address "https:\/\/be\.example\/p\?…" in (.*) carries a query, .* leave it out$/,
  ],
  [
    'https://me:hush@be.example/p',
    /^The address "https:\/\/…@be\.example\/p" in (.*) carries a user name or password, /,
  ],
  ['https://be.example:0/p', /^The address "https:\/\/be\.example:0\/p" in (.*) names no host, or no port /],
] as const

const said = (story: Story, kind: typeof EventConfig | typeof EventExposure, ref = configRef('b')) => {
  const { status, reason, message } = story.condition(kind, ref, 'Ready')
  return { verdict: `${status}/${reason}`, message }
}

describe('an address of a backend that cannot be called', () => {
  for (const field of ['publishEventUrl', 'voyagerApiUrl'] as const)
    it(`is named by its EventConfig, and what was there stays: ${field}`, () =>
      told([zone('b'), withLocal({})], async (story) => {
        const routes = story.all(Route)
        for (const [url, expected] of BAD) {
          await story.apply(withLocal({ [field]: url }))
          const { verdict, message } = said(story, EventConfig)
          assert.equal(verdict, 'False/ValidationFailed', url)
          assert.equal(expected.exec(message)?.[1], `spec.local.${field}`, message)
          assert.doesNotMatch(JSON.stringify(story.get(EventConfig, configRef('b')).status), /hush/)
        }
        assert.deepEqual(
          story.all(Route).map((r) => r.spec),
          routes.map((r) => r.spec),
        )
        await story.apply(withLocal({}))
        assert.equal(said(story, EventConfig).verdict, 'True/Provisioned')
      }))

  it('is named by its EventConfig, and registrations stay where they are: admin.url', () =>
    told([zone('b'), zone('e'), withLocal({}), proxy('e', 'b'), ...PUBLISHED], async (story) => {
      await story.apply(...callbackSubscriber('app', 'b'))
      const store = story.get(EventStore, configRef('b')).spec
      const calls = story.backend.calls.length
      for (const [url, expected] of BAD) {
        await story.apply(withLocal({ admin: { url } }))
        const { verdict, message } = said(story, EventConfig)
        assert.equal(verdict, 'False/ValidationFailed', url)
        assert.equal(expected.exec(message)?.[1], 'spec.local.admin.url', message)
        assert.doesNotMatch(message, /hush/)
        assert.match(said(story, EventConfig, configRef('e')).message, /^EventConfig prod--b\/prod is not ready/)
      }
      assert.deepEqual(story.get(EventStore, configRef('b')).spec, store)
      assert.equal(story.backend.calls.length, calls)
      await story.apply(withLocal({}))
      for (const z of ['b', 'e']) assert.equal(said(story, EventConfig, configRef(z)).verdict, 'True/Provisioned')
    }))

  it('is named by the exposure that streams from it: serverSendEventUrl', () =>
    told([zone('b'), withLocal({}), ...PUBLISHED], async (story) => {
      await story.apply(...streamSubscriber('app', 'b'))
      for (const [url, expected] of BAD) {
        await story.apply(withLocal({ serverSendEventUrl: url }))
        const { verdict, message } = said(story, EventExposure, exposureRef())
        assert.equal(verdict, 'False/ValidationFailed', url)
        assert.equal(expected.exec(message)?.[1], 'spec.local.serverSendEventUrl of the EventConfig of zone b', message)
        assert.doesNotMatch(message, /hush/)
      }
      await story.apply(withLocal({}))
      assert.equal(said(story, EventExposure, exposureRef()).verdict, 'True/Provisioned')
    }))
})

describe('a client id that is too long', () => {
  for (const [field, spec] of [
    ['spec.mesh', { mesh: { fullMesh: true, client: { clientId: 'x'.repeat(256) } } }],
    ['spec.local.admin', { local: { admin: { url: 'https://c.example', client: { clientId: 'x'.repeat(256) } } } }],
  ] as const)
    it(`is named, and nothing is made or allowed under it: ${field}`, () =>
      told([zone('b'), local('b')], async (story) => {
        const before = [story.all(Route).map((r) => r.spec), story.all(Client).map((r) => r.spec)]
        await story.change(EventConfig, configRef('b'), (old) => ({
          ...old,
          ...spec,
          local: { ...old.local, ...('local' in spec && spec.local) },
        }))
        assert.deepEqual(said(story, EventConfig), {
          verdict: 'False/ValidationFailed',
          message: `${field}.client.clientId has more than 255 characters: choose a shorter id`,
        })
        assert.deepEqual([story.all(Route).map((r) => r.spec), story.all(Client).map((r) => r.spec)], before)
      }))

  it('is not one of 255 characters', () =>
    told([zone('b'), local('b', { clientId: 'x'.repeat(255) })], (story) => {
      assert.equal(said(story, EventConfig).verdict, 'True/Provisioned')
      assert.ok(story.all(Client).some((c) => c.metadata.namespace === at('b') && c.spec.clientId.length === 255))
    }))
})
