import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { KubectlSession, type Outcome } from '#test/support/kubectl-session.ts'
import { findKubectls, type Kubectl } from '#test/support/kubectls.ts'
import { startServerProcess, type ServerProcess } from '#test/support/server.ts'
import { needs } from '#test/support/system-parts.ts'

const manifest = (spec: string, name = 'orders'): string => `
apiVersion: event.cp.ei.vendor.de/v1
kind: EventType
metadata: { name: ${name}, labels: { app: shop } }
spec: { type: de.vendor.orders.v1, ${spec} }
`

describe('kubectl apply --server-side', { ...needs('kubectl'), concurrency: 3 }, () => {
  let server: ServerProcess
  const cleanup: (() => unknown)[] = []
  before(async () => {
    const untilTheEnd = { after: (act: () => unknown) => void cleanup.unshift(act) }
    server = await startServerProcess(untilTheEnd, ['--log-level', 'error'])
  })
  after(async () => {
    for (const act of cleanup) await act()
  })
  for (const kubectl of needs('kubectl').skip === false ? findKubectls() : []) {
    describe(kubectl.version, { concurrency: 1 }, () => session(kubectl, () => server))
  }
})

const minorOf = ({ version }: Kubectl): number => Number(version.split('.')[1])

function session(kubectl: Kubectl, server: () => ServerProcess): void {
  const namespace = `ssa-${kubectl.version.replaceAll('.', '-')}`
  let client: KubectlSession
  const run = (args: string, input = ''): Promise<Outcome> => client.run([...args.split(' '), '-n', namespace], input)
  const succeeds = async (args: string, expected: RegExp, input = ''): Promise<void> => {
    const { code, text } = await run(args, input)
    assert.equal(code, 0, `${args}: ${text}`)
    assert.match(text, expected)
  }
  const fails = async (args: string, expected: RegExp, input = ''): Promise<void> => {
    const { code, text } = await run(args, input)
    assert.notEqual(code, 0, `${args}: ${text}`)
    assert.match(text, expected)
  }
  /** Managers and operations, one per line; without the engine, which writes the status when it comes to it. */
  const owners = async (name = 'orders'): Promise<string> => {
    const path = '{range.metadata.managedFields[*]}{.manager}/{.operation}{"\\n"}{end}'
    const { code, text } = await client.run(['get', 'eventtype', name, '-n', namespace, `-o=jsonpath=${path}`])
    assert.equal(code, 0, text)
    return text.replace('stellwerk/Update\n', '').split('\n').toSorted().join('\n').trim()
  }
  before(() => {
    client = new KubectlSession(kubectl, server())
  })

  it('creates, finds nothing to do, and changes', async () => {
    await succeeds('apply --server-side -f -', /orders serverside-applied/, manifest('version: "1.0"'))
    const generation = await run('get eventtype orders -o jsonpath={.metadata.generation}')
    await succeeds('apply --server-side -f -', /orders serverside-applied/, manifest('version: "1.0"'))
    assert.deepEqual(await run('get eventtype orders -o jsonpath={.metadata.generation}'), generation)
    await succeeds('apply --server-side -f -', /orders serverside-applied/, manifest('version: "1.1"'))
    await succeeds('get eventtype orders -o jsonpath={.spec.version}', /^1\.1$/)
    assert.equal(await owners(), 'kubectl/Apply')
  })

  it('tells of a conflict with someone who edited, and takes the field by force', async () => {
    await succeeds('patch eventtype orders --type=merge -p {"spec":{"version":"2"}}', /patched/)
    assert.equal(await owners(), 'kubectl-patch/Update\nkubectl/Apply')
    await fails(
      'apply --server-side -f -',
      /conflict with "kubectl-patch"[^]*\.spec\.version[^]*--force-conflicts/,
      manifest('version: "1.1"'),
    )
    await fails(
      'apply --server-side --field-manager=other -f -',
      /conflict[^]*\.spec\.type/,
      manifest('version: "2"').replace('.v1,', '.v2,'),
    )
    await succeeds('apply --server-side --force-conflicts -f -', /serverside-applied/, manifest('version: "1.1"'))
    await succeeds('get eventtype orders -o jsonpath={.spec.version}', /^1\.1$/)
    assert.equal(await owners(), 'kubectl/Apply')
  })

  it('shares with a second manager, and removes what the first no longer says', async () => {
    await succeeds('apply --server-side -f -', /applied/, manifest('version: "1.1", description: d'))
    await succeeds('apply --server-side --field-manager=second -f -', /applied/, manifest('version: "1.1"'))
    await succeeds('apply --server-side -f -', /applied/, manifest('version: "1.1"'))
    await succeeds('get eventtype orders -o jsonpath={.spec}', /^(?!.*description).*"version":"1.1"/)
    assert.equal(await owners(), 'kubectl/Apply\nsecond/Apply')
  })

  it('shows a difference and changes nothing by looking', async () => {
    const { code, text } = await run('diff --server-side -f -', manifest('version: "1.1", description: new'))
    assert.equal(code, 1, text)
    assert.match(text, /^\+ {2}description: new$/m)
    await succeeds('diff --server-side -f -', /^$/, manifest('version: "1.1"'))
    await succeeds(
      'apply --server-side --dry-run=server -f -',
      /serverside-applied \(server dry run\)/,
      manifest('version: "1.1", description: new'),
    )
    await succeeds('get eventtype orders -o jsonpath={.spec}', /^(?!.*description)/)
  })

  it('is told what is wrong with what it applies', async () => {
    await fails('apply --server-side -f -', /spec\.version/, manifest('version: x', 'bad'))
    await fails('apply --server-side -f -', /bogus/, manifest('version: "1", bogus: 1', 'bad'))
  })

  it('shows who manages what when asked, and only then', async () => {
    if (minorOf(kubectl) >= 21) {
      await succeeds('get eventtype orders -o yaml', /^(?![^]*managedFields)/)
      await succeeds('get eventtype orders -o yaml --show-managed-fields', /managedFields:[^]*f:version: \{\}/)
    } else await succeeds('get eventtype orders -o yaml', /managedFields:[^]*f:version: \{\}/)
  })

  it('continues what was applied from the client', async () => {
    await succeeds('apply -f -', /moved created/, manifest('version: "1", description: d', 'moved'))
    await succeeds('apply --server-side -f -', /moved serverside-applied/, manifest('version: "2"', 'moved'))
    await succeeds('get eventtype moved -o jsonpath={.spec.version}', /^2$/)
    if (minorOf(kubectl) >= 26) {
      assert.match(await owners('moved'), /^(?![^]*client-side)[^]*kubectl\/Apply/)
      await succeeds('get eventtype moved -o jsonpath={.spec}', /^(?!.*description)/)
    }
    await succeeds('apply --server-side -f -', /moved serverside-applied/, manifest('version: "3"', 'moved'))
  })
}
