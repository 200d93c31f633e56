import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { parse } from 'yaml'
import { apiVersionOf, type Kind } from '#domain/kind.ts'
import { KINDS } from '#domain/kinds/index.ts'
import { extractDescription } from '#domain/openapi-document/extract.ts'
import type { Answer } from '#test/support/server.ts'
import { type PagesWorld, startPagesWorld } from './pages-world.ts'

const folder = join(import.meta.dirname, '..', '..', 'docs', 'kinds')

/** What its page says stays unready, and the reason it names. */
const WAITS: Readonly<Record<string, string>> = {
  'ApiSubscription mailer--partner-mail-v2': 'AccessDenied',
  'RemoteApiSubscription mailer--partner-mail-v2': 'ApprovalPending',
}

interface Example {
  readonly kind: Kind
  readonly object: any
  /** As printed. */
  readonly text: string
}

const pageOf = (name: string): string => readFileSync(join(folder, `${name}.md`), 'utf8')

/** The code blocks of a language in a part of a page. */
function blocks(page: string, heading: string, language: string): readonly string[] {
  const part = page.split(/^## /m).find((text) => text.startsWith(heading)) ?? ''
  return [...part.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, 'gms'))].map((match) => match[1] ?? '')
}

function examplesIn(page: string): readonly Example[] {
  const texts = blocks(page, 'Example\n', 'yaml').flatMap((block) => block.split(/^---$/m))
  return texts.map((text) => {
    const object = parse(text)
    const kind = KINDS.find((k) => k.kind === object.kind && apiVersionOf(k) === object.apiVersion)
    assert.ok(kind, `there is no kind ${object.kind}`)
    return { kind, object, text }
  })
}

const isMade = ({ kind }: Example): boolean => kind.written === 'by-platform' || kind.kind.startsWith('Approval')

const nameOf = ({ object }: Example): string => `${object.kind} ${object.metadata.name}`

const pathOf = ({ kind, object: { metadata } }: Example): string =>
  `/apis/${apiVersionOf(kind)}/namespaces/${metadata.namespace}/${kind.plural}/${metadata.name}`

/** The spec as pages show it: without references to secrets, and with every moment alike. */
const shown = (spec: unknown): unknown =>
  JSON.parse(
    JSON.stringify(spec, (_key, value: unknown) => {
      if (typeof value !== 'string') return value
      if (value.startsWith('$<')) return undefined
      return /^\d{4}-\d\d-\d\dT/.test(value) ? 'a moment' : value
    }),
  )

