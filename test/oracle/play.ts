import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { compareAll, type Difference } from './compare.ts'
import { review } from './review.ts'
import { play } from './player.ts'
import { loadRecordings } from './recording.ts'
import { findObstacle } from './requester.ts'

const USAGE = `Plays recorded requests against a server and says where its answers differ from kube-apiserver's.
  node test/oracle/play.ts --base-url URL --token TOKEN [--ca FILE | --insecure] [--all]
The server must be fresh: the namespaces oracle, oracle-l and oracle-w must not exist. --all shows the intended
differences too. Ends with 1 when there are others, with 2 when nothing could be played.`

const { values } = parseArgs({
  options: {
    'base-url': { type: 'string' },
    token: { type: 'string' },
    ca: { type: 'string' },
    insecure: { type: 'boolean' },
    all: { type: 'boolean' },
  },
})
if (values['base-url'] === undefined || values.token === undefined) {
  process.stderr.write(`${USAGE}\n`)
  process.exit(2)
}
const ca = values.ca === undefined ? undefined : readFileSync(values.ca, 'utf8')
const target = { url: values['base-url'], token: values.token, ca, insecure: values.insecure }
const obstacle = await findObstacle(target)
if (obstacle !== undefined) {
  process.stderr.write(`${obstacle}\n`)
  process.exit(2)
}
const recordings = loadRecordings()
const played = await play({ recordings, target })
const { unexpected, intended } = review(compareAll(played))
const shown = values.all === true ? [...intended, ...unexpected] : unexpected
for (const difference of shown) process.stdout.write(`${describe(difference)}\n`)
const entries = (list: readonly Difference[]): number => new Set(list.map(({ id }) => id)).size
process.stdout.write(
  `${played.length} of ${recordings.length} recordings played; ${entries(intended)} differ as intended, ${entries(unexpected)} otherwise\n`,
)
process.exitCode = unexpected.length === 0 ? 0 : 1

function describe({ id, title, at, expected, actual }: Difference): string {
  return `${id} ${title}\n  ${at}: expected ${short(expected)}\n  ${' '.repeat(at.length)}       got ${short(actual)}`
}

function short(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing'
  return text.length > 300 ? `${text.slice(0, 300)}…` : text
}
