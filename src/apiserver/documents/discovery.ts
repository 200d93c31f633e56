import type { Exchange } from '#apiserver/exchange.ts'
import { negotiate, type View } from '#apiserver/negotiate.ts'
import { sendJson } from '#apiserver/respond.ts'
import { fixedDocument, fixedJson, sendFixed, type Document, type Fixed } from './document.ts'
import { groupsOf, type ServedResource } from './served-resource.ts'

const VIEWS: ReadonlySet<View> = new Set<View>(['Object', 'APIGroupDiscoveryList'])
const VERSION = 'v1'

/** /api, /apis and what is below them, up to the resources themselves. */
export function discoveryDocuments(resources: readonly ServedResource[]): Map<string, Document> {
  const groups = groupsOf(resources).filter((group) => group !== '')
  const documents = new Map<string, Document>([
    ['/api', negotiated(apiVersions, (version) => aggregated(resources, [''], version))],
    [
      '/apis',
      negotiated(
        () => fixedJson(groupList(groups)),
        (version) => aggregated(resources, groups, version),
      ),
    ],
    ['/api/v1', fixedDocument(() => fixedJson(resourceList(resources, '')))],
  ])
  for (const group of groups) {
    documents.set(
      `/apis/${group}`,
      fixedDocument(() => fixedJson({ kind: 'APIGroup', apiVersion: 'v1', ...apiGroup(group) })),
    )
    documents.set(
      `/apis/${group}/${VERSION}`,
      fixedDocument(() => fixedJson(resourceList(resources, group))),
    )
  }
  return documents
}

/** Newer clients ask for everything at once; the others walk the groups. */
function negotiated(plain: (exchange: Exchange) => Fixed, all: (version: string) => Fixed): Document {
  const made = new Map<string, Fixed>()
  return {
    methods: ['GET'],
    serve: (exchange) => {
      const { as, version } = negotiate(exchange.request.headers.accept, VIEWS)
      const content = made.get(as + version) ?? (as === 'Object' ? plain(exchange) : all(version))
      made.set(as + version, content)
      sendFixed(exchange, content)
    },
  }
}

const apiVersions = (): Fixed => fixedJson({ kind: 'APIVersions', versions: [VERSION], serverAddressByClientCIDRs: [] })

const groupList = (groups: readonly string[]): object => ({
  kind: 'APIGroupList',
  apiVersion: 'v1',
  groups: groups.map(apiGroup),
})

function apiGroup(group: string): object {
  const version = { groupVersion: `${group}/${VERSION}`, version: VERSION }
  return { name: group, versions: [version], preferredVersion: version }
}

function resourceList(resources: readonly ServedResource[], group: string): object {
  const groupVersion = group === '' ? VERSION : `${group}/${VERSION}`
  const own = resources.filter((r) => r.group === group)
  return { kind: 'APIResourceList', apiVersion: 'v1', groupVersion, resources: own.flatMap(apiResources) }
}

const STATUS_VERBS = ['get', 'patch', 'update']

function apiResources(r: ServedResource): object[] {
  const names = r.shortNames.length > 0 ? { shortNames: r.shortNames } : {}
  const categories = r.categories.length > 0 ? { categories: r.categories } : {}
  const main = { name: r.plural, singularName: r.singular, namespaced: r.namespaced, kind: r.kind, verbs: r.verbs }
  const status = {
    name: `${r.plural}/status`,
    singularName: '',
    namespaced: r.namespaced,
    kind: r.kind,
    verbs: STATUS_VERBS,
  }
  return [{ ...main, ...names, ...categories }, ...(r.status ? [status] : [])]
}

function aggregated(resources: readonly ServedResource[], groups: readonly string[], version: string): Fixed {
  const items = groups.map((group) => ({
    metadata: { name: group, creationTimestamp: null },
    versions: [
      {
        version: VERSION,
        resources: resources.filter((r) => r.group === group).map(aggregatedResource),
        freshness: 'Current',
      },
    ],
  }))
  const list = { kind: 'APIGroupDiscoveryList', apiVersion: `apidiscovery.k8s.io/${version}`, metadata: {}, items }
  return fixedJson(list, `application/json;g=apidiscovery.k8s.io;v=${version};as=APIGroupDiscoveryList`)
}

function aggregatedResource(r: ServedResource): object {
  const responseKind = { group: r.group, version: r.version, kind: r.kind }
  const status = { subresource: 'status', responseKind, verbs: STATUS_VERBS }
  return {
    resource: r.plural,
    responseKind,
    scope: r.namespaced ? 'Namespaced' : 'Cluster',
    singularResource: r.singular,
    verbs: r.verbs,
    ...(r.shortNames.length > 0 ? { shortNames: r.shortNames } : {}),
    ...(r.categories.length > 0 ? { categories: r.categories } : {}),
    ...(r.status ? { subresources: [status] } : {}),
  }
}

/** GET / lists the paths, for people who come with curl. */
export function rootDocument(paths: () => readonly string[]): Document {
  return { methods: ['GET'], serve: ({ response }) => sendJson(response, 200, { paths: paths() }) }
}
