import { badRequest } from '#domain/errors.ts'
import { decodeBody } from '#apiserver/decode-body.ts'
import type { Api, Exchange } from '#apiserver/exchange.ts'
import { readBody } from '#apiserver/read-body.ts'
import { sendJson } from '#apiserver/respond.ts'
import type { Document } from './document.ts'

type Fields = Readonly<Record<string, unknown>>
type Review = (exchange: Exchange, api: Api, spec: Fields) => Fields

/** What someone may do and who they are, for `kubectl auth can-i` and `kubectl auth whoami`. */
export function reviewDocuments(): Map<string, Document> {
  const authorization = '/apis/authorization.k8s.io/v1'
  return new Map([
    [`${authorization}/selfsubjectaccessreviews`, review('SelfSubjectAccessReview', accessReview)],
    [`${authorization}/selfsubjectrulesreviews`, review('SelfSubjectRulesReview', rulesReview)],
    ['/apis/authentication.k8s.io/v1/selfsubjectreviews', review('SelfSubjectReview', whoAmI)],
    // kubectl 1.27 knows only this version, and does not look whether it is there.
    ['/apis/authentication.k8s.io/v1beta1/selfsubjectreviews', review('SelfSubjectReview', whoAmI)],
  ])
}

function review(kind: string, answer: Review): Document {
  return {
    methods: ['POST'],
    serve: async (exchange, api) => {
      const bytes = await readBody(exchange.request, api.limits)
      const body = fieldsOf((await decodeBody(bytes, exchange.request.headers['content-type'])).value)
      if (body['kind'] !== kind) throw badRequest(`the body must be of kind ${kind}`)
      const spec = fieldsOf(body['spec'])
      const apiVersion = body['apiVersion']
      const status = answer(exchange, api, spec)
      sendJson(exchange.response, 201, { kind, apiVersion, metadata: { creationTimestamp: null }, spec, status })
    },
  }
}

const fieldsOf = (value: unknown): Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {}

const accessReview: Review = ({ user }, { access }, spec) => {
  const asked = fieldsOf(spec['resourceAttributes'] ?? spec['nonResourceAttributes'])
  const text = (field: string): string | undefined => (typeof asked[field] === 'string' ? asked[field] : undefined)
  const reason = access(user, {
    verb: text('verb') ?? 'get',
    group: text('group') ?? '',
    resource: text('resource') ?? text('path') ?? '',
    subresource: text('subresource'),
    namespace: text('namespace'),
    name: text('name'),
  })
  return reason === undefined ? { allowed: true } : { allowed: false, reason }
}

const EVERYTHING = {
  verb: '*',
  group: '*',
  resource: '*',
  subresource: undefined,
  namespace: undefined,
  name: undefined,
}

const rulesReview: Review = ({ user }, { access }) => {
  const all = access(user, EVERYTHING) === undefined
  return {
    resourceRules: all ? [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'] }] : [],
    nonResourceRules: all ? [{ verbs: ['*'], nonResourceURLs: ['*'] }] : [],
    incomplete: !all,
  }
}

const whoAmI: Review = ({ user }) => ({ userInfo: { username: user.name, groups: user.groups } })
