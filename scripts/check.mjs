// npm run check: what every commit passes. The static checks and all tests that are quick.
import { isIsolated, runShards, runStaticSteps, summarise, testFiles } from './steps.mjs'

const since = Date.now()
const failedSteps = await runStaticSteps()
const quick = testFiles().filter((file) => !isIsolated(file))
const runs = await runShards(quick, { reporter: 'dot' })
process.exitCode = summarise({ runs, failedSteps, since })
