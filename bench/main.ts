import { parseArgs } from 'node:util'
import { benchApi } from './api.ts'
import { benchApplications } from './applications.ts'
import { benchEvents } from './events.ts'

/** `npm run bench -- [applications|events|apis] [options]`; without a name the API alone is measured. */
const [name, ...rest] = process.argv.slice(2)
if (name === 'applications' || name === 'events') {
  const { values } = parseArgs({ args: rest, options: { size: { type: 'string', default: 'full' } } })
  const { size } = values
  if (size !== 'small' && size !== 'medium' && size !== 'full')
    throw new Error(`--size ${size}: say small, medium or full`)
  await (name === 'events' ? benchEvents : benchApplications)(size)
} else if (name === 'apis') await import('./api-domain.ts')
else await benchApi(process.argv.slice(2))
