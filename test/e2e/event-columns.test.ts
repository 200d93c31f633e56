import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { KINDS } from '#domain/kinds/index.ts'
import { KubectlSession } from '#test/support/kubectl-session.ts'
import { findKubectls } from '#test/support/kubectls.ts'
import { startServerProcess } from '#test/support/server.ts'
import { needs } from '#test/support/system-parts.ts'
import { RealBackend } from './event-world.ts'

const read = (file: string): string => readFileSync(join(import.meta.dirname, file), 'utf8')

/** One block of event-tables.txt: what `kubectl get <kind> -n <namespace>` says, head first. */
interface Shown {
  readonly kind: string
  readonly namespace: string
  readonly lines: readonly string[]
}

const TABLES: readonly Shown[] = read('event-tables.txt')
  .trim()
  .split('\n\n')
  .slice(1)
  .map((block) => {
    const [title = '', ...lines] = block.split('\n')
    const [kind = '', namespace = ''] = title.split(' in ')
    return { kind, namespace, lines }
  })

const ORDERS = 'prod--shop--orders'
const DOCUMENT = {
  openapi: '3.0.3',
  info: { title: 'Cart', version: '1.2.0', 'x-api-category': 'internal' },
  servers: [{ url: '/shop/cart/v1' }],
}

