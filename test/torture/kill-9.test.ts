import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { progress } from '#test/support/progress.ts'
import { type ChildServer, killChild, scratch, spawnServer, startChild } from './child.ts'
import { listCounters, Writer } from './counters.ts'
import { CountingWatcher } from './watcher.ts'

const rounds = Number(process.env.STELLWERK_KILLS ?? 30)
/** The longest a server lives before it is killed, once everyone writes. */
const longestLife = Number(process.env.STELLWERK_KILL_AFTER_MS ?? 300)

/**
 * §5 of the promises: an acknowledged write survives kill -9, nothing is half applied, revisions only grow, and a
 * watcher resumes from its revision without a relist. The moments of the kills are random on purpose; nothing is
 * asserted about time.
 */
test(`kill -9 at ${rounds} random moments loses nothing and no watcher has to start over`, async (t) => {
  const data = scratch(t, 'kill')
  const writers = Array.from({ length: 8 }, (_, i) => new Writer(`w-${i}`))
  const watcher = new CountingWatcher(1)
  let highest = 0
  for (let round = 0; round < rounds; round++) {
    if (round % 5 === 4) await killDuringStart(data)
    const server = await startChild(data)
    const found = await listCounters(server.target)
    for (const writer of writers) writer.recover(found.counters.get(writer.name))
    assert.ok(found.revision >= highest, `revision ${found.revision} after ${highest}`)
    if (round === 0) watcher.revision = found.revision
    await watcher.connect(server.target)
    await watcher.caughtUp(found.counters)

    const running = writers.map((writer) => write(writer, server))
    await Promise.all(running.map(({ begun }) => begun))
    await pause(20 + Math.random() * longestLife)
    await server.kill(round % 10 === 9 ? 'SIGTERM' : 'SIGKILL')
    await Promise.all(running.map(({ over }) => over))
    watcher.close()
    progress(`kill: ${round + 1} of ${rounds} rounds`)
    highest = Math.max(watcher.revision, ...writers.map((w) => w.acknowledged?.revision ?? 0))
  }
  const server = await startChild(data)
  const found = await listCounters(server.target)
  for (const writer of writers) writer.recover(found.counters.get(writer.name))
  await watcher.connect(server.target)
  await watcher.caughtUp(found.counters)
  watcher.close()
  await server.kill('SIGTERM')
  assert.equal(server.process.exitCode, 0, 'a polite stop ends with code 0')
  const acknowledged = writers.reduce((sum, w) => sum + (w.acknowledged?.count ?? 0), 0)
  assert.equal(watcher.events, acknowledged, 'the watcher saw every transition once')
  t.diagnostic(`${rounds} kills, ${acknowledged} acknowledged writes`)
})

/** `begun` once the first write of this round is acknowledged: before that there would be little to lose. */
function write(
  writer: Writer,
  { target }: ChildServer,
): { readonly begun: Promise<void>; readonly over: Promise<void> } {
  const begun = Promise.withResolvers<void>()
  let asked = 0
  const over = writer.run(target, () => {
    if (asked++ > 0) begun.resolve()
    return false
  })
  over.then(begun.resolve, begun.reject)
  return { begun: begun.promise, over }
}

async function killDuringStart(data: string): Promise<void> {
  const child = spawnServer(data)
  await pause(Math.random() * 250)
  await killChild(child, 'SIGKILL')
}
