import type { Exchange } from './exchange.ts'
import { negotiate, type Accepted, type View } from './negotiate.ts'

/** Programs in front of which somebody sits, as Kubernetes sees it. */
const PEOPLE = /^(curl|Wget|Mozilla\/5\.0)/
const TRUE = new Set(['1', 't', 'T', 'true', 'True', 'TRUE'])

/** The form of the answer the caller asks for, by header and by `pretty`. @throws StatusError NotAcceptable */
export function acceptedForm({ request, query }: Exchange, offered: ReadonlySet<View>): Accepted {
  const accepted = negotiate(request.headers.accept, offered)
  const wish = query.get('pretty') ?? ''
  const pretty = wish === '' ? PEOPLE.test(request.headers['user-agent'] ?? '') : TRUE.has(wish)
  return pretty && accepted.encoding === 'json' ? { ...accepted, encoding: 'pretty' } : accepted
}
