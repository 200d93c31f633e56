import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Zone } from '#domain/kinds/admin/zone.ts'
import { EventConfig } from '#domain/kinds/event/event-config.ts'
import { Route } from '#domain/kinds/gateway/route.ts'
import { Client } from '#domain/kinds/identity/client.ts'
import { EventStore } from '#domain/kinds/pubsub/event-store.ts'
import { rowAt, rowOf } from './route-rows.ts'
import { type Draft, type Story, told } from './story.ts'
import { at, configRef, ENVIRONMENT, local, proxy, zone, zoneRef } from './drafts.ts'

const callbackRoutes = (story: Story, z: string): readonly string[] =>
  story
    .all(Route)
    .filter((r) => r.metadata.namespace === at(z) && r.metadata.name.startsWith('callback--'))
    .map((r) => r.metadata.name)
    .toSorted()

describe('the place of an EventConfig', () => {
  it('is the namespace of its zone; elsewhere it counts for nobody (decisions §7.4, §8.3)', async () => {
    const stray = { ...local('s'), metadata: { name: 'stray', namespace: TEAM_NAMESPACE } }
    await told([zone('b'), zone('s'), local('b'), stray], (story) => {
      const { message } = story.condition(EventConfig, stray.metadata, 'Ready')
      assert.match(message, /belongs in namespace prod--s/)
      assert.deepEqual(callbackRoutes(story, 'b'), ['callback--b'])
    })
  })
  const TEAM_NAMESPACE = 'prod--shop--orders'

  it('is taken by the oldest of two; the other waits and takes over', async () => {
    const second = { ...local('b', { clientId: 'second' }), metadata: { name: 'second', namespace: at('b') } }
    await told([zone('b'), local('b'), second], async (story) => {
      assert.equal(story.ready(EventConfig, configRef('b')), 'True')
      assert.match(
        story.condition(EventConfig, second.metadata, 'Ready').message,
        /already has EventConfig prod--b\/prod/,
      )
      await story.delete(EventConfig, configRef('b'))
      assert.equal(story.ready(EventConfig, second.metadata), 'True')
      assert.equal(rowAt(story, 'callback--b', 'b')?.allowed, 'second')
    })
  })

  it('needs its Zone', () =>
    told([local('b')], async (story) => {
      assert.equal(
        story.condition(EventConfig, configRef('b'), 'Ready').message,
        'Zone prod/b does not exist: create it or correct spec.zone',
      )
      await story.apply(zone('b'))
      assert.equal(story.ready(EventConfig, configRef('b')), 'True')
    }))
})

