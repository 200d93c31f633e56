import assert from 'node:assert/strict'
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { hostname, machine, tmpdir, type } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, it } from 'node:test'

const repository = dirname(dirname(import.meta.dirname))

/**
 * Stands in for npm: notes its arguments and environment, then does what npm.json of the checkout says for its command:
 * installs (links the Node that runs this test), fails, or hangs with half of the work done.
 */
const NPM = `
const fs = require('node:fs')
const [command] = process.argv.slice(2)
fs.appendFileSync('npm.log', JSON.stringify({ pid: process.pid, args: process.argv.slice(2), env: process.env }) + '\\n')
const behaviour = JSON.parse(fs.readFileSync('npm.json', 'utf8'))[command] ?? 'install'
if (behaviour === 'fail') {
  console.error('npm says why')
  process.exit(1)
}
fs.mkdirSync('node_modules/.bin', { recursive: true })
if (behaviour === 'hang') {
  fs.writeFileSync('half', '')
  setInterval(() => {}, 1000)
} else {
  fs.rmSync('node_modules/.bin/node', { force: true })
  fs.symlinkSync(process.env.TEST_NODE, 'node_modules/.bin/node')
  const { packages } = JSON.parse(fs.readFileSync('package-lock.json', 'utf8'))
  const installed = Object.entries(packages).filter(([, entry]) => !entry.dev || process.argv.includes('--include=dev'))
  fs.writeFileSync('node_modules/.package-lock.json', JSON.stringify({ packages: Object.fromEntries(installed) }))
}
`

let checkout: string
const children: ChildProcess[] = []

beforeEach(() => {
  checkout = mkdtempSync(join(tmpdir(), 'stellwerk-boot-'))
  mkdirSync(join(checkout, 'scripts'))
  mkdirSync(join(checkout, 'src'))
  cpSync(join(repository, 'scripts/bootstrap.mjs'), join(checkout, 'scripts/bootstrap.mjs'))
  cpSync(join(repository, 'stellwerk'), join(checkout, 'stellwerk'))
  write('npm-cli.js', NPM)
  write('npm.json', '{}')
  writeLock('1.0.0')
  write(
    'src/main.ts',
    'const { argv, pid } = process; const seen: object = { argv: argv.slice(2), pid, cwd: process.cwd() }; console.log(JSON.stringify(seen))',
  )
})

afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL')
  rmSync(checkout, { recursive: true })
})

const write = (path: string, text: string) => writeFileSync(join(checkout, path), text)
/** A package that running needs and one for development. */
const writeLock = (version: string) =>
  write(
    'package-lock.json',
    JSON.stringify({
      packages: { '': {}, 'node_modules/a': { version }, 'node_modules/b': { version, dev: true } },
    }),
  )
const stamp = () => join(checkout, `node_modules/.stellwerk-installed.${type()}-${machine()}`)

interface NpmCall {
  readonly pid: number
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
}

function npmCalls(): readonly NpmCall[] {
  const log = join(checkout, 'npm.log')
  if (!existsSync(log)) return []
  return readFileSync(log, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as NpmCall)
}

const npmCommands = () => npmCalls().map(({ args }) => args[0])
const npmExtents = () => npmCalls().map(({ args }) => `${args[0]} ${args.find((arg) => arg.endsWith('=dev'))}`)

function start(command: string, args: readonly string[], env: Readonly<Record<string, string>> = {}): ChildProcess {
  const npm = {
    npm_execpath: join(checkout, 'npm-cli.js'),
    npm_node_execpath: process.execPath,
    TEST_NODE: process.execPath,
  }
  const child = spawn(command, args, {
    cwd: tmpdir(),
    env: { ...process.env, ...npm, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  children.push(child)
  return child
}

const bootstrap = (env?: Readonly<Record<string, string>>) =>
  start(process.execPath, [join(checkout, 'scripts/bootstrap.mjs')], env)
const bootstrapDev = (env?: Readonly<Record<string, string>>) =>
  start(process.execPath, [join(checkout, 'scripts/bootstrap.mjs'), '--dev'], env)

async function ended(child: ChildProcess): Promise<{ code: number | null; stdout: string; stderr: string }> {
  let stdout = ''
  let stderr = ''
  child.stdout?.on('data', (data) => (stdout += String(data)))
  child.stderr?.on('data', (data) => (stderr += String(data)))
  const code = await new Promise<number | null>((resolve) => child.on('close', resolve))
  return { code, stdout, stderr }
}

/** Polls because the other side is a process: there is no event to wait for. */
async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 10))
}

