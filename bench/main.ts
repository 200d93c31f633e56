import { parseArgs } from 'node:util'
import { benchApi } from './api.ts'
import { benchApplications } from './applications.ts'
import { benchEvents } from './events.ts'

/** `npm run bench -- [applications|events] [options]`; without a name the API alone is measured. */
const [name, ...rest] = process.argv.slice(2)
if (name === 'applications' || name === 'events') {
  const { values } = parseArgs({ args: rest, options: { size: { type: 'string', default: 'full' } } })
  if (values.size !== 'small' && values.size !== 'full') throw new Error(`--size ${values.size}: say small or full`)
  await (name === 'events' ? benchEvents : benchApplications)(values.size)
} else await benchApi(process.argv.slice(2))
