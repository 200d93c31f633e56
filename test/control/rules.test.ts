import assert from 'node:assert/strict'
import { afterEach, describe, it } from 'node:test'
import { Garden, type GardenOptions } from './fixture.ts'
import { Bed, Plant, Plot, Sign, Well } from './garden.ts'

let garden: Garden
const planted = async (options: GardenOptions = {}): Promise<Garden> => {
  garden = new Garden(options).start()
  await garden.put(Plot, 'p', { soil: 'clay' })
  await garden.put(Bed, 'b', { plot: 'p', crops: ['kale', 'leek'] })
  await garden.settle()
  return garden
}
afterEach(async () => {
  await garden.stop()
  await garden.registry.close()
})

describe('the engine', () => {
  it('makes what a plan says, in and across namespaces, and says Ready when all of it is', async () => {
    await planted()
    assert.equal(garden.condition(Bed, 'b'), 'True/Provisioned')
    assert.equal(garden.condition(Bed, 'b', 'Processing'), 'False/Done')
    const kale = garden.find(Plant, 'b-kale')
    assert.equal(kale?.metadata.ownerReferences?.[0]?.uid, garden.find(Bed, 'b')?.metadata.uid)
    assert.equal(
      garden.find(Sign, 'a.b', 'signs')?.metadata.annotations?.['cp.ei.vendor.de/owner'],
      'garden.test/v1/Bed/a/b',
    )
    assert.equal(garden.condition(Plant, 'b-kale'), 'True/Provisioned')
  })

  it('writes nothing more when all is as it should be', async () => {
    await planted()
    garden.counted()
    await garden.stop()
    garden.start()
    await garden.settle()
    assert.equal(garden.counted().writes, 0)
  })

  it('waiting never deletes', async () => {
    await planted()
    await garden.delete(Plot, 'p')
    await garden.settle()
    assert.equal(garden.condition(Bed, 'b'), 'False/PreconditionNotMet')
    assert.ok(garden.find(Plant, 'b-kale') && garden.find(Sign, 'a.b', 'signs'))
  })

  it('denied removes at once', async () => {
    await planted()
    await garden.put(Plot, 'p', { soil: 'clay', closed: true })
    await garden.settle()
    assert.equal(garden.condition(Bed, 'b'), 'False/AccessDenied')
    for (const [kind, name, namespace] of [
      [Plant, 'b-kale', 'a'],
      [Sign, 'a.b', 'signs'],
      [Well, 'clay', 'wells'],
    ] as const) {
      assert.equal(garden.find(kind, name, namespace), undefined, name)
    }
  })

  it('prunes only when the children are ready', async () => {
    await planted()
    await garden.put(Bed, 'b', { plot: 'p', crops: ['weed'] })
    await garden.advance(1000)
    assert.equal(garden.condition(Bed, 'b'), 'False/SubResourceNotReady')
    assert.equal(garden.message(Bed, 'b'), 'Waiting for Plant a/b-weed')
    assert.ok(garden.find(Plant, 'b-kale'))
    await garden.put(Bed, 'b', { plot: 'p', crops: ['leek'] })
    await garden.settle()
    assert.equal(garden.find(Plant, 'b-kale'), undefined)
    assert.equal(garden.find(Plant, 'b-weed'), undefined)
    assert.ok(garden.find(Plant, 'b-leek'))
  })

  it('removes what a plan removes although the rest is not ready, and keeps what it keeps', async () => {
    await planted()
    await garden.put(Bed, 'b', { plot: 'p', crops: ['weed'], gone: ['kale'] })
    await garden.settle()
    assert.equal(garden.find(Plant, 'b-kale'), undefined)
    assert.ok(garden.find(Plant, 'b-leek'))
    await garden.put(Bed, 'b', { plot: 'p', crops: [], kept: ['leek'] })
    await garden.settle()
    assert.ok(garden.find(Plant, 'b-leek'))
    assert.equal(garden.find(Plant, 'b-weed'), undefined)
  })

  it('never adopts, changes or deletes a foreign object', async () => {
    garden = new Garden().start()
    await garden.put(Plant, 'b-kale', { crop: 'mine', height: 7 })
    await garden.put(Sign, 'a.b', { text: 'mine' }, { namespace: 'signs' })
    await garden.put(Plot, 'p', { soil: 'clay' })
    await garden.put(Bed, 'b', { plot: 'p', crops: ['kale'] })
    await garden.settle()
    assert.equal(garden.condition(Bed, 'b'), 'False/Blocked')
    assert.match(
      garden.message(Bed, 'b') ?? '',
      /^Plant a\/b-kale, Sign signs\/a\.b exist and were not created by the platform/,
    )
    await garden.put(Plot, 'p', { soil: 'clay', closed: true })
    await garden.settle()
    await garden.delete(Bed, 'b')
    await garden.settle()
    assert.deepEqual(garden.find(Plant, 'b-kale')?.spec, { crop: 'mine', height: 7 })
    assert.equal(garden.find(Plant, 'b-kale')?.metadata.ownerReferences, undefined)
    assert.deepEqual(garden.find(Sign, 'a.b', 'signs')?.spec, { text: 'mine' })
  })

  it('goes on when the foreign object is gone', async () => {
    garden = new Garden().start()
    await garden.put(Plant, 'b-kale', { crop: 'mine' })
    await garden.put(Plot, 'p', { soil: 'clay' })
    await garden.put(Bed, 'b', { plot: 'p', crops: ['kale'] })
    await garden.settle()
    await garden.delete(Plant, 'b-kale')
    await garden.settle()
    assert.equal(garden.condition(Bed, 'b'), 'True/Provisioned')
  })

  it('restores a child that somebody changed or deleted, and a status that somebody wrote', async () => {
    await planted()
    const before = await garden.dump()
    await garden.put(
      Plant,
      'b-kale',
      { crop: 'thistle' },
      { metadata: { ownerReferences: garden.find(Plant, 'b-kale')!.metadata.ownerReferences } },
    )
    await garden.delete(Plant, 'b-leek')
    const bed = garden.find(Bed, 'b')!
    await garden.source.updateStatus(Bed, { ...bed, status: {} })
    await garden.settle()
    assert.deepEqual(await garden.dump(), before)
  })

  it('lets a label of others be, and takes back its own', async () => {
    await planted()
    const kale = garden.find(Plant, 'b-kale')!
    const labels = { ...kale.metadata.labels, mine: 'yes', 'cp.ei.vendor.de/old': 'x' }
    await garden.source.update(Plant, { ...kale, metadata: { ...kale.metadata, labels } })
    await garden.settle()
    assert.deepEqual(garden.find(Plant, 'b-kale')?.metadata.labels, {
      'cp.ei.vendor.de/crop': 'kale',
      'cp.ei.vendor.de/environment': 'a',
      mine: 'yes',
    })
  })

  it('labels what it makes with the environment of its owner, where the namespace names none (§0.2)', async () => {
    await planted()
    const labelled = async (environment: string): Promise<void> => {
      const bed = garden.find(Bed, 'b')!
      const labels = { 'cp.ei.vendor.de/environment': environment }
      await garden.source.update(Bed, { ...bed, metadata: { ...bed.metadata, labels } })
      await garden.settle()
    }
    const environments = (): readonly (string | undefined)[] =>
      [garden.find(Plant, 'b-kale'), garden.find(Sign, 'a.b', 'signs')].map(
        (made) => made?.metadata.labels?.['cp.ei.vendor.de/environment'],
      )
    assert.deepEqual(environments(), ['a', 'a'])
    await labelled('prod')
    assert.deepEqual(environments(), ['prod', 'prod'])
    await labelled('stage')
    assert.deepEqual(environments(), ['stage', 'stage'])
  })

  it('removes what a deleted owner had in other namespaces', async () => {
    await planted()
    await garden.delete(Bed, 'b')
    await garden.settle()
    assert.deepEqual(
      (await garden.dump()).map((line) => JSON.parse(line).kind),
      ['Plot'],
    )
  })

  it('sweeps what lost its owner while the engine was not running', async () => {
    await planted()
    await garden.stop()
    await garden.delete(Bed, 'b')
    garden.start()
    await garden.settle()
    assert.deepEqual(
      (await garden.dump()).map((line) => JSON.parse(line).kind),
      ['Plot'],
    )
  })

  for (const asleep of [true, false])
    it(`removes what a predecessor left whose successor waits${asleep ? ', also one of last night' : ''}`, async () => {
      await planted()
      if (asleep) await garden.stop()
      await garden.delete(Bed, 'b')
      await garden.put(Bed, 'b', { plot: 'nowhere', crops: [] })
      if (asleep) garden.start()
      await garden.settle()
      assert.deepEqual(
        (await garden.dump()).map((line) => JSON.parse(line).kind),
        ['Bed', 'Plot'],
      )
    })

  it('leaves to a successor what it wants as its predecessor did', async () => {
    await planted()
    await garden.stop()
    const { uid } = garden.find(Sign, 'a.b', 'signs')!.metadata
    await garden.delete(Bed, 'b')
    await garden.put(Bed, 'b', { plot: 'p', crops: [] })
    garden.start()
    await garden.settle()
    assert.equal(garden.find(Sign, 'a.b', 'signs')?.metadata.uid, uid)
    await garden.delete(Bed, 'b')
    await garden.settle()
    assert.equal(garden.find(Sign, 'a.b', 'signs'), undefined)
  })

  it('hands a shared child over to the next that desires it, and deletes it with the last', async () => {
    await planted()
    await garden.put(Bed, 'c', { plot: 'p', crops: [] })
    await garden.settle()
    const { uid } = garden.find(Well, 'clay', 'wells')!.metadata
    const owner = (): string | undefined =>
      garden.find(Well, 'clay', 'wells')?.metadata.annotations?.['cp.ei.vendor.de/owner']
    assert.equal(owner(), 'garden.test/v1/Bed/a/b')
    await garden.delete(Bed, 'b')
    await garden.settle()
    assert.equal(owner(), 'garden.test/v1/Bed/a/c')
    assert.equal(garden.find(Well, 'clay', 'wells')?.metadata.uid, uid, 'it was deleted in between')
    await garden.delete(Bed, 'c')
    await garden.settle()
    assert.equal(owner(), undefined)
  })

  it('hands over after a restart too: the sweep waits until every planner has run', async () => {
    await planted()
    await garden.put(Bed, 'c', { plot: 'p', crops: [] })
    await garden.settle()
    const { uid } = garden.find(Well, 'clay', 'wells')!.metadata
    await garden.stop()
    await garden.delete(Bed, 'b')
    garden.start()
    await garden.settle()
    const well = garden.find(Well, 'clay', 'wells')
    assert.equal(well?.metadata.uid, uid)
    assert.equal(well?.metadata.annotations?.['cp.ei.vendor.de/owner'], 'garden.test/v1/Bed/a/c')
  })
})
