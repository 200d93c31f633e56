import { startStellwerk } from './child.ts'
import { drive, openAll } from './drive.ts'
import type { EventSize } from './event-world.ts'
import { eventWorld } from './event-world.ts'
import { address, createAll } from './world.ts'

/** What creates and status patches cost on our own server when nothing follows from them, in milliseconds. */
export async function measureRaw(size: EventSize): Promise<{ readonly createMs: number; readonly patchMs: number }> {
  const server = await startStellwerk()
  try {
    const connections = await openAll(server.target, 32)
    const { subscriptions } = eventWorld(size, 'http://127.0.0.1')
    const warm = Math.min(size.subscriptions / 2, 2000)
    await createAll(server, connections, subscriptions.slice(0, warm))
    const began = performance.now()
    await createAll(server, connections, subscriptions.slice(warm, warm + size.burst))
    const createMs = performance.now() - began
    await createAll(server, connections, subscriptions.slice(warm + size.burst))
    const patching = performance.now()
    await drive(server, connections, subscriptions.length, (c, i) =>
      c.request('PATCH', `${address(subscriptions[i]!)}/status`, STATUS, 'application/merge-patch+json'),
    )
    const patchMs = performance.now() - patching
    connections.forEach((c) => c.close())
    return { createMs, patchMs }
  } finally {
    await server.stop()
  }
}

const STATUS = JSON.stringify({
  status: {
    conditions: [
      {
        type: 'Ready',
        status: 'False',
        reason: 'PreconditionNotMet',
        message: 'The mesh excludes the zone',
        observedGeneration: 1,
        lastTransitionTime: '2026-01-01T00:00:00Z',
      },
    ],
  },
})
