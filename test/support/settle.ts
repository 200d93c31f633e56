import type { Engine } from '#control/engine.ts'
import type { RunningRegistry } from '#registry/create-registry.ts'

/** Resolves when neither the engine nor the registry's own workers have anything left to do at this moment. */
export async function settle(engine: Engine | undefined, registry: RunningRegistry): Promise<void> {
  for (let round = 0; round < 2; round++) {
    await engine?.settle()
    await registry.settled()
  }
  await engine?.settle()
}
