import { readFileSync } from 'node:fs'
import { enableCompileCache } from 'node:module'
import { createProgram, type ServeFlags, type UpFlags } from '#cli/program.ts'

// Loading the sources anew at each start would cost more than starting.
enableCompileCache()

// `stellwerk crds | head` closes the pipe when it has seen enough.
process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1))

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as { version: string }

try {
  await createProgram({ version, serve, up }).parseAsync()
} catch (error) {
  const { explain } = await import('./explain.ts')
  process.stderr.write(`stellwerk: ${explain(error)}\n`)
  process.exit(1)
}

async function serve(flags: ServeFlags): Promise<void> {
  const { readConfig } = await import('./config.ts')
  const { startServer } = await import('./server.ts')
  const { untilSignal } = await import('./signals.ts')
  const server = await startServer(readConfig(flags), version)
  process.stdout.write(`ready ${server.url}\n`)
  await untilSignal(server)
}

async function up(flags: UpFlags): Promise<void> {
  const { startLab } = await import('./lab.ts')
  const { untilSignal } = await import('./signals.ts')
  await untilSignal(await startLab(flags, version))
}
