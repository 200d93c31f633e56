/** Opens the store and writes until it is killed, telling on stdout what was acknowledged. */
import { writeSync } from 'node:fs'
import { openSqliteStore } from '#store/sqlite.ts'
import { accepted, bytes } from '#test/contract/store-values.ts'

const [path, round] = process.argv.slice(2) as [string, string]

/** Written before anything else happens; a pipe that is full for the moment is tried again. */
function say(line: string): void {
  for (;;) {
    try {
      writeSync(1, `${line}\n`)
      return
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error
    }
  }
}

const store = await openSqliteStore({ path, history: { revisions: 2000 } })
say(`open ${store.revision}`)
await store.watch('', store.revision, ([change]) => say(`seen ${change!.revision}`))

/** Two keys per transaction with the same text: half a transaction would show. */
async function writer(lane: number): Promise<void> {
  for (let i = 0; ; i++) {
    const name = `${round}.${lane}.${i}`
    const encode = (revision: number) => bytes(`${name} ${revision} ${'x'.repeat(i % 300)}`)
    const keys = [`/left/${name}`, `/right/${name}`, `/hot/${lane}`]
    const revision = await accepted(store.transact(keys.map((key) => ({ type: 'put', key, expect: 'any', encode }))))
    say(`ack ${revision} ${name}`)
  }
}

await Promise.all(Array.from({ length: 6 }, (_, lane) => writer(lane)))