describe('a proxy EventConfig', () => {
  it('15: has one callback route and no outbound ones', () =>
    told([zone('b'), zone('e'), zone('s'), local('b'), proxy('e', 'b'), local('s')], (story) => {
      assert.deepEqual(callbackRoutes(story, 'e'), ['callback--e'])
      assert.deepEqual(story.get(EventConfig, configRef('e')).status?.proxyCallbackRoutes, [])
      assert.equal(story.get(EventConfig, configRef('e')).status?.adminClient, undefined)
    }))

  it('16: loses its outbound routes when it stops being local, and has them again afterwards', () =>
    told([zone('b'), zone('e'), zone('s'), local('b'), local('e'), local('s')], async (story) => {
      assert.deepEqual(callbackRoutes(story, 'e'), ['callback--b', 'callback--e', 'callback--s'])
      await story.apply(proxy('e', 'b'))
      assert.deepEqual(callbackRoutes(story, 'e'), ['callback--e'])
      assert.equal(rowAt(story, 'publish', 'e')?.type, 'PROXY')
      await story.apply(local('e'))
      assert.deepEqual(callbackRoutes(story, 'e'), ['callback--b', 'callback--e', 'callback--s'])
      assert.equal(rowAt(story, 'callback--s', 'e')?.trusted, 'I(e)')
    }))

  it('16: keeps its former outbound routes, and routes of others, while it waits', async () => {
    const foreign: Draft = {
      kind: Route,
      metadata: { name: 'callback--x', namespace: at('e') },
      spec: {
        gatewayRef: { name: 'gateway', namespace: at('e') },
        type: 'PRIMARY',
        passThrough: true,
        backend: { upstreams: [{ scheme: 'http', hostname: 'x', port: 80, path: '/' }] },
      },
    }
    await told([zone('b'), zone('e'), local('b', { clientId: 'gateway' }), local('e'), foreign], async (story) => {
      await story.apply(proxy('e', 'b'))
      assert.equal(story.ready(EventConfig, configRef('e')), 'False/PreconditionNotMet')
      assert.deepEqual(callbackRoutes(story, 'e'), ['callback--b', 'callback--e', 'callback--x'])
      await story.apply(local('b'))
      assert.deepEqual(callbackRoutes(story, 'e'), ['callback--e', 'callback--x'])
    })
  })

  it('16: keeps its former outbound routes while one of its children is not ready', async () => {
    const withRealm = (draft: Draft, name: string): Draft => {
      const client = { clientId: 'cb', realm: { name, namespace: at('e') } }
      return { ...draft, spec: { ...draft.spec, mesh: { fullMesh: true, client } } }
    }
    await told([zone('b'), zone('e'), local('b'), withRealm(local('e'), ENVIRONMENT)], async (story) => {
      const publish = story.get(Route, { name: 'publish', namespace: at('e') }).metadata.uid
      await story.apply(withRealm(proxy('e', 'b'), 'nowhere'))
      assert.equal(story.ready(Client, { name: 'cb', namespace: at('e') }), 'False/PreconditionNotMet')
      assert.equal(story.ready(EventConfig, configRef('e')), 'False/SubResourceNotReady')
      assert.deepEqual(callbackRoutes(story, 'e'), ['callback--b', 'callback--e'])
      await story.apply(withRealm(proxy('e', 'b'), ENVIRONMENT))
      assert.equal(story.ready(EventConfig, configRef('e')), 'True')
      assert.deepEqual(callbackRoutes(story, 'e'), ['callback--e'])
      assert.equal(story.get(Route, { name: 'publish', namespace: at('e') }).metadata.uid, publish)
    })
  })

  it('17: shows no URLs while its target is not ready, and has them back with it', () =>
    told([zone('b'), zone('e'), local('b'), proxy('e', 'b')], async (story) => {
      const urls = () => {
        const { callbackUrl, proxyCallbackUrls } = story.get(EventConfig, configRef('e')).status ?? {}
        return { callbackUrl, proxyCallbackUrls }
      }
      const before = urls()
      assert.deepEqual(before, {
        callbackUrl: 'https://b.gw.example/eventbackend-e/callback/v1',
        proxyCallbackUrls: { b: 'https://b.gw.example/eventbackend-b/callback/v1' },
      })
      await story.apply(local('b', { clientId: 'gateway' }))
      assert.deepEqual(urls(), { callbackUrl: '', proxyCallbackUrls: {} })
      assert.equal(story.ready(EventConfig, configRef('e')), 'False/PreconditionNotMet')
      assert.equal(story.condition(EventConfig, configRef('e'), 'Processing').reason, 'Blocked')
      await story.apply(local('b'))
      assert.deepEqual(urls(), before)
    }))

  it('17: shows no URLs while its target is away, and those of the current target when it is back', () =>
    told([zone('b'), zone('c'), zone('e'), local('b'), local('c'), proxy('e', 'b')], async (story) => {
      const urls = () => {
        const { callbackUrl, proxyCallbackUrls } = story.get(EventConfig, configRef('e')).status ?? {}
        return [callbackUrl, Object.values(proxyCallbackUrls ?? {})]
      }
      assert.equal(urls()[0], 'https://b.gw.example/eventbackend-e/callback/v1')
      await story.delete(EventConfig, configRef('b'))
      assert.deepEqual(urls(), ['', []])
      assert.equal(
        story.condition(EventConfig, configRef('e'), 'Ready').message,
        'Zone prod/b has no EventConfig: create one in namespace prod--b',
      )
      await story.apply(proxy('e', 'c'))
      assert.equal(urls()[0], 'https://c.gw.example/eventbackend-e/callback/v1')
      await story.apply(proxy('e', 'nowhere'))
      assert.deepEqual(urls(), ['', []])
      assert.match(story.condition(EventConfig, configRef('e'), 'Ready').message, /^Zone prod\/nowhere does not exist/)
    }))

  it('18: publishes through its target, which trusts its gateway', () =>
    told([zone('b'), zone('e'), local('b', { mesh: [] }), proxy('e', 'b', { mesh: [] })], (story) => {
      assert.equal(rowAt(story, 'publish', 'e')?.upstream, 'https://b.gw.example/eventbackend/events/v1')
      assert.equal(rowAt(story, 'publish', 'b')?.trusted, 'I(b), L(e)')
    }))

  it('says so when its target is a proxy, or itself', () =>
    told([zone('b'), zone('e'), zone('f'), local('b'), proxy('e', 'b'), proxy('f', 'e')], async (story) => {
      assert.match(
        story.condition(EventConfig, configRef('f'), 'Ready').message,
        /EventConfig prod--e\/prod is a proxy itself/,
      )
      await story.apply(proxy('f', 'f'))
      assert.match(
        story.condition(EventConfig, configRef('f'), 'Ready').message,
        /EventConfig prod--f\/prod is a proxy itself/,
      )
    }))
})

