import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import fc from 'fast-check'
import type { Kind } from '#domain/kind.ts'
import { Approval } from '#domain/kinds/approval/approval.ts'
import { ApprovalRequest } from '#domain/kinds/approval/approval-request.ts'
import { KINDS } from '#domain/kinds/index.ts'
import { ApiSpecification } from '#domain/kinds/rover/api-specification.ts'
import { Rover } from '#domain/kinds/rover/rover.ts'
import type { Resource } from '#domain/object.ts'
import { dumpOf } from '#test/control/fixture.ts'
import { always } from '#test/support/property.ts'
import { HYPERION, PANDORA, Town } from './town.ts'

const PATH = '/eni/own/v1'

/** A Rover that exposes an API and uses it, and one that uses it from another zone. */
async function build(town: Town): Promise<void> {
  const specification = { basepath: PATH, version: '1.0.0', hash: 'x', specification: `${PANDORA}--eni-own-v1` }
  await town.put(ApiSpecification, PANDORA, 'eni-own-v1', specification)
  const upstreams = [{ url: 'https://up.example.com/x' }]
  const exposure = { api: { basePath: PATH, upstreams, visibility: 'World', approval: { strategy: 'Auto' } } }
  const subscriptions = [{ api: { basePath: PATH } }]
  await town.put(Rover, PANDORA, 'web', { zone: 'z1', exposures: [exposure], subscriptions })
  await town.put(Rover, HYPERION, 'user', { zone: 'z2', exposures: [], subscriptions })
  await town.garden.advance(1000)
}

/** Without what is made at random, and when. */
const contents = (resources: readonly Resource[]): readonly string[] =>
  dumpOf(resources).map((text) => text.replaceAll(/\$<[^>]*>/g, '$<…>').replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'time'))

/** People decide there; what they wrote stays. */
const OF_PEOPLE = new Set([Approval.kind, ApprovalRequest.kind])

const isVictim = ({ kind, status }: Resource): boolean => status !== undefined && !OF_PEOPLE.has(kind)
const isMade = ({ metadata }: Resource): boolean =>
  metadata.ownerReferences !== undefined || metadata.annotations?.['cp.ei.vendor.de/owner'] !== undefined

const without = (part: object, pick: number): object =>
  Object.fromEntries(Object.entries(part).filter((_, i, all) => i !== pick % all.length))

interface Damage {
  readonly victim: number
  readonly what: 'status' | 'a field of the status' | 'a field' | 'everything'
  readonly pick: number
  /** How long the engine may work before the next damage. */
  readonly turns: number
}

const damage: fc.Arbitrary<Damage> = fc.record({
  victim: fc.nat(),
  what: fc.constantFrom('status', 'a field of the status', 'a field', 'everything'),
  pick: fc.nat(),
  turns: fc.nat(5),
})

/** Takes something away, unless the server does not let that happen. */
async function inflict({ garden }: Town, { metadata, kind: name, ...victim }: Resource, { what, pick }: Damage) {
  const kind: Kind = KINDS.find((each) => each.kind === name)!
  const now = garden.find(kind, metadata.name, metadata.namespace)
  if (now === undefined) return
  const isOurs = isMade({ metadata, kind: name, ...victim })
  try {
    if (what === 'everything' && isOurs) await garden.delete(kind, metadata.name, metadata.namespace)
    else if (what === 'a field' && isOurs) await garden.source.update(kind, { ...now, spec: without(now.spec, pick) })
    else if (what === 'status') await garden.source.updateStatus(kind, { ...now, status: {} })
    else await garden.source.updateStatus(kind, { ...now, status: without(now.status ?? {}, pick) })
  } catch {
    // Somebody was faster, or it would not be valid.
  }
}

const ENDLESS = { slices: Infinity, sliceMs: Infinity, writes: Infinity }
const turns = fc.constantFrom(undefined, { slices: 1, sliceMs: 0, writes: 1 }, ENDLESS)

test('whatever is taken away, all at once or one after the other, comes back', async () => {
  await always(
    fc.asyncProperty(turns, fc.array(damage, { minLength: 1, maxLength: 8 }), async (turn, damages) => {
      const town = await Town.open(turn)
      try {
        await build(town)
        const whole = await town.garden.resources()
        const victims = whole.filter(isVictim)
        for (const each of damages) {
          await inflict(town, victims[each.victim % victims.length]!, each)
          for (let i = 0; i < each.turns; i++) await setImmediate()
        }
        for (let i = 0; i < 5; i++) await town.garden.advance(1000)
        assert.deepEqual(contents(await town.garden.resources()), contents(whole))
      } finally {
        await town.close()
      }
    }),
    { numRuns: 10 },
  )
})
