import { arrangeAnswer, arrangeRecorded } from './arrange.ts'
import { compareValues, sameText } from './compare-values.ts'
import { Labels } from './labels.ts'
import type { Played } from './player.ts'

/** One thing that is not as kube-apiserver had it. */
export interface Difference {
  readonly id: string
  readonly title: string
  /** `status`, `reason`, `causes`, `warning`, `type`, or a place in the body. */
  readonly at: string
  readonly expected: unknown
  readonly actual: unknown
}

type Check = (at: string, expected: unknown, actual: unknown) => void
type Values = Readonly<Record<string, unknown>>

const isStatus = (body: unknown): body is Values => (body as Values | null | undefined)?.['kind'] === 'Status'

export function compareAll(played: readonly Played[]): readonly Difference[] {
  const labels = new Labels()
  return played.flatMap((one) => compareOne(one, labels))
}

function compareOne(played: Played, labels: Labels): Difference[] {
  const { recording, answer } = played
  const { id, title, response } = recording
  const differ = (at: string, expected: unknown, actual: unknown): Difference => ({ id, title, at, expected, actual })
  if (answer.status !== response.status) {
    return [differ('status', [response.status, reasonOf(response.body)], [answer.status, reasonOf(played.body)])]
  }
  const found: Difference[] = []
  const check: Check = (at, expected, actual) => {
    if (JSON.stringify(expected) !== JSON.stringify(actual)) found.push(differ(at, expected, actual))
  }
  check('warning', response.warning, answer.warning)
  check('retryAfter', response.retryAfter === undefined, answer.retryAfter === undefined)
  if (answer.status >= 400) {
    failure(played, labels, check)
    return found
  }
  check('type', mediaType(response.contentType), mediaType(answer.contentType))
  return [...found, ...bodies(played, labels).map(({ path, expected, actual }) => differ(path, expected, actual))]
}

const mediaType = (type: string | null): string => (type ?? '').split(';', 1)[0]!.trim()
const reasonOf = (body: unknown): unknown => (isStatus(body) ? body['reason'] : undefined)

/** A failure is always a Status here; where kube-apiserver sent something else, being one is all that is asked. */
function failure({ recording, body }: Played, labels: Labels, check: Check): void {
  const expected = recording.response.body
  if (recording.request.method === 'HEAD') return
  check('type', true, isStatus(body))
  if (!isStatus(expected) || !isStatus(body)) return
  check('reason', expected['reason'], body['reason'])
  check('code', expected['code'], body['code'])
  check('causes', causesOf(expected), causesOf(body))
  const [before, now] = [subject(expected), subject(body)]
  if (!before.every((text, i) => sameText(text, now[i] ?? '', labels))) check('details', before, now)
  check('continue', hasContinue(expected), hasContinue(body))
}

const detailsOf = (status: Values): Values => (status['details'] ?? {}) as Values

function causesOf(status: Values): readonly string[] {
  const causes = (detailsOf(status)['causes'] ?? []) as readonly Values[]
  return causes.map(({ reason, field }) => [reason, field ?? ''].join(' ')).toSorted()
}

const subject = (status: Values): readonly string[] =>
  ['group', 'kind', 'name'].map((key) => (detailsOf(status)[key] ?? '') as string)
const hasContinue = ({ metadata }: Values): boolean =>
  typeof (metadata as Values | undefined)?.['continue'] === 'string'

function bodies({ recording, body }: Played, labels: Labels) {
  if (recording.request.method === 'HEAD') return []
  const partial = recording.trimmed !== undefined
  return compareValues(arrangeRecorded(recording), arrangeAnswer(recording, body), { labels, partial })
}
