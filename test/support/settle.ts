import type { Engine } from '#control/engine.ts'
import type { RunningRegistry } from '#registry/create-registry.ts'

/**
 * Resolves when neither the engine nor the registry's own workers have anything left to do: each wakes the other, so it is
 * over only after a round in which nothing was written.
 */
export async function settle(engine: Engine | undefined, registry: RunningRegistry): Promise<void> {
  for (let before = -1; before !== registry.revision;) {
    before = registry.revision
    await engine?.settle()
    await registry.settled()
    await engine?.settle()
  }
}
