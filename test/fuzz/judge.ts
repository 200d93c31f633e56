import { JsonError, parseJson } from '#lib/json.ts'
import type { Case } from './case.ts'
import type { Reply } from './reply.ts'
import type { Outcome } from './wire.ts'

/** Larger than any refusal has to be: an error must not be a way to make the server send much for little. */
const LONGEST_ERROR = 128 * 1024
/** What common clients bear (Node's own limit; Go's is larger). */
const LARGEST_HEAD = 16 * 1024

/** What is wrong with the answer to a case, or undefined. */
export function faultIn(tried: Case, { end, reply }: Outcome): string | undefined {
  if (end === 'silent') return 'no answer, and the connection stays open'
  if (reply === undefined) return tried.mayClose === true ? undefined : 'the connection was closed without an answer'
  if (reply.status < 100) return 'the answer is no HTTP'
  if (reply.headers.has('x-injected')) return 'a header could be injected into the answer'
  const head = [...reply.headers].reduce((sum, [name, value]) => sum + name.length + value.length + 4, 0)
  if (head > LARGEST_HEAD) return `the head of the answer has ${head} bytes`
  if (reply.status >= 500 && !isTooLargeVersion(tried, reply)) return `answered ${reply.status}: ${excerpt(reply)}`
  if (reply.status >= 400) return tried.method === 'HEAD' ? undefined : faultInStatus(reply)
  if (tried.refused === true) return `accepted with ${reply.status}: ${excerpt(reply)}`
  return reply.streaming ? undefined : faultInBody(reply)
}

/** Kubernetes' own answer to a version from the future, by which clients know to list again. */
function isTooLargeVersion(tried: Case, reply: Reply): boolean {
  if (reply.status !== 504 || !/resourceVersion=|continue=/.test(tried.path)) return false
  return tried.method === 'HEAD' || reply.body.includes('"ResourceVersionTooLarge"')
}

const excerpt = (reply: Reply): string => reply.body.toString('utf8', 0, 500)

function faultInStatus(reply: Reply): string | undefined {
  if (reply.body.length > LONGEST_ERROR) return `a refusal of ${reply.body.length} bytes`
  const value = jsonOf(reply)
  if (value === undefined) return `the body of a ${reply.status} is no JSON: ${JSON.stringify(excerpt(reply))}`
  if (value?.kind !== 'Status' || value.apiVersion !== 'v1' || value.status !== 'Failure')
    return `the body of a ${reply.status} is no Status: ${excerpt(reply)}`
  if (value.code !== reply.status) return `a ${reply.status} says it is a ${value.code}`
  if (typeof value.message !== 'string' || value.message === '') return `a ${reply.status} without a message`
  if (/\bat .*\.[jt]s:\d+|node:internal|\.ts:\d+:\d+/.test(value.message)) return `a stack trace: ${excerpt(reply)}`
  return undefined
}

function faultInBody(reply: Reply): string | undefined {
  if (reply.headers.get('content-type') !== 'application/json' || reply.body.length === 0) return undefined
  return jsonOf(reply) === undefined ? `the body of a ${reply.status} is no JSON: ${excerpt(reply)}` : undefined
}

/** Read with our strict reader: what we send must be what we would take. */
function jsonOf({ body }: Reply): any {
  try {
    return parseJson(body, { maxDepth: 200 }).value
  } catch (error) {
    if (error instanceof JsonError) return undefined
    throw error
  }
}
