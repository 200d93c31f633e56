import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { always, huntOf } from './property.ts'

describe('a property', () => {
  it('is checked with the same examples everywhere, unless somebody hunts', () => {
    assert.deepEqual(huntOf({}), huntOf({}))
    assert.equal(huntOf({}).times, 1)
    assert.deepEqual(huntOf({ STELLWERK_SEED: '-7', STELLWERK_RUNS: '20' }), { seed: -7, path: undefined, times: 20 })
    assert.notEqual(huntOf({ STELLWERK_SEED: 'random' }).seed, huntOf({ STELLWERK_SEED: 'random' }).seed)
  })

  it('says what is wrong with what it was asked', () => {
    assert.throws(() => huntOf({ STELLWERK_SEED: 'x' }), /STELLWERK_SEED is "x"/)
    for (const runs of ['0', '-1', 'many', 'Infinity'])
      assert.throws(() => huntOf({ STELLWERK_RUNS: runs }), new RegExp(`STELLWERK_RUNS is "${runs}"`))
  })

  it('that does not hold tells the example and how to see it again', () => {
    const small = fc.property(fc.nat(), (n) => n < 5)
    const replay =
      /Counterexample: \[5\][^]*See it again: STELLWERK_SEED=(\S+) npm test -- test\/support\/\S+ 'that does/
    let seed = ''
    assert.throws(
      () => always(small),
      ({ message }: Error) => {
        seed = replay.exec(message)?.[1] ?? ''
        return seed !== ''
      },
    )
    const { seed: number, path } = huntOf({ STELLWERK_SEED: seed })
    assert.deepEqual(fc.check(small, { seed: number, path: path!, endOnFailure: true }).counterexample, [5])
  })

  it('that takes time is waited for, and its cause is kept', async () => {
    const never = fc.asyncProperty(fc.nat(), async () => assert.fail('no'))
    await assert.rejects(always(never), ({ message, cause }: Error) => {
      assert.match(message, /See it again: STELLWERK_SEED=\S+ npm test/)
      return cause instanceof assert.AssertionError
    })
  })

  it('is checked as often as it says', () => {
    let runs = 0
    always(
      fc.property(fc.nat(), () => void runs++),
      { numRuns: 7 },
    )
    assert.equal(runs, Math.ceil(7 * huntOf(process.env).times))
  })

  it('is checked here and nowhere else', () => {
    const others = globSync('{src,test}/**/*.ts').filter((file) => /\bfc\.assert\(/.test(readFileSync(file, 'utf8')))
    assert.deepEqual(others, [], 'use always() of #test/support/property.ts')
  })
})