describe('bootstrap', { timeout: 60_000 }, () => {
  it('installs once, says so on standard error, and then finds everything fresh', async () => {
    const first = await ended(bootstrap())
    assert.deepEqual([first.code, first.stdout], [0, ''])
    assert.match(first.stderr, /installing the dependencies.*\n.*ready after \d+ s, on Node v/)
    assert.deepEqual(await ended(bootstrap()), { code: 0, stdout: '', stderr: '' })
    assert.deepEqual(npmCommands(), ['ci'])
  })

  it('installs again when the lock file changed', async () => {
    await ended(bootstrap())
    writeLock('2.0.0')
    await ended(bootstrap())
    assert.deepEqual(npmCommands(), ['ci', 'ci'])
  })

  it('accepts what somebody installed with npm, if it is what the lock file says', async () => {
    await ended(bootstrap())
    rmSync(stamp())
    await ended(bootstrap())
    assert.deepEqual(npmCommands(), ['ci'])
    assert.ok(existsSync(stamp()))
  })

  for (const [extent, begin, option] of [
    ['what running needs', bootstrap, '--omit=dev'],
    ['everything for development', bootstrapDev, '--include=dev'],
  ] as const) {
    it(`installs ${extent}, whatever the environment asks for`, async () => {
      await ended(begin({ NODE_ENV: 'production', npm_config_omit: 'optional', NPM_CONFIG_PRODUCTION: 'true' }))
      const { args, env } = npmCalls()[0] as NpmCall
      assert.deepEqual(args, ['ci', '--ignore-scripts', option, '--include=optional'])
      assert.deepEqual(
        [env['NODE_ENV'], env['npm_config_omit'], env['NPM_CONFIG_PRODUCTION']],
        [undefined, undefined, undefined],
      )
    })
  }

  it('adds the packages for development when they are needed, leaving alone what may be running', async () => {
    await ended(bootstrap())
    const { stderr } = await ended(bootstrapDev())
    assert.match(stderr, /adding the packages for development/)
    for (const again of [bootstrap, bootstrapDev, bootstrap]) {
      assert.deepEqual(await ended(again()), { code: 0, stdout: '', stderr: '' })
    }
    assert.deepEqual(npmExtents(), ['ci --omit=dev', 'install --include=dev'])
  })

  it('starts from nothing where the packages for development cannot be added', async () => {
    await ended(bootstrap())
    write('npm.json', '{ "install": "fail" }')
    assert.equal((await ended(bootstrapDev())).code, 0)
    assert.deepEqual(npmExtents(), ['ci --omit=dev', 'install --include=dev', 'ci --include=dev'])
  })

  it('keeps the packages for development, once they are there, through a change of the lock file', async () => {
    await ended(bootstrapDev())
    writeLock('2.0.0')
    await ended(bootstrap())
    await ended(bootstrapDev())
    assert.deepEqual(npmExtents(), ['ci --include=dev', 'ci --include=dev'])
  })

  it('does not take half of the packages for development for all of them', async () => {
    await ended(bootstrap())
    write('npm.json', '{ "install": "hang" }')
    const interrupted = bootstrapDev()
    await until(() => existsSync(join(checkout, 'half')))
    interrupted.kill('SIGKILL')
    await ended(interrupted)
    for (const { pid } of npmCalls().slice(1)) process.kill(pid, 'SIGKILL')
    write('npm.json', '{}')
    assert.equal((await ended(bootstrap())).code, 0)
    assert.equal((await ended(bootstrapDev())).code, 0)
    assert.deepEqual(npmExtents().slice(2), ['ci --omit=dev', 'install --include=dev'])
  })

  it('does not take what somebody installed for running for everything', async () => {
    await ended(bootstrap())
    rmSync(stamp())
    await ended(bootstrap())
    await ended(bootstrapDev())
    assert.deepEqual(npmExtents(), ['ci --omit=dev', 'install --include=dev'])
  })

  it('falls back to npm install where npm ci refuses the lock file', async () => {
    write('npm.json', '{ "ci": "fail" }')
    const { code, stderr } = await ended(bootstrap())
    assert.equal(code, 0)
    assert.doesNotMatch(stderr, /npm says why/)
    assert.deepEqual(npmCalls()[1]?.args.slice(0, 2), ['install', '--no-save'])
  })

  it('shows what npm said when nothing works, and tries again the next time', async () => {
    write('npm.json', '{ "ci": "fail", "install": "fail" }')
    const { code, stderr } = await ended(bootstrap())
    assert.equal(code, 1)
    assert.match(stderr, /npm says why\n\[set-up\] npm could not install/)
    write('npm.json', '{}')
    assert.equal((await ended(bootstrap())).code, 0)
  })

  it('repairs an installation that was interrupted', async () => {
    await ended(bootstrap())
    writeLock('2.0.0')
    write('npm.json', '{ "ci": "hang" }')
    const interrupted = bootstrap()
    await until(() => existsSync(join(checkout, 'half')))
    interrupted.kill('SIGINT')
    assert.equal((await ended(interrupted)).code, 130)
    assert.ok(!existsSync(join(checkout, 'node_modules/.package-lock.json')))
    assert.ok(!existsSync(stamp()) && !existsSync(join(checkout, '.stellwerk-bootstrap.lock')))
    write('npm.json', '{}')
    assert.equal((await ended(bootstrap())).code, 0)
    assert.ok(existsSync(stamp()))
  })

  it('lets one install while others wait for it', async () => {
    const codes = await Promise.all([1, 2, 3].map(async () => (await ended(bootstrap())).code))
    assert.deepEqual(codes, [0, 0, 0])
    assert.deepEqual(npmCommands(), ['ci'])
  })

  it('leaves everything in place when starts and tests begin at the same time', async () => {
    const all = [bootstrap, bootstrapDev, bootstrap, bootstrapDev].map((begin) => ended(begin()))
    assert.deepEqual(
      (await Promise.all(all)).map(({ code }) => code),
      [0, 0, 0, 0],
    )
    assert.ok(['ci --include=dev', 'install --include=dev'].includes(npmExtents().at(-1) ?? ''))
    assert.ok(npmExtents().length <= 2)
    assert.deepEqual(await ended(bootstrapDev()), { code: 0, stdout: '', stderr: '' })
  })

  it('takes over from an installer that was killed', async () => {
    const gone = spawn(process.execPath, ['--version'])
    await ended(gone)
    write('.stellwerk-bootstrap.lock', JSON.stringify({ pids: [gone.pid], host: hostname() }))
    assert.equal((await ended(bootstrap())).code, 0)
    assert.deepEqual(npmCommands(), ['ci'])
  })

  it('stops with one sentence where there is no Node 24 to run on', async (t) => {
    const old = oldNode()
    if (old === undefined) return t.skip('this machine has no Node older than 24 to show it with')
    const script = join(checkout, 'scripts/bootstrap.mjs')
    const { code, stderr } = await ended(start(old, [script], { TEST_NODE: '/bin/false', PATH: dirname(old) }))
    assert.equal(code, 1)
    assert.match(stderr, /\n\[set-up\] Stellwerk runs on Node.js 24 or newer and found v2[0-3]\.[^\n]*\n$/)
    assert.ok(!existsSync(stamp()))
  })
})

