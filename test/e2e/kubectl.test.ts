import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { commandsOf } from '#test/support/kubectl-commands.ts'
import { KubectlSession } from '#test/support/kubectl-session.ts'
import { findKubectls, type Kubectl } from '#test/support/kubectls.ts'
import { startServerProcess, type ServerProcess } from '#test/support/server.ts'
import { needs } from '#test/support/system-parts.ts'

const manifest = (spec: string): string => `
apiVersion: event.cp.ei.vendor.de/v1
kind: EventType
metadata: { name: orders, labels: { app: shop } }
spec: { type: de.vendor.orders.v1, ${spec} }
`

describe('kubectl', needs('kubectl'), () => {
  let server: ServerProcess
  const cleanup: (() => unknown)[] = []
  before(async () => {
    const untilTheEnd = { after: (act: () => unknown) => void cleanup.unshift(act) }
    server = await startServerProcess(untilTheEnd, ['--no-controllers', '--log-level', 'error'])
  })
  after(async () => {
    for (const act of cleanup) await act()
  })
  for (const kubectl of needs('kubectl').skip === false ? findKubectls() : []) {
    describe(kubectl.version, () => session(kubectl, () => server))
  }
})

function session(kubectl: Kubectl, server: () => ServerProcess): void {
  let client: KubectlSession
  const { run, succeeds, fails } = commandsOf(() => client)
  before(() => {
    client = new KubectlSession(kubectl, server())
  })

  it('applies, finds nothing to do, and applies a change', async () => {
    await succeeds('apply -f -', /orders created/, manifest('version: "1.0"'))
    await succeeds('apply -f -', /orders unchanged/, manifest('version: "1.0"'))
    await succeeds('apply -f -', /orders configured/, manifest('version: "1.1"'))
    await succeeds('apply --dry-run=server -f -', /orders configured \(server dry run\)/, manifest('version: "1.2"'))
    await succeeds('get eventtype orders -o jsonpath={.spec.version}', /^1\.1$/)
    const { code, text } = await run('diff -f -', manifest('version: "1.3"'))
    assert.equal(code, 1, text)
    assert.match(text, /^\+ {2}version: "1\.3"$/m)
  })

  it('is told what is wrong with what it applies', async () => {
    await fails('apply -f -', /spec\.version/, manifest('version: x').replace('orders', 'bad'))
    await fails('apply -f -', /bogus/, manifest('version: "1", bogus: 1').replace('orders', 'bad'))
  })

  it('gets tables, wide tables, YAML and names', async () => {
    await succeeds(
      'get eventtypes',
      /^NAME +TYPE +VERSION +ACTIVE +READY +REASON +AGE\norders +de\.vendor\.orders\.v1 +1\.1 /,
    )
    await succeeds('get evtype -o wide', /^NAME +TYPE +VERSION .*MESSAGE +AGE\n/)
    await succeeds('get eventtype orders -o yaml', /^kind: EventType$/m)
    await succeeds('get eventtypes -l app=shop -o name', /^eventtype\.event\.cp\.ei\.vendor\.de\/orders\n$/)
    await succeeds('get eventtypes --sort-by=.metadata.name', /orders/)
    await fails('get eventtype nobody', /eventtypes\.event\.cp\.ei\.vendor\.de "nobody" not found/)
  })

  it('watches', async () => {
    const watch = client.follow(['get', 'eventtypes', '-w', '--output-watch-events', '-n', client.namespace])
    assert.match(await watch.next(), /^EVENT +NAME/)
    assert.match(await watch.next(), /^ADDED +orders/)
    await succeeds('label eventtype orders watched=yes', /labeled/)
    assert.match(await watch.next(), /^MODIFIED +orders/)
    watch.stop()
  })

  it('describes', async () => {
    await succeeds(
      'describe eventtype orders',
      /^Name: +orders\nNamespace: [^]*Type: +de\.vendor\.orders\.v1[^]*Events: +<none>/,
    )
  })

  it('patches with JSON operations and by merging, but not strategically', async () => {
    const operations = '[{"op":"add","path":"/spec/description","value":"json"}]'
    await succeeds(`patch eventtype orders --type=json -p ${operations}`, /patched/)
    await succeeds('patch eventtype orders --type=merge -p {"spec":{"category":"shop"}}', /patched/)
    await succeeds('get eventtype orders -o jsonpath={.spec.description},{.spec.category}', /^json,shop$/)
    await fails('patch eventtype orders -p {"spec":{"category":"x"}}', /merge-patch/)
  })

  it('labels, annotates and replaces', async () => {
    await succeeds('label eventtype orders tier=front --overwrite', /labeled/)
    await succeeds('annotate eventtype orders note=hello', /annotated?/) // 1.27 forgets the d
    await succeeds(
      'get eventtype orders -o jsonpath={.metadata.labels.tier},{.metadata.annotations.note}',
      /^front,hello$/,
    )
    await succeeds('replace -f -', /replaced/, manifest('version: "2.0"'))
    await succeeds('get eventtype orders -o jsonpath={.spec.version},{.spec.description}', /^2\.0,$/)
  })

  it('waits for a condition', async () => {
    const waiting = run('wait --for=condition=Ready eventtype/orders --timeout=30s')
    const conditions = [
      { type: 'Ready', status: 'True', reason: 'Test', message: '', lastTransitionTime: '2030-01-01T00:00:00Z' },
    ]
    const { json } = await api('GET', '')
    await api('PUT', '/status', { ...json, status: { active: true, conditions } })
    const { code, text } = await waiting
    assert.equal(code, 0, text)
    assert.match(text, /condition met/)
  })

  it('asks what it may do and who it is', async () => {
    await succeeds('auth can-i create eventtypes.event.cp.ei.vendor.de', /^yes\n$/)
    await succeeds('auth can-i --list', /\*\.\*/)
    if (!kubectl.version.startsWith('1.20')) await succeeds('auth whoami', /admin/)
    const made = `made-${client.namespace}`
    await succeeds(`create namespace ${made}`, /namespace\/made-\S+ created/)
    await fails(`create namespace ${made}`, /\(AlreadyExists\)/)
  })

  it('applies on the server, and hears who owns what it wants to change', async () => {
    const own = manifest('version: "5.0"').replace('orders', 'owned')
    await succeeds('apply --server-side -f -', /owned serverside-applied/, own)
    const other = own.replace('5.0', '6.0')
    await fails(
      'apply --server-side --field-manager=other -f -',
      /conflict with "kubectl".*\n?.*\.spec\.version/,
      other,
    )
    await succeeds('apply --server-side --field-manager=other --force-conflicts -f -', /serverside-applied/, other)
    await succeeds('get eventtype owned -o jsonpath={.spec.version}', /^6\.0$/)
    await succeeds('delete eventtype owned', /deleted/)
  })

  it('discovers and explains the kinds', async () => {
    await succeeds(
      'api-resources --api-group=event.cp.ei.vendor.de',
      /^eventtypes +evtype +.*event\.cp\.ei\.vendor\.de\/v1 +true +EventType$/m,
    )
    await succeeds('explain eventtype.spec', /version/)
    await succeeds('explain eventtype.metadata.labels', /select objects by/)
    await succeeds('explain events', /involvedObject[^]*lastTimestamp[^]*reason/)
    await succeeds('explain event.involvedObject', /fieldPath[^]*Name of the object/)
    await succeeds('get all', /eventtype\.event\.cp\.ei\.vendor\.de\/orders/)
    await succeeds('get ns', new RegExp(`^${client.namespace} +Active`, 'm'))
    await succeeds('version', /1\.32\.0\+stellwerk/)
    await succeeds('get --raw /readyz?verbose', /^\[\+\]ping ok\n[^]*readyz check passed\n$/)
    await fails('scale eventtype orders --replicas=2', /the server could not find the requested resource/)
  })

  it('reads the definitions of the kinds, waits for them, and cannot change them', async () => {
    const name = 'eventtypes.event.cp.ei.vendor.de'
    await succeeds('get crd', new RegExp(`^NAME +CREATED AT\\n[^]*^${name} +\\d{4}-`, 'm'))
    await succeeds(`get crd ${name} -o jsonpath={.spec.names.kind}`, /^EventType$/)
    await succeeds(`wait --for=condition=established crd/${name} --timeout=30s`, /condition met/)
    await fails('get crd nope', /"nope" not found/)
    await fails(`delete crd ${name}`, /can only be read here: the kinds come with this server/)
  })

  it('says which kind is not there, also when only its group or version is wrong', async () => {
    const right = manifest('version: "1.0"')
    const missing = (kind: string, version: string): RegExp =>
      new RegExp(`no matches for kind "${kind}" in version "${version}"`)
    await fails('apply -f -', missing('EventTyp', 'event.cp.ei.vendor.de/v1'), right.replace('EventType', 'EventTyp'))
    await fails('create -f -', missing('EventType', 'event.cp.ei.vendor.de/v9'), right.replace('/v1', '/v9'))
    await fails('apply -f -', missing('EventType', 'evnt.cp.ei.vendor.de/v1'), right.replace('event.', 'evnt.'))
  })

  it('deletes, first only as if', async () => {
    await succeeds('delete eventtype orders --dry-run=server', /deleted \(server dry run\)/)
    await succeeds('get eventtype orders -o name', /orders/)
    await succeeds('delete eventtype orders', /deleted/)
    await fails('get eventtype orders', /not found/)
    await succeeds('apply -f -', /created/, manifest('version: "1"'))
    await succeeds('delete eventtypes --all', /deleted/)
    await succeeds('get eventtypes', /No resources found/)
  })

  async function api(method: string, suffix: string, body?: object): Promise<{ json: object }> {
    const path = `/apis/event.cp.ei.vendor.de/v1/namespaces/${client.namespace}/eventtypes/orders${suffix}`
    const args = method === 'GET' ? `get --raw ${path}` : `replace --raw ${path} -f -`
    const { text } = await run(args, body === undefined ? '' : JSON.stringify(body))
    return { json: JSON.parse(text) }
  }
}
