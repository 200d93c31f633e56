import type { Running } from './server.ts'

/** The stop may take this long; then the process ends whatever is still under way. */
const LONGEST_MS = 4500

/** Waits for SIGTERM or SIGINT and then stops in order. A second signal stops at once. */
export async function untilSignal(server: Running): Promise<void> {
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
