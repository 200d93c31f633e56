// npm run check: what every commit passes. The static checks and all tests that need no process of their own.
import { isIsolated, runStaticSteps, runTests, summarise, testFiles } from './steps.mjs'

const since = Date.now()
const failedSteps = await runStaticSteps()
const quick = testFiles().filter((file) => !isIsolated(file))
const run = await runTests(quick, { isolated: false, reporter: 'dot' })
process.exitCode = summarise({ runs: [run], failedSteps, since })
