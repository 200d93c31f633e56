import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, chownSync, existsSync, mkdirSync, readdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { LAUNCHER, runToEnd, temporaryDirectory } from '#test/support/server.ts'
import { smallDisk } from '#test/support/small-disk.ts'

/** The one line that was said, after the name of the program. */
async function refused(args: readonly string[], options?: Parameters<typeof runToEnd>[1]): Promise<string> {
  const { code, stdout, stderr } = await runToEnd(args, options)
  assert.deepEqual([code, stdout], [1, ''], stderr)
  const lines = stderr.split('\n').filter((line) => line !== '' && !line.startsWith('{'))
  assert.equal(lines.length, 1, stderr)
  assert.match(lines[0] ?? '', /^stellwerk: /)
  return lines[0]?.slice('stellwerk: '.length) ?? ''
}

const serve = (data: string, listen = '127.0.0.1:0'): string[] => ['serve', '--data', data, '--listen', listen]

describe('flags are refused', () => {
  it('by the name that was typed, before anything is made', async (t) => {
    const data = join(temporaryDirectory(t), 'data')
    for (const port of ['abc', '70000', '-1', '1e3'])
      assert.equal(
        await refused(['up', '--data', data, `--port=${port}`]),
        `--port ${port} is not a port: a number from 0 (any free one) to 65535`,
      )
    assert.ok(!existsSync(data))
  })

  it('when they are unknown, before others are missed', async (t) => {
    const said = await refused(['serve', '--data', temporaryDirectory(t), '--lisen', '127.0.0.1:0'])
    assert.equal(said, "unknown option '--lisen' (Did you mean --listen?)")
  })

  it('when they are missing', async (t) => {
    assert.match(await refused(['serve', '--data', temporaryDirectory(t)]), /--listen <host:port>' not specified/)
    assert.match(await refused(['serve', '--listen', '127.0.0.1:0']), /--data <dir>' not specified/)
  })
})

describe('an address that cannot be had is named', () => {
  const cases: Record<string, [listen: string, said: RegExp]> = {
    'without a port where any would do': ['192.0.2.1:0', /^cannot listen on 192\.0\.2\.1: this machine does not have/],
    'with its port': ['192.0.2.1:6443', /^cannot listen on 192\.0\.2\.1:6443: this machine does not have/],
    'in brackets': ['[2001:db8::1]:6443', /^cannot listen on \[2001:db8::1\]:6443: /],
    'by its host name': ['nobody.invalid:6443', /^cannot listen on nobody\.invalid: the host name /],
  }
  for (const [title, [listen, said]] of Object.entries(cases)) {
    it(title, async (t) => assert.match(await refused(serve(temporaryDirectory(t), listen)), said))
  }
})

describe('a kubeconfig', () => {
  it('is the one of `up` when the variable is set to nothing', async (t) => {
    const folder = temporaryDirectory(t)
    writeFileSync(join(folder, 'a.yaml'), 'openapi: 3.0.0')
    const env = { ...process.env, KUBECONFIG: '' }
    const said = await refused(['spec', 'push', 'a.yaml', '-n', 'dev--a--b'], { cwd: folder, env })
    assert.equal(said, '.stellwerk/kubeconfig cannot be read: there is no such file')
  })
})

describe('a store that cannot be written', () => {
  it('says which file is read-only', async (t) => {
    const data = temporaryDirectory(t)
    const path = join(data, 'store.db')
    // Nobody keeps the administrator of the machine from writing, so it has to be somebody else.
    const other = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {}
    if (other.uid !== undefined) chownSync(data, other.uid, other.gid)
    const env = { ...process.env, NODE_COMPILE_CACHE: '' }
    const first = spawn(LAUNCHER, serve(data), { ...other, env, stdio: ['ignore', 'pipe', 'ignore'] })
    await once(first.stdout, 'data')
    first.kill('SIGTERM')
    await once(first, 'exit')
    chmodSync(path, 0o444)
    const said = await refused(serve(data), { ...other, env })
    assert.match(said, new RegExp(`^the store ${path} cannot be opened: ${path} is read-only`))
  })

  it('says that the disk is full, and leaves no halves of files', async (t) => {
    const disk = join(temporaryDirectory(t), 'disk')
    const unmount = smallDisk(disk, '512k')
    if (unmount === undefined) return t.skip('mounting a tmpfs needs root')
    try {
      for (const room of [0, 4096, 16_384, 61_440]) {
        const data = join(disk, `data-${room}`)
        mkdirSync(data)
        fill(disk, room)
        assert.match(await refused(serve(data), { timeout: 30_000 }), FULL, `${room} bytes`)
        assert.deepEqual(
          readdirSync(data).filter((name) => name.endsWith('.tmp')),
          [],
        )
        rmSync(data, { recursive: true })
      }
      fill(disk, 0)
      assert.match(await refused(['up', '--data', join(disk, 'up'), '--port=0']), FULL)
    } finally {
      unmount()
    }
  })
})

const FULL = /: the disk is (probably )?full(, make|\. Make) room and start again$/

/** Takes all the room but so much. */
function fill(disk: string, room: number): void {
  writeFileSync(join(disk, 'ballast'), '')
  const { bavail, bsize } = statfsSync(disk)
  writeFileSync(join(disk, 'ballast'), Buffer.alloc(bavail * bsize - room))
}

describe('the first screen of up', () => {
  it('shows paths that work where it was started', async (t) => {
    const folder = join(temporaryDirectory(t), 'my place')
    mkdirSync(folder)
    const root = join(LAUNCHER, '..')
    assert.match(await firstScreen(t, folder), new RegExp(`kubectl apply -f ${root}/examples/\n`))
    assert.match(await firstScreen(t, folder), /export KUBECONFIG='[^'\n]+\/my place\/data\/kubeconfig'\n/)
    assert.match(await firstScreen(t, root, join(folder, 'data')), /kubectl apply -f examples\/\n/)
    assert.match(await firstScreen(t, folder), /curl --cacert data\/ca\.crt /)
  })

  async function firstScreen(t: TestContext, cwd: string, data = 'data'): Promise<string> {
    const child = spawn(LAUNCHER, ['up', '--data', data, '--port', '0'], { cwd, stdio: ['ignore', 'pipe', 'inherit'] })
    t.after(() => child.kill('SIGKILL'))
    let text = ''
    for await (const chunk of child.stdout) {
      text += String(chunk)
      if (text.includes('Ctrl-C')) child.kill('SIGTERM')
    }
    return text
  }
})

describe('help', () => {
  it('says that kubectl needs TLS', async () => {
    const { stdout } = await runToEnd(['serve', '--help'])
    assert.match(stdout.replaceAll(/\s+/g, ' '), /--http .* kubectl sends no token over http/)
  })
})
