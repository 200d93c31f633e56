import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import type { Store } from '#store/store.ts'
import { text } from '#test/contract/store-values.ts'
import { places } from './places.ts'

const { place, open } = places()
const ROUNDS = 20
const writerPath = fileURLToPath(new URL('crash-writer.ts', import.meta.url))

interface Crash {
  opened: number | undefined
  acknowledged: Map<string, number>
  newestSeen: number
}

/** Runs the writer and kills it when it has said `lines` lines, or while it starts when that is 0. */
async function crash(path: string, round: number, lines: number): Promise<Crash> {
  const child = spawn(process.execPath, [writerPath, path, `${round}`], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const result: Crash = { opened: undefined, acknowledged: new Map(), newestSeen: 0 }
  if (lines === 0) setTimeout(() => child.kill('SIGKILL'), round * 7)
  let said = 0
  for await (const line of createInterface(child.stdout)) {
    const [what, revision, name] = line.split(' ')
    if (what === 'open') result.opened = Number(revision)
    if (what === 'seen') result.newestSeen = Number(revision)
    if (what === 'ack') result.acknowledged.set(name!, Number(revision))
    if (++said === lines) child.kill('SIGKILL')
  }
  return result
}

/** Everything acknowledged is there, with its revision, and every transaction is there with all its keys. */
function check(store: Store, acknowledged: ReadonlyMap<string, number>): void {
  for (const [name, revision] of acknowledged) {
    assert.equal(store.get(`/left/${name}`)?.revision, revision, `acknowledged ${name}`)
  }
  for (const { key, value, revision } of store.entries('/left/')) {
    const right = store.get(key.replace('left', 'right'))
    assert.equal(right?.revision, revision, `${key} has its other half`)
    assert.equal(text(right.value), text(value))
    assert.ok(text(value).startsWith(`${key.slice('/left/'.length)} ${revision} `), `${key} is whole`)
  }
  assert.equal(store.count('/left/'), store.count('/right/'))
}

test(`kill -9, ${ROUNDS} times: nothing acknowledged or seen is lost, nothing is half there`, async () => {
  const path = place()
  const acknowledged = new Map<string, number>()
  let newest = 0
  let resume = 0
  for (let round = 1; round <= ROUNDS; round++) {
    const result = await crash(path, round, round % 5 === 0 ? 0 : 40 + ((round * 97) % 400))
    if (result.opened !== undefined) assert.ok(result.opened >= newest, 'revisions never go back')
    for (const [name, revision] of result.acknowledged) acknowledged.set(name, revision)
    const store = await open({ path, history: { revisions: 2000 } })
    assert.ok(store.revision >= Math.max(newest, result.newestSeen, ...result.acknowledged.values()))
    check(store, acknowledged)
    await checkReplay(store, Math.max(resume, store.floor))
    newest = store.revision
    resume = store.revision
    await store.close()
  }
  assert.ok(acknowledged.size > 500, `${acknowledged.size} acknowledged writes are too few to mean something`)
})

/** A watcher that was at `from` before the crash goes on from there: every revision once, each a whole transaction. */
async function checkReplay(store: Store, from: number): Promise<void> {
  const revisions: number[] = []
  await store.watch('', from, (changes) => {
    assert.equal(changes.length, 3)
    revisions.push(changes[0]!.revision)
  })
  assert.deepEqual(
    revisions,
    Array.from({ length: store.revision - from }, (_, i) => from + 1 + i),
  )
}

test('another process is refused while this one has the store', async () => {
  const path = place()
  const store = await open({ path })
  const child = spawn(process.execPath, [writerPath, path, '1'], { stdio: ['ignore', 'ignore', 'pipe'] })
  let complaint = ''
  for await (const chunk of child.stderr) complaint += String(chunk)
  assert.match(complaint, /DataInUse: the data directory .* is in use by another process/)
  await store.close()
})