describe('./stellwerk', { timeout: 60_000 }, () => {
  const seen = async (child: ChildProcess) => {
    const { code, stdout, stderr } = await ended(child)
    assert.equal(code, 0, stderr)
    return JSON.parse(stdout) as { argv: string[]; pid: number; cwd: string }
  }

  it('sets itself up, then becomes the program: same pid, arguments and folder', async () => {
    const child = start(join(checkout, 'stellwerk'), ['get', 'two words', '', '$HOME', '*'])
    assert.deepEqual(await seen(child), {
      argv: ['get', 'two words', '', '$HOME', '*'],
      pid: child.pid,
      cwd: realpathSync(tmpdir()),
    })
    assert.deepEqual(npmCommands(), ['ci'])
  })

  it('starts without npm and without the Node on PATH once it is set up', async () => {
    await ended(bootstrap())
    symlinkSync('/bin/false', join(checkout, 'node'))
    await seen(start(join(checkout, 'stellwerk'), [], { PATH: `${checkout}:/usr/bin:/bin` }))
    assert.deepEqual(npmCommands(), ['ci'])
  })

  it('notices that the lock file changed', async () => {
    await ended(bootstrap())
    writeLock('2.0.0')
    await seen(start(join(checkout, 'stellwerk'), []))
    assert.deepEqual(npmCommands(), ['ci', 'ci'])
  })

  it('works through links, absolute and relative', async () => {
    mkdirSync(join(checkout, 'a folder'))
    symlinkSync('../stellwerk', join(checkout, 'a folder/relative'))
    symlinkSync(join(checkout, 'a folder/relative'), join(checkout, 'absolute'))
    await seen(start(join(checkout, 'absolute'), []))
  })

  it('ends with the code of the program, and of a set-up that failed', async () => {
    write('src/main.ts', 'process.exit(7)')
    assert.equal((await ended(start(join(checkout, 'stellwerk'), []))).code, 7)
    writeLock('2.0.0')
    write('npm.json', '{ "ci": "fail", "install": "fail" }')
    assert.equal((await ended(start(join(checkout, 'stellwerk'), []))).code, 1)
  })
})

function oldNode(): string | undefined {
  const folders = (process.env['PATH'] ?? '').split(delimiter).map((folder) => join(folder, 'node'))
  return folders.find((path) => existsSync(path) && /^v2[0-3]\./.test(spawnSync(path, ['--version']).stdout.toString()))
}
