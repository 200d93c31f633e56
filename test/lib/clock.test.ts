import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { ManualClock, systemClock } from '#lib/clock.ts'

describe('ManualClock', () => {
  it('stands still until it is advanced', () => {
    const clock = new ManualClock(1000)
    assert.equal(clock.now(), 1000)
    clock.advance(250)
    assert.equal(clock.now(), 1250)
  })

  it('fires timers by time, equals by age, each at its own time', () => {
    const clock = new ManualClock()
    const fired: string[] = []
    const note = (name: string) => () => fired.push(`${name}@${clock.now()}`)
    clock.setTimer(20, note('late'))
    clock.setTimer(10, note('first'))
    clock.setTimer(10, note('second'))
    clock.setTimer(31, note('beyond'))
    clock.advance(30)
    assert.deepEqual(fired, ['first@10', 'second@10', 'late@20'])
    assert.equal(clock.pending, 1)
    clock.advance(1)
    assert.deepEqual(fired.at(-1), 'beyond@31')
  })

  it('fires timers that timers set, when they fall due within the same advance', () => {
    const clock = new ManualClock()
    const fired: number[] = []
    const tick = (): void => {
      fired.push(clock.now())
      clock.setTimer(clock.now() + 10, tick)
    }
    clock.setTimer(10, tick)
    clock.advance(35)
    assert.deepEqual(fired, [10, 20, 30])
    assert.equal(clock.now(), 35)
  })

  it('fires a timer of the past with the next advance, without turning back', () => {
    const clock = new ManualClock(100)
    const fired: number[] = []
    clock.setTimer(50, () => fired.push(clock.now()))
    assert.deepEqual(fired, [])
    clock.advance(0)
    assert.deepEqual(fired, [100])
  })

  it('never fires a cancelled timer, even one cancelled by another', () => {
    const clock = new ManualClock()
    const cancel = clock.setTimer(20, () => assert.fail('was cancelled'))
    clock.setTimer(10, cancel)
    clock.advance(100)
    assert.equal(clock.pending, 0)
  })

  it('refuses to go back', () => {
    assert.throws(() => new ManualClock().advance(-1), RangeError)
    assert.throws(() => new ManualClock().advance(Number.NaN), RangeError)
  })
})

describe('systemClock', () => {
  it('fires once its own time has come, and not within the call', async () => {
    const at = systemClock.now() + 5
    let within = true
    const seen = await new Promise<number>((resolve) => {
      systemClock.setTimer(at, () => resolve(within ? -1 : systemClock.now()))
      within = false
    })
    assert.ok(seen >= at, `fired at ${seen}, was due at ${at}`)
  })

  it('waits for next year in steps Node can count', async () => {
    const warnings: Error[] = []
    const note = (warning: Error) => warnings.push(warning)
    process.on('warning', note)
    const cancel = systemClock.setTimer(systemClock.now() + 365 * 24 * 3600 * 1000, () => assert.fail('a year early'))
    await new Promise<void>((resolve) => systemClock.setTimer(systemClock.now() + 5, resolve))
    cancel()
    process.off('warning', note)
    assert.deepEqual(warnings, [])
  })

  it('does not fire a cancelled timer', async () => {
    const at = systemClock.now() + 1
    const cancel = systemClock.setTimer(at, () => assert.fail('was cancelled'))
    cancel()
    await new Promise<void>((resolve) => systemClock.setTimer(at + 1, resolve))
  })
})