describe('the examples of docs/kinds', () => {
  const ends: (() => unknown)[] = []
  const pages = readdirSync(folder).filter((name) => name !== 'README.md')
  const examples = pages.flatMap((name) => examplesIn(pageOf(name.slice(0, -3))))
  const written = examples.filter((example) => !isMade(example))
  const made = examples.filter(isMade)
  const request = made.find(({ kind }) => kind.kind === 'ApprovalRequest')!
  let world: PagesWorld

  before(async () => {
    world = await startPagesWorld({ after: (end) => void ends.push(end as () => unknown) })
  })
  after(async () => {
    for (const end of ends) await end()
  })

  const apply = (example: Example): Promise<Answer> =>
    world.send('PATCH', `${pathOf(example)}?fieldManager=reader&force=true&fieldValidation=Strict`, {
      headers: { 'content-type': 'application/apply-patch+yaml' },
      body: JSON.stringify(example.object),
    })

  const merge = (example: Example, patch: string): Promise<Answer> =>
    world.send('PATCH', pathOf(example), { headers: { 'content-type': 'application/merge-patch+json' }, body: patch })

  const read = async (example: Example): Promise<any> => {
    const answer = await world.send('GET', pathOf(example))
    assert.equal(answer.status, 200, `${nameOf(example)}: ${answer.text}`)
    return answer.json
  }

  it('are there for every kind, and hold neither anchor nor alias', () => {
    const kinds = KINDS.filter((kind) => kind.group !== '')
    assert.deepEqual(
      kinds.filter((kind) => !examples.some((example) => example.kind === kind)).map((kind) => kind.kind),
      [],
    )
    for (const { text } of examples) assert.doesNotMatch(text, /(^|\s)[&*]\w/)
  })

  it('are accepted by the server as printed, without a warning', async () => {
    const [document = ''] = blocks(pageOf('file'), 'Storing one\n', 'yaml')
    const { object } = written.find(({ kind }) => kind.kind === 'ApiSpecification')!
    const { hash, specification, ...described } = object.spec
    assert.deepEqual({ xvendor: false, ...described }, extractDescription(parse(document)))
    const stored = await world.send('PUT', `/api/v1/files/${specification}`, {
      headers: { 'x-file-content-type': 'application/yaml' },
      body: document,
    })
    assert.equal(stored.headers['x-file-checksum'], hash, stored.text)
    for (const example of written) {
      const answer = await apply(example)
      assert.ok(answer.status < 300, `${nameOf(example)}: ${answer.status} ${answer.text}`)
      assert.equal(answer.headers['warning'], undefined, nameOf(example))
    }
    await world.settled()
  })

  it('ask for a decision, which the printed command makes, with its comment', async () => {
    const asked = await read(request)
    assert.deepEqual(shown({ decisions: [], ...request.object.spec }), shown({ decisions: [], ...asked.spec }))
    assert.ok((await apply(request)).status < 300)
    const [command = ''] = blocks(pageOf('approval-request'), 'Deciding\n', 'sh')
    const [, patch = ''] = /-p '(.*)'/.exec(command) ?? []
    assert.ok(command.includes(`${request.object.metadata.name} -n ${request.object.metadata.namespace} --type merge`))
    const decided = await merge(request, patch)
    assert.equal(decided.status, 200, decided.text)
    const [decision] = decided.json.spec.decisions
    assert.deepEqual([decision.name, decision.comment], ['admin', 'Welcome'])
    await world.settled()
  })

  for (const example of made.filter((e) => e !== request))
    it(`of ${nameOf(example)} is what follows from the others`, async () => {
      const { spec } = await read(example)
      assert.deepEqual(shown(spec), shown(example.object.spec))
      const answer = await apply(example)
      assert.ok(example.kind.kind === 'File' ? answer.status === 403 : answer.status < 300, answer.text)
    })

  for (const example of examples.filter(({ kind }) => kind.kind !== 'File'))
    it(`of ${nameOf(example)} becomes what its page says`, async () => {
      await world.settled()
      const { status } = await read(example)
      const ready = status?.conditions?.find((c: any) => c.type === 'Ready')
      const wait = WAITS[nameOf(example)]
      const said = `${ready?.status} ${ready?.reason}: ${ready?.message}`
      if (wait === undefined) return assert.equal(ready?.status, 'True', said)
      assert.equal(ready?.reason, wait, said)
      const page = pages
        .map((name) => pageOf(name.slice(0, -3)))
        .find((text) => text.includes(`# ${example.kind.kind}\n`))
      assert.ok(page?.includes(`\`${wait}\``), `the page does not say that it waits with ${wait}`)
    })

  it('hand out the credentials of an application where the page says', async () => {
    const [command = '', rotate = ''] = blocks(pageOf('application'), 'Its credentials\n', 'sh')
    const [path = ''] = /\/apis\S+/.exec(command) ?? []
    const first = await world.send('POST', path, { body: {} })
    assert.equal(first.json.clientId, 'eni--shop--shop')
    assert.match(first.json.clientSecret, /^[\w-]{16,}$/)
    const [, patch = ''] = /-p '(.*)'/.exec(rotate) ?? []
    const application = written.find((example) => nameOf(example) === 'Application shop')!
    const patched = await merge(application, patch)
    assert.equal(patched.status, 200, patched.text)
    await world.settled()
    const second = await world.send('POST', path, { body: {} })
    assert.equal(second.json.rotatedClientSecret, first.json.clientSecret)
    assert.notEqual(second.json.clientSecret, first.json.clientSecret)
  })
})
