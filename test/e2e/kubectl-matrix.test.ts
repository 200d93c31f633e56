import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { commandsOf } from '#test/support/kubectl-commands.ts'
import { KubectlSession } from '#test/support/kubectl-session.ts'
import { findKubectls, type Kubectl } from '#test/support/kubectls.ts'
import { startServerProcess, type ServerProcess } from '#test/support/server.ts'
import { needs } from '#test/support/system-parts.ts'

const KIND = 'eventtypes.event.cp.ei.vendor.de'

interface Made {
  readonly version?: string
  readonly metadata?: object
}

const eventType = (name: string, { version = '1.0', metadata = {} }: Made = {}): string =>
  JSON.stringify({
    apiVersion: 'event.cp.ei.vendor.de/v1',
    kind: 'EventType',
    metadata: { name, labels: { app: 'shop' }, ...metadata },
    spec: { type: `de.vendor.${name}.v1`, version },
  })

/** The verbs that `kubectl.test.ts` leaves out, with the oldest and the newest client: what lies between agrees there. */
describe('every verb', needs('kubectl'), () => {
  let server: ServerProcess
  const cleanup: (() => unknown)[] = []
  before(async () => {
    const untilTheEnd = { after: (act: () => unknown) => void cleanup.unshift(act) }
    server = await startServerProcess(untilTheEnd, ['--no-controllers', '--log-level', 'error'])
  })
  after(async () => {
    for (const act of cleanup) await act()
  })
  const found = needs('kubectl').skip === false ? findKubectls() : []
  for (const kubectl of new Set([found[0], found.at(-1)])) {
    if (kubectl !== undefined) describe(kubectl.version, () => matrix(kubectl, () => server))
  }
})