describe('addresses', () => {
  it('19: carry the base path of the zone they are in', () =>
    told(
      [zone('b', { basePath: '/gw' }), zone('e', { basePath: '/ee/' }), local('b', { replay: true }), proxy('e', 'b')],
      (story) => {
        assert.equal(rowAt(story, 'publish', 'b')?.paths, '/gw/eventbackend/events/v1, /gw/eventbackend/publish/v1')
        assert.equal(rowAt(story, 'publish', 'e')?.upstream, 'https://b.gw.example/gw/eventbackend/events/v1')
        assert.equal(rowAt(story, 'callback--e', 'b')?.upstream, 'https://e.gw.example/ee/eventbackend-e/callback/v1')
        assert.equal(
          story.get(EventConfig, configRef('e')).status?.callbackUrl,
          'https://b.gw.example/gw/eventbackend-e/callback/v1',
        )
        assert.equal(
          story.get(EventConfig, configRef('e')).status?.voyagerUrl,
          'https://e.gw.example/ee/eventbackend/voyager/v1',
        )
        assert.equal(rowAt(story, 'callback--e', 'e')?.trusted, 'I(e), L(b)')
        const base: Record<string, string> = { b: '/gw', e: '/ee' }
        for (const { zone: z, paths } of story.eventRoutes().map(rowOf))
          for (const path of paths.split(', ')) assert.ok(path.startsWith(`${base[z]}/eventbackend`), path)
        for (const [z, on] of [
          ['b', /^https:\/\/b\.gw\.example\/gw\/eventbackend/],
          ['e', /^https:\/\/(b\.gw\.example\/gw|e\.gw\.example\/ee)\/eventbackend/],
        ] as const) {
          const { conditions: _, ...status } = story.get(EventConfig, configRef(z)).status ?? { conditions: [] }
          const urls = JSON.stringify(status).match(/https:[^"]*/g) ?? []
          assert.ok(urls.length >= 4)
          for (const url of urls) assert.match(url, on)
        }
      },
    ))

  it('use the first URL that is not hidden, and print a port only when it is not the usual one (decisions §8.10)', async () => {
    const many: Draft = zone('b')
    many.spec.gateway.presets[0].urls = [
      { hostname: 'secret.example', basePath: '/', scheme: 'https', hidden: true },
      { hostname: 'b.gw.example', basePath: '/', scheme: 'https', port: 443 },
      { hostname: 'b2.gw.example', basePath: '/two', scheme: 'http', port: 8080 },
    ]
    await told([many, zone('s'), local('b'), local('s')], (story) => {
      assert.equal(
        story.get(EventConfig, configRef('b')).status?.publishUrl,
        'https://b.gw.example/eventbackend/events/v1',
      )
      assert.equal(rowAt(story, 'callback--b', 's')?.upstream, 'https://b.gw.example/eventbackend-b/callback/v1')
      assert.equal(rowAt(story, 'callback--b', 'b')?.hosts, 'secret.example, b.gw.example, b2.gw.example')
      assert.equal(
        rowAt(story, 'callback--b', 'b')?.paths,
        '/eventbackend-b/callback/v1, /two/eventbackend-b/callback/v1',
      )
    })
  })

  it('20: of replay exist only with a replay backend', () =>
    told(
      [zone('b'), zone('e'), zone('s'), local('b'), proxy('e', 'b'), local('s', { replay: true })],
      async (story) => {
        const replay = () =>
          story
            .eventRoutes()
            .map(rowOf)
            .filter((r) => r.route.startsWith('voyager'))
            .map((r) => `${r.zone} ${r.route}`)
            .toSorted()
        assert.deepEqual(replay(), ['s voyager--s'])
        assert.equal(story.get(EventConfig, configRef('b')).status?.voyagerUrl, undefined)
        await story.apply(local('b', { replay: true }))
        assert.deepEqual(replay(), [
          'b voyager--b',
          'b voyager--s',
          'e voyager--b',
          'e voyager--e',
          'e voyager--s',
          's voyager--b',
          's voyager--s',
        ])
        await story.apply(local('b'))
        assert.deepEqual(replay(), ['s voyager--s'])
        const { voyagerRoute, voyagerUrl, proxyVoyagerRoutes, proxyVoyagerUrls } =
          story.get(EventConfig, configRef('e')).status ?? {}
        assert.deepEqual(
          [voyagerRoute, voyagerUrl, proxyVoyagerRoutes, proxyVoyagerUrls],
          [undefined, undefined, undefined, undefined],
        )
      },
    ))
})

describe('the EventStore', () => {
  it('38: carries the own environment override, never that of the target', () =>
    told([zone('b'), zone('e'), local('b', { environment: 'legacy' }), proxy('e', 'b')], (story) => {
      const store = (z: string) => story.get(EventStore, configRef(z)).spec
      assert.equal(store('b').overwriteEnvironmentName, 'legacy')
      assert.equal(store('e').overwriteEnvironmentName, ENVIRONMENT)
      assert.equal(store('e').url, 'https://b.backend.example/api/v1/resources')
      assert.equal(store('e').clientId, 'eventbackend-admin')
      const issuer = story.get(Zone, zoneRef('b')).status?.links?.internalIssuer
      assert.equal(store('e').tokenUrl, `${issuer}/protocol/openid-connect/token`)
      assert.equal(
        store('e').clientSecret,
        story.get(Client, { name: 'eventbackend-admin', namespace: at('b') }).spec.clientSecret,
      )
    }))
})

describe('a broken peer (decisions §4.3)', () => {
  const unserved = (z: string): Draft => {
    const draft = zone(z)
    draft.spec.gateway.presets[0].default = false
    return draft
  }
  it('leaves everyone else ready, with the routes and the trust they had', () =>
    told([zone('b'), zone('s'), zone('t'), local('b'), local('s'), local('t')], async (story) => {
      const before = story
        .eventRoutes()
        .filter((r) => r.metadata.namespace === at('b'))
        .map(rowOf)
      await story.apply(unserved('t'))
      assert.equal(story.ready(Zone, zoneRef('t')), 'False/ValidationFailed')
      assert.equal(story.ready(EventConfig, configRef('b')), 'True')
      assert.match(
        story.condition(EventConfig, configRef('b'), 'Ready').message,
        /Zone prod\/t has no address or issuer yet/,
      )
      assert.deepEqual(
        story
          .eventRoutes()
          .filter((r) => r.metadata.namespace === at('b'))
          .map(rowOf),
        before,
      )
      await story.apply(zone('u'), local('u'))
      assert.equal(rowAt(story, 'callback--b', 'b')?.trusted, 'I(b), L(s), L(t), L(u)')
      assert.equal(rowAt(story, 'callback--u', 'u')?.trusted, 'I(u), L(b), L(s)')
      await story.apply(zone('t'))
      assert.equal(rowAt(story, 'callback--u', 'u')?.trusted, 'I(u), L(b), L(s), L(t)')
      assert.equal(story.condition(EventConfig, configRef('b'), 'Ready').message, 'Provisioned')
    }))
  it('that was never there leaves out only its own routes', () =>
    told([zone('b'), unserved('t'), local('b'), local('t')], (story) => {
      assert.equal(story.ready(EventConfig, configRef('b')), 'True')
      assert.deepEqual(callbackRoutes(story, 'b'), ['callback--b'])
      assert.deepEqual(story.get(EventConfig, configRef('b')).status?.proxyCallbackUrls, {})
    }))
})
