import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Limits } from '#apiserver/limits.ts'

test('work that can wait goes on when no request is being answered; watches do not count', async () => {
  const limits = new Limits()
  assert.equal(limits.whenIdle(), undefined)
  limits.enter('watches')
  assert.equal(limits.whenIdle(), undefined)
  limits.enter('reads')
  limits.enter('writes')
  const order: string[] = []
  const waiting = limits.whenIdle()!.then(() => order.push('went on'))
  limits.leave('reads')
  order.push('one left')
  limits.leave('writes')
  order.push('all left')
  await waiting
  assert.deepEqual(order, ['one left', 'all left', 'went on'])
})

test('it does not wait for a slow caller twice, until somebody else comes or goes', async () => {
  const limits = new Limits()
  limits.enter('writes')
  await limits.whenIdle()
  assert.equal(limits.underWay('writes'), 1)
  assert.equal(limits.whenIdle(), undefined)
  limits.enter('reads')
  const waiting = limits.whenIdle()
  assert.notEqual(waiting, undefined)
  limits.leave('reads')
  assert.notEqual(limits.whenIdle(), undefined)
  limits.leave('writes')
  assert.equal(limits.whenIdle(), undefined)
  await waiting
})
