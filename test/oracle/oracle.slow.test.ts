import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { startServerProcess, startTestServer, TOKEN, tokenOf } from '#test/support/server.ts'
import { compareAll, type Difference } from './compare.ts'
import { play } from './player.ts'
import { loadRecordings, topicOf } from './recording.ts'
import { review } from './review.ts'

const recordings = loadRecordings()

const shown = ({ id, title, at, expected, actual }: Difference): object => ({ id, title, at, expected, actual })

describe('answers recorded from kube-apiserver', () => {
  it('differ from ours in the reviewed list alone, and every entry of that list is needed', async (t) => {
    const server = await startServerProcess(t, ['--no-controllers', '--log-level', 'error'])
    const ca = readFileSync(join(server.data, 'ca.crt'), 'utf8')
    const played = await play({ recordings, target: { url: server.url, token: tokenOf(server.data), ca } })
    assert.equal(played.length, recordings.filter((r) => topicOf(r) !== 'expired').length)
    const { unexpected, stale } = review(compareAll(played))
    assert.deepEqual(unexpected.map(shown), [])
    assert.deepEqual(
      stale.map(({ ids, at, why }) => ({ ids, at, why })),
      [],
    )
    assert.deepEqual(
      played
        .filter(({ answer }) => answer.status === 500 || answer.status === 503)
        .map(({ recording }) => recording.id),
      [],
    )
    assert.equal(server.stderr(), '', 'nothing went wrong that only the log knows')
  })

  it('agree about lists whose history is gone', async (t) => {
    const server = await startTestServer(t)
    const forget = (): Promise<void> => server.store.compact(server.store.revision)
    const needed = recordings.filter((r) => ['setup', 'list', 'expired'].includes(topicOf(r)) || r.id === 'watch-025')
    const played = await play({ recordings: needed, target: { url: server.url, token: TOKEN }, forget })
    const { unexpected } = review(compareAll(played))
    assert.deepEqual(unexpected.filter(({ id }) => id.startsWith('expired-')).map(shown), [])
  })
})