function matrix(kubectl: Kubectl, server: () => ServerProcess): void {
  const minor = Number(kubectl.version.split('.')[1])
  let client: KubectlSession
  const { run, succeeds, fails } = commandsOf(() => client)
  before(() => {
    client = new KubectlSession(kubectl, server(), 'm')
  })

  it('creates, but not twice', async () => {
    await succeeds('create -f -', /a created/, eventType('a', { version: '1.3' }))
    await fails('create -f -', /\(AlreadyExists\).*"a" already exists/, eventType('a'))
    await fails('create -f -', /spec\.version/, eventType('z', { version: 'x' }))
    for (const [name, version] of Object.entries({ b: '1.1', c: '1.4', d: '1.2' })) {
      await succeeds('create -f -', /created/, eventType(name, { version, metadata: { labels: { app: name } } }))
    }
  })

  it('replaces, but not what someone else changed meanwhile', async () => {
    const { text: before_ } = await run('get eventtype a -o json')
    await succeeds('replace -f -', /replaced/, eventType('a', { version: '1.5' }))
    await fails('replace -f -', /\(Conflict\).*the object has been modified/, before_)
    await succeeds('replace -f -', /replaced/, eventType('a', { version: '1.3' }))
  })

  it('edits', async () => {
    const edit = (script: string) =>
      client.run(['edit', 'eventtype', 'a', '-n', client.namespace], '', { KUBE_EDITOR: `sed -i ${script}` })
    await succeeds('patch eventtype a --type=merge -p {"spec":{"version":"1.98765"}}', /patched/)
    const { code, text } = await edit('s/98765/6/')
    assert.equal(code, 0, text)
    assert.match(text, /edited/)
    await succeeds('get eventtype a -o jsonpath={.spec.version}', /^1\.6$/)
    assert.match((await edit('s/nothing/nothing/')).text, /cancelled|no changes/)
    await succeeds('patch eventtype a --type=merge -p {"spec":{"version":"1.3"}}', /patched/)
  })

  it('patches a namespace strategically', async () => {
    await succeeds(
      `patch namespace NAMESPACE -p {"metadata":{"labels":{"team":"x"}}}`.replace('NAMESPACE', client.namespace),
      /patched/,
    )
    await succeeds(`get namespace ${client.namespace} -o jsonpath={.metadata.labels.team}`, /^x$/)
    await succeeds(`label namespace ${client.namespace} team-`, /labeled|unlabeled/)
    await succeeds(`annotate namespace ${client.namespace} note=hello`, /annotated?/)
  })

  it('finds no difference where there is none', async () => {
    await succeeds('apply -f -', /configured/, eventType('a', { version: '1.3' }))
    const { code, text } = await run('diff -f -', eventType('a', { version: '1.3' }))
    assert.equal(code, 0, text)
    await succeeds('apply view-last-applied eventtype a', /version: "1\.3"/)
  })

  it('prints in every form', async () => {
    await succeeds('get eventtype a -o json', /"kind": "EventType"/)
    await succeeds('get eventtypes -o json', /"kind": "List"/)
    await succeeds('get eventtypes -o yaml', /^kind: List$/m)
    await succeeds('get eventtypes -o name', /^(eventtype\.event\.cp\.ei\.vendor\.de\/[a-d]\n){4}$/)
    await succeeds('get eventtypes -o wide', /^NAME .*MESSAGE/)
    await succeeds('get eventtypes -o jsonpath={.items[*].metadata.name}', /^a b c d$/)
    await succeeds('get eventtypes -o custom-columns=N:.metadata.name,V:.spec.version', /^N +V\na +1\.3\nb +1\.1\n/)
    await succeeds(
      ['get', 'eventtype', 'a', '-o', 'go-template={{.spec.type}} {{len .metadata.labels}}'],
      /^de\.vendor\.a\.v1 1$/,
    )
    await succeeds('get eventtypes --show-labels --no-headers', /^a .* app=shop$/m)
    await succeeds('get eventtypes -L app', /^NAME .*APP\n/)
    await succeeds('get stellwerk', /eventtype\.event\.cp\.ei\.vendor\.de\/a /)
  })

  it('sorts, selects and pages', async () => {
    await succeeds('get eventtypes --sort-by=.spec.version -o name', /\/b\n.*\/d\n.*\/a\n.*\/c\n/)
    await succeeds('get eventtypes --sort-by=.spec.version', /^NAME .*\nb .*\nd .*\na .*\nc /)
    await succeeds('get eventtypes --field-selector=metadata.name=c -o name', /^\S+\/c\n$/)
    await fails('get eventtypes --field-selector=spec.version=1.1', /field label not supported: spec\.version/)
    await succeeds(['get', 'eventtypes', '-l', 'app in (b,c),app!=c,!x', '-o', 'name'], /^\S+\/b\n$/)
    await succeeds('get eventtypes --chunk-size=1 -o jsonpath={.items[*].metadata.name}', /^a b c d$/)
    await succeeds('get eventtypes -A --chunk-size=2', /NAMESPACE +NAME/)
  })

  it('watches a selection, Table rows and all', async () => {
    const watch = client.follow(['get', 'eventtypes', '-w', '-l', 'app=shop', '-n', client.namespace])
    assert.match(await watch.next(), /^NAME/)
    assert.match(await watch.next(), /^a +de\.vendor\.a\.v1 +1\.3/)
    await succeeds('patch eventtype a --type=merge -p {"spec":{"version":"1.7"}}', /patched/)
    assert.match(await watch.next(), /^a +de\.vendor\.a\.v1 +1\.7/)
    await succeeds('label eventtype a app=other --overwrite', /labeled/)
    assert.match(await watch.next(), /^a +de\.vendor\.a\.v1 +1\.7/)
    watch.stop()
    await succeeds('get eventtype a --show-labels', /app=other/)
  })

  it('explains recursively', async () => {
    await succeeds('explain eventtype --recursive', /spec\s+<(Event|Object|object)[^]*version\s+<string>/)
    await succeeds('explain eventsubscription.spec.delivery', /callback/)
  })

  it('lists what the server serves', async () => {
    await succeeds('api-versions', /^event\.cp\.ei\.vendor\.de\/v1$/m)
    await succeeds('api-resources -o name', new RegExp(`^${KIND}$`, 'm'))
    await succeeds('api-resources --verbs=watch --namespaced=false -o name', /^namespaces$/m)
  })

  it('shows the events of an object', async () => {
    const uid = (await run('get eventtype a -o jsonpath={.metadata.uid}')).text
    const event = {
      apiVersion: 'v1',
      kind: 'Event',
      metadata: { name: 'a.1' },
      involvedObject: {
        apiVersion: 'event.cp.ei.vendor.de/v1',
        kind: 'EventType',
        name: 'a',
        namespace: client.namespace,
        uid,
      },
      type: 'Warning',
      reason: 'Tested',
      message: 'by the matrix',
      source: { component: 'tests' },
      firstTimestamp: '2026-01-01T00:00:00Z',
      lastTimestamp: '2026-01-01T00:00:00Z',
      count: 1,
    }
    await succeeds('create -f -', /created/, JSON.stringify(event))
    await succeeds('describe eventtype a', /Events:[^]*Warning +Tested .*by the matrix/)
    await succeeds('get events', /Warning +Tested +\S*a +by the matrix/)
    // 1.27 takes the first part of a group for a version here, whatever the server.
    const named = minor === 27 ? 'eventtype/a' : 'eventtype.event.cp.ei.vendor.de/a'
    if (minor >= 27) await succeeds(`events --for=${named}`, /Tested/)
  })

  it('answers questions about rights, subresources among them', async () => {
    await succeeds(['auth', 'can-i', '*', '*'], /^yes/)
    await succeeds(`auth can-i update ${KIND} --subresource=status`, /^yes/)
    await succeeds('auth can-i get /readyz', /yes/)
  })

  it('writes the status alone', async () => {
    if (minor < 27) return
    await succeeds('patch eventtype a --subresource=status --type=merge -p {"status":{"active":true}}', /patched/)
    await succeeds('get eventtype a --subresource=status -o jsonpath={.status.active}', /^true$/)
    await succeeds('wait --for=jsonpath={.status.active}=true eventtype/a --timeout=20s', /condition met/)
  })

  it('deletes in cascades: foreground, background, orphans', async () => {
    for (const cascade of ['foreground', 'background', 'orphan']) {
      await succeeds('create -f -', /created/, eventType('owner'))
      const uid = (await run('get eventtype owner -o jsonpath={.metadata.uid}')).text
      const owner = {
        apiVersion: 'event.cp.ei.vendor.de/v1',
        kind: 'EventType',
        name: 'owner',
        uid,
        blockOwnerDeletion: true,
      }
      await succeeds('create -f -', /created/, eventType('owned', { metadata: { ownerReferences: [owner] } }))
      await succeeds(`delete eventtype owner --cascade=${cascade}`, /deleted/)
      await fails('get eventtype owner', /not found/)
      if (cascade === 'orphan') {
        await succeeds('get eventtype owned -o jsonpath={.metadata.ownerReferences}', /^$/)
        await succeeds('delete eventtype owned', /deleted/)
      } else if (cascade === 'foreground') await fails('get eventtype owned', /not found/)
      else if (!(await gone('owned')))
        await succeeds('wait --for=delete eventtype/owned --timeout=20s', /condition met/)
    }
  })

  const gone = async (name: string): Promise<boolean> => (await run(`get eventtype ${name}`)).code !== 0

  it('waits for a deletion that a finalizer holds up', async () => {
    await succeeds('create -f -', /created/, eventType('held', { metadata: { finalizers: ['example.com/a'] } }))
    await succeeds('delete eventtype held --wait=false', /deleted/)
    const waiting = run('wait --for=delete eventtype/held --timeout=30s')
    await succeeds('patch eventtype held --type=json -p [{"op":"remove","path":"/metadata/finalizers"}]', /patched/)
    const { code, text } = await waiting
    // 1.20 fails when the object was gone before it asked.
    assert.ok(code === 0 || (minor < 27 && /not found|no matching/.test(text)), text)
  })

  it('deletes by selector, first only as if, and a whole namespace', async () => {
    await succeeds('delete eventtypes -l app=b --dry-run=server', /"b" deleted.*\(server dry run\)/)
    await succeeds('delete eventtypes -l app=b', /"b" deleted/)
    await succeeds('get eventtypes -o jsonpath={.items[*].metadata.name}', /^a c d$/)
    await succeeds(`delete namespace ${client.namespace} --timeout=30s`, /deleted/)
    await fails(`get namespace ${client.namespace}`, /not found/)
    await succeeds('get eventtypes', /No resources found/)
  })
}
