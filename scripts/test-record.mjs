// A reporter for node --test: one JSON object with what scripts/steps.mjs needs to sum up several runs.
import { relative } from 'node:path'
import { root } from './steps.mjs'

/** Skips for want of a system part give this as their reason, see test/support/system-parts.ts. */
const MISSING = 'missing '

const place = ({ file, line, name }) => `${file === undefined ? '' : `${relative(root, file)}:${line} `}${name}`

// Node loads reporters by their default export.
// oxlint-disable-next-line import/no-default-export
export default async function* record(source) {
  const noted = { counts: {}, failures: [], skips: [] }
  for await (const { type, data } of source) {
    if (type === 'test:summary' && data.file === undefined) noted.counts = data.counts
    if (type === 'test:fail' && data.details?.error?.failureType !== 'subtestsFailed') noted.failures.push(place(data))
    if (type === 'test:pass' && String(data.skip).startsWith(MISSING)) noted.skips.push(data.skip.slice(MISSING.length))
  }
  yield JSON.stringify(noted)
}