describe('what an operator sees of a running world', needs('kubectl'), () => {
  const ends: (() => unknown)[] = []
  const context = { after: (end: unknown) => void ends.unshift(end as () => unknown) }
  const sessions: KubectlSession[] = []

  before(async () => {
    const backend = new RealBackend()
    await backend.start(context)
    const server = await startServerProcess(context, ['--log-level', 'warn', '--issuer-url', backend.origin])
    sessions.push(...findKubectls().map((kubectl) => new KubectlSession(kubectl, server)))
    await succeeds(['apply', '-f', '-'], read('event-operator-world.yaml').replaceAll('$backend', backend.origin))
    const path = `/apis/rover.cp.ei.vendor.de/v1/namespaces/${ORDERS}/apispecifications/shop-cart-v1/document`
    await succeeds(['replace', '--raw', path, '-f', '-'], JSON.stringify(DOCUMENT))
    await succeeds(['wait', '--for=condition=Ready', 'rover/cart', '-n', ORDERS, '--timeout=30s'])
    await succeeds(['apply', '-f', '-'], read('event-operator-rivals.yaml'))
  })
  after(async () => {
    for (const end of ends) await end()
  })

  async function succeeds(args: readonly string[], input?: string, session = sessions.at(-1)!): Promise<string> {
    const { code, text } = await session.run(args, input)
    assert.equal(code, 0, `${args.join(' ')}: ${text}`)
    return text
  }

  /** The world comes to rest by itself: a table is looked at until it says what it should, and not for ever. */
  async function eventually(args: readonly string[], holds: (text: string) => boolean): Promise<string> {
    for (let i = 0; ; i++) {
      const text = await succeeds(args)
      if (holds(text) || i > 150) return text
    }
  }

  for (const { kind, namespace, lines } of TABLES) {
    it(`kubectl get: ${kind} in ${namespace} shows ${lines[0]}`, async () => {
      const text = await eventually(['get', resourceOf(kind), '-n', namespace], (said) => agrees(said, lines))
      if (!agrees(text, lines)) assert.deepEqual(cellsOf(text), lines)
    })
  }

  it('an ApiSubscription points at the route, the approval and the consume route made for it (§1.3)', async () => {
    const paths = ['route', 'approval', 'approvalRequest', 'consumeRoute'].map((ref) => `{.status.${ref}.name}`)
    const args = ['get', 'apisubscription', 'app--shop-cart-v1', '-n', 'prod--shop--billing']
    const said = await succeeds([...args, '-o', `jsonpath=${paths.join(',')}`])
    const [route, approval, request, consumeRoute] = said.split(',')
    assert.deepEqual(
      [route, approval, consumeRoute],
      ['shop-cart-v1', 'apisubscription--app--shop-cart-v1', 'c--app--shop-cart-v1'],
    )
    assert.match(request ?? '', /^app--shop-cart-v1--\w+$/)
  })

  it('every kind has its table', () => {
    const ours = KINDS.filter(({ group }) => group !== '').map(({ kind }) => kind)
    assert.deepEqual(
      ours.filter((kind) => !TABLES.some((table) => table.kind === kind)),
      [],
    )
  })

  it('where a kind has them, active, zone, ready, reason and age come last and in this order', () => {
    for (const { kind, columns } of KINDS.filter(({ group }) => group !== '')) {
      const names = columns.filter((column) => column.priority !== 1).map((column) => column.name)
      const last = ['Active', 'Zone', 'Ready', 'Reason', 'Age'].filter((name) => names.includes(name))
      assert.deepEqual(names.slice(-last.length), last, kind)
    }
  })

  it('kubectl describe ends with the story of the object, its trouble as a warning', async () => {
    const storyOf = (text: string): string => text.slice(text.lastIndexOf('\nEvents:'))
    for (const [object, namespace, told] of [
      ['eventsubscription/app--orders-v1', 'prod--shop--billing', /Normal +Provisioned .*stellwerk +Provisioned$/m],
      ['eventsubscription/mailer--orders-v1', 'prod--shop--post', /Normal +ApprovalPending .*by team shop--orders$/m],
      [
        'eventsubscription/lost--orders-v1',
        'prod--shop--lost',
        /Warning +ValidationFailed .*spec\.delivery\.callback/m,
      ],
      ['eventexposure/mailer--orders-v1', 'prod--shop--post', /Warning +PreconditionNotMet .*shop--orders/m],
      ['eventconfig/prod', 'prod--b', /Normal +Provisioned /m],
      ['zone/d', 'prod', /Warning +ValidationFailed .*localhost/m],
    ] as const) {
      const [kind = '', name = ''] = object.split('/')
      const text = await eventually(['describe', kind, name, '-n', namespace], (said) => told.test(storyOf(said)))
      assert.match(storyOf(text), told, object)
    }
  })

  it('kubectl get events has the columns of a cluster, whatever its version', async () => {
    const about = 'zone/d +The gateway host localhost is only reachable from its own machine;.*'
    for (const session of sessions) {
      const text = await succeeds(['get', 'events', '-n', 'prod'], undefined, session)
      assert.match(text, /^LAST SEEN +TYPE +REASON +OBJECT +MESSAGE\n/)
      assert.match(text, new RegExp(`^\\d+s +Warning +ValidationFailed +${about}$`, 'm'))
      const wide = await succeeds(['get', 'events', '-n', 'prod', '-o', 'wide'], undefined, session)
      assert.match(wide, /^LAST SEEN +TYPE +REASON +OBJECT +SUBOBJECT +SOURCE +MESSAGE +FIRST SEEN +COUNT +NAME\n/)
      assert.match(wide, /^\d+s +Warning +ValidationFailed +zone\/d +stellwerk +The gateway.* +\d+s +1 +d\.\w+$/m)
    }
  })
})

const resourceOf = (name: string): string => {
  const kind = KINDS.find((k) => k.kind === name)
  return `${kind?.plural}.${kind?.group}`
}

/** The cells of each line, by where the head has its columns: an empty cell is empty, not skipped. */
function cellsOf(text: string): readonly string[] {
  const lines = text.split('\n').filter((line) => line !== '')
  const starts = [...(lines[0] ?? '').matchAll(/\S+( \S+)*/g)].map((match) => match.index)
  return lines.map((line) => starts.map((start, i) => line.slice(start, starts[i + 1]).trim()).join(' | '))
}

function agrees(text: string, expected: readonly string[]): boolean {
  const lines = cellsOf(text)
  return lines.length === expected.length && lines.every((line, i) => matches(line, expected[i] ?? ''))
}

function matches(line: string, pattern: string): boolean {
  const cells = line.split('|').map((cell) => cell.trim())
  const wanted = pattern.split('|').map((cell) => cell.trim())
  return (
    cells.length === wanted.length && wanted.every((want, i) => (want === '*' ? cells[i] !== '' : cells[i] === want))
  )
}
