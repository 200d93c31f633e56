import { readFileSync } from 'node:fs'
import { enableCompileCache, flushCompileCache } from 'node:module'
import { fileURLToPath } from 'node:url'
import { setFlagsFromString } from 'node:v8'
import type { ServeFlags, UpFlags } from '#cli/program.ts'
import { resolveOwnImports } from './own-imports.ts'

// Compiling the sources anew at each start would cost more than starting. Threads find the cache by the variable; a
// directory of our own, because whoever can write to it can make us run anything.
process.env['NODE_COMPILE_CACHE'] ??= fileURLToPath(new URL('../node_modules/.cache/stellwerk', import.meta.url))
enableCompileCache()
resolveOwnImports()

// `stellwerk crds | head` closes the pipe when it has seen enough.
process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1))

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as { version: string }

// What the launcher says about the young generation is meant for this thread alone; the others say what they need.
setFlagsFromString('--min-semi-space-size=0')
setFlagsFromString('--max-semi-space-size=0')

// The thread of the store starts beside the reading of the arguments.
const thread = process.argv[2] === 'serve' ? (await import('#store/store-thread.ts')).startStoreThread() : undefined

try {
  // Not imported above: what is loaded before the cache is enabled is not cached.
  const { createProgram } = await import('#cli/program.ts')
  await createProgram({ version, serve, up }).parseAsync()
} catch (error) {
  const { explain } = await import('./explain.ts')
  process.stderr.write(`stellwerk: ${explain(error)}\n`)
  process.exit(1)
}

async function serve(flags: ServeFlags): Promise<void> {
  const { readConfig } = await import('./config.ts')
  const { openStorage } = await import('./storage.ts')
  const config = readConfig(flags)
  // The store is read by a thread of its own, while this one loads the rest.
  const storage = openStorage(config, thread)
  const { startServer } = await import('./server.ts')
  const { untilSignal } = await import('./signals.ts')
  const server = await startServer(config, version, { storage })
  // Whoever reads `ready` may send a signal at once: we listen before we say it.
  const stopped = untilSignal(server)
  process.stdout.write(`ready ${server.url}\n`)
  // At exit would be too late for a process that is killed.
  setTimeout(flushCompileCache, 1000).unref()
  // Without controllers objects are bytes outside the heap, so what lives on it is little: collected when it has grown by
  // half, garbage takes a fifth less memory. While the store was loaded, that would have meant one collection after the
  // other; and with controllers, a pause of many milliseconds each time.
  if (!config.controllers) setFlagsFromString('--heap-growing-percent=50')
  await stopped
}

async function up(flags: UpFlags): Promise<void> {
  const { startLab } = await import('./lab.ts')
  const { untilSignal } = await import('./signals.ts')
  await untilSignal(await startLab(flags, version))
}
