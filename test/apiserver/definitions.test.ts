import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { crdOf } from '#domain/crd.ts'
import { KINDS } from '#domain/kinds/index.ts'
import { EventType } from '#domain/kinds/event/event-type.ts'
import { startTestServer } from '#test/support/server.ts'

const PATH = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
const NAME = 'eventtypes.event.cp.ei.vendor.de'
const TABLE = 'application/json;as=Table;v=v1;g=meta.k8s.io'

describe('the CustomResourceDefinitions of our kinds', () => {
  it('are listed in order, as established, without the kinds every cluster has', async (t) => {
    const server = await startTestServer(t)
    const { json, status } = await server.send('GET', PATH)
    assert.equal(status, 200)
    assert.deepEqual([json.apiVersion, json.kind], ['apiextensions.k8s.io/v1', 'CustomResourceDefinitionList'])
    const names: string[] = json.items.map((item: any) => item.metadata.name)
    const ours = KINDS.filter((kind) => kind.group !== '').map((kind) => `${kind.plural}.${kind.group}`)
    assert.deepEqual(names, ours.toSorted())
    for (const { metadata, status: state } of json.items) {
      assert.match(metadata.uid, /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)
      assert.ok(state.conditions.some((c: any) => c.type === 'Established' && c.status === 'True'))
    }
    assert.equal(new Set(json.items.map((item: any) => item.metadata.uid)).size, names.length)
  })

  it('are those that the command prints', async (t) => {
    const server = await startTestServer(t)
    const { json } = await server.send('GET', `${PATH}/${NAME}`)
    assert.deepEqual(json.spec, JSON.parse(JSON.stringify(crdOf(EventType).spec)))
  })

  it('are shown as tables and selected by name and labels', async (t) => {
    const server = await startTestServer(t)
    const table = await server.send('GET', `${PATH}/${NAME}`, { headers: { accept: TABLE } })
    assert.deepEqual(
      table.json.columnDefinitions.map((c: any) => c.name),
      ['Name', 'Created At'],
    )
    const byName = await server.send('GET', `${PATH}?fieldSelector=metadata.name=${NAME}&limit=500`, {
      headers: { accept: TABLE },
    })
    assert.deepEqual(
      byName.json.rows.map((row: any) => row.cells[0]),
      [NAME],
    )
    assert.deepEqual((await server.send('GET', `${PATH}?labelSelector=app`)).json.items, [])
  })

  it('cannot be written or watched, and the refusal says why', async (t) => {
    const server = await startTestServer(t)
    const wishes = [
      ['POST', PATH],
      ['DELETE', PATH],
      ['PUT', `${PATH}/${NAME}`],
      ['PATCH', `${PATH}/${NAME}`],
      ['DELETE', `${PATH}/${NAME}`],
      ['DELETE', `${PATH}/nope`],
      ['GET', `${PATH}?watch=1`],
    ] as const
    for (const [method, path] of wishes) {
      const { status, json, headers } = await server.send(method, path, method === 'GET' ? {} : { body: {} })
      assert.deepEqual([status, json.reason, headers.allow], [405, 'MethodNotAllowed', 'GET, HEAD'], method)
      assert.match(json.message, /can only be read/)
    }
    assert.equal((await server.send('GET', `${PATH}/${NAME}`)).status, 200)
  })

  it('are not found under other names or below', async (t) => {
    const server = await startTestServer(t)
    const { status, json } = await server.send('GET', `${PATH}/nope`)
    assert.deepEqual([status, json.message], [404, 'customresourcedefinitions.apiextensions.k8s.io "nope" not found'])
    for (const path of [`${PATH}/__proto__`, `${PATH}/${NAME}/status`, `${PATH}x`, `${PATH}/../x`])
      assert.equal((await server.send('GET', path)).status, 404, path)
  })

  it('are for those who may read them', async (t) => {
    const asked: string[] = []
    const access = (_user: unknown, { verb, resource }: { verb: string; resource: string }): string => {
      asked.push(`${verb} ${resource}`)
      return 'no'
    }
    const server = await startTestServer(t, { access })
    assert.equal((await server.send('GET', PATH)).status, 403)
    assert.equal((await server.send('GET', `${PATH}/${NAME}`)).status, 403)
    assert.deepEqual(asked, ['list customresourcedefinitions', 'get customresourcedefinitions'])
    assert.equal((await server.send('GET', PATH, { headers: { authorization: 'Bearer x' } })).status, 401)
  })

  it('are discovered as something to be read', async (t) => {
    const server = await startTestServer(t)
    const { json } = await server.send('GET', '/apis/apiextensions.k8s.io/v1')
    assert.equal(json.resources.length, 1)
    assert.deepEqual(json.resources[0].verbs, ['get', 'list'])
    assert.deepEqual(json.resources[0].shortNames, ['crd', 'crds'])
  })
})
