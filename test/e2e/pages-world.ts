import type { TestContext } from 'node:test'
import { Engine } from '#control/engine.ts'
import type { SendHttp } from '#controllers/actuators/http-call.ts'
import { apiControllers } from '#controllers/api.ts'
import { eventControllers } from '#controllers/event.ts'
import { platformControllers } from '#controllers/platform.ts'
import { Event } from '#domain/kinds/core/event.ts'
import { KINDS } from '#domain/kinds/index.ts'
import { systemClock } from '#lib/clock.ts'
import { createLog } from '#lib/log.ts'
import type { RunningRegistry } from '#registry/create-registry.ts'
import { registrySource } from '#registry/source.ts'
import { startTestServer, type TestServer } from '#test/support/server.ts'
import { settle } from '#test/support/settle.ts'

/** Whatever is outside answers: every issuer gives a token, every backend and webhook accepts. */
const everyoneAnswers: SendHttp = async () => ({ status: 200, retryAfter: null, text: '{"access_token":"t"}' })

export interface PagesWorld extends Pick<TestServer, 'send'> {
  /** Resolves when nothing is left to do. */
  settled(): Promise<void>
}

/** The API and all controllers in this process, in a world where everyone outside answers. */
export async function startPagesWorld(t: Pick<TestContext, 'after'>): Promise<PagesWorld> {
  const ends: (() => unknown)[] = []
  const server = await startTestServer({ after: (end) => void ends.push(end as () => unknown) })
  const registry = server.registry as RunningRegistry
  const stop = new AbortController()
  const engine = new Engine({
    source: registrySource(registry, { name: 'system:stellwerk', groups: [], platform: true }),
    controllers: [
      ...platformControllers({ send: everyoneAnswers }),
      ...apiControllers(),
      ...eventControllers({ send: everyoneAnswers }),
    ],
    kinds: KINDS.filter((kind) => kind !== Event),
    installation: { issuerBase: 'https://issuer.example' },
    clock: systemClock,
    log: createLog({ level: 'silent' }),
  })
  const done = engine.run(stop.signal)
  t.after(async () => {
    stop.abort()
    await done
    for (const end of ends) await end()
  })
  return { send: (method, path, sent) => server.send(method, path, sent), settled: () => settle(engine, registry) }
}
