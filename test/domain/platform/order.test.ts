import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { platformControllers } from '#controllers/platform.ts'
import type { Kind } from '#domain/kind.ts'
import { Environment } from '#domain/kinds/admin/environment.ts'
import { Zone } from '#domain/kinds/admin/zone.ts'
import { Application } from '#domain/kinds/application/application.ts'
import { EventSubscription } from '#domain/kinds/event/event-subscription.ts'
import { KINDS } from '#domain/kinds/index.ts'
import { Team } from '#domain/kinds/organization/team.ts'
import { Garden } from '#test/control/fixture.ts'
import { always } from '#test/support/property.ts'
import { Permit, Ticket, ticketControllers } from './ticket.ts'

interface Written {
  readonly kind: Kind
  readonly namespace: string
  readonly name: string
  readonly spec: object
}

const NS = 'poc--eni--pandora'
const zone = (name: string, more: object = {}): Written => ({
  kind: Zone,
  namespace: 'poc',
  name,
  spec: {
    visibility: 'Enterprise',
    gateway: { presets: [{ name: 'default', default: true, urls: [{ hostname: `gw.${name}.example.com` }] }] },
    ...more,
  },
})
const z = (name: string): object => ({ name, namespace: 'poc' })

/** Everything here is made within one second, so that age decides nothing but what names decide. */
const WORLD: readonly Written[] = [
  { kind: Environment, namespace: 'poc', name: 'poc', spec: { realmName: 'acme' } },
  zone('z1', {
    managedRoutes: { routes: [{ name: 't', path: '/team', url: 'https://t.example.com', type: 'TeamAPI' }] },
  }),
  zone('z2', { identityProvider: { url: 'https://idp.example.com' } }),
  zone('z3', { visibility: 'World' }),
  {
    kind: Team,
    namespace: 'poc',
    name: 'eni--pandora',
    spec: { group: 'eni', name: 'pandora', email: 'p@example.com' },
  },
  {
    kind: Application,
    namespace: NS,
    name: 'shop',
    spec: { team: 'eni--pandora', teamEmail: 'p@example.com', zone: z('z1'), failoverZones: [z('z2')] },
  },
  {
    kind: EventSubscription,
    namespace: NS,
    name: 's',
    spec: { eventType: 'a.v1', zone: z('z3'), requestor: { name: 'shop', namespace: NS }, delivery: {} },
  },
  { kind: Ticket, namespace: NS, name: 'auto', spec: { team: 'eni--pandora', owner: 'x--y', strategy: 'Auto' } },
  { kind: Ticket, namespace: NS, name: 'simple', spec: { team: 'eni--pandora', owner: 'x--y', strategy: 'Simple' } },
]

/** Secrets and the time of a mail differ between two runs of the same story. */
const scrub = (line: string): string =>
  line.replaceAll(/\$<[^>]*>/g, '$<…>').replaceAll(/"sentAt","[^"]*"/g, '"sentAt"')

async function story(order: readonly Written[], wait: readonly boolean[], detour?: number): Promise<readonly string[]> {
  const controllers = [...platformControllers(), ...ticketControllers]
  const garden = new Garden({ kinds: [...KINDS, Ticket, Permit], controllers }).start()
  try {
    for (const [i, { kind, name, namespace, spec }] of order.entries()) {
      await garden.put(kind, name, spec, { namespace })
      if (wait[i] === true) await garden.settle()
    }
    await garden.settle()
    const away = detour === undefined ? undefined : WORLD[detour]
    if (away !== undefined) {
      await garden.delete(away.kind, away.name, away.namespace)
      await garden.settle()
      await garden.put(away.kind, away.name, away.spec, { namespace: away.namespace })
      await garden.settle()
    }
    assert.equal(garden.cycles, 0)
    garden.counted()
    await garden.stop()
    garden.start()
    await garden.settle()
    assert.equal(garden.counted().writes, 0, 'a converged world is not silent')
    return (await garden.dump()).map(scrub)
  } finally {
    await garden.stop()
    await garden.registry.close()
  }
}

test('the platform comes to the same world whatever the order, and when an input goes and comes back', async () => {
  const expected = await story(WORLD, [])
  const orders = fc.shuffledSubarray([...WORLD.keys()], { minLength: WORLD.length })
  const waits = fc.array(fc.boolean(), { minLength: WORLD.length, maxLength: WORLD.length })
  const detours = fc.option(fc.nat({ max: WORLD.length - 1 }), { nil: undefined })
  await always(
    fc.asyncProperty(orders, waits, detours, async (order, wait, detour) => {
      const world = await story(
        order.map((i) => WORLD[i]!),
        wait,
        detour,
      )
      assert.deepEqual(
        world.filter((line) => !expected.includes(line)),
        [],
      )
      assert.deepEqual(
        expected.filter((line) => !world.includes(line)),
        [],
      )
    }),
    { numRuns: 12 },
  )
})
