import type { Running } from './server.ts'

/** The stop may take this long; then the process ends whatever is still under way. */
const LONGEST_MS = 4500

/**
 * Waits for SIGTERM or SIGINT and then stops in order. A second signal stops at once. A server without its store ends by
 * itself: what the last writes came to is known to whoever opens the store again, so that is what has to happen.
 */
export async function untilSignal(server: Running): Promise<void> {
  void server.lost.then((error) => {
    server.log.error('the store has broken down; start the server again', { error })
    process.exit(1)
  })
  const signal = await new Promise<NodeJS.Signals>((resolve) => {
    process.once('SIGTERM', resolve)
    process.once('SIGINT', resolve)
  })
  server.log.info('stopping', { signal })
  for (const again of ['SIGTERM', 'SIGINT'] as const) process.once(again, () => process.exit(1))
  const late = setTimeout(() => {
    server.log.error('the stop took too long', { ms: LONGEST_MS })
    process.exit(1)
  }, LONGEST_MS)
  await server.close()
  clearTimeout(late)
  process.exit(0)
}
