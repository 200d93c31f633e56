// Loads test files into one process, each in a suite of its own: node --test --test-isolation=none would apply the hooks
// of every file to the tests of all files, and pass over a file that throws after its first test was registered.
import { relative } from 'node:path'
import { pathToFileURL } from 'node:url'
import { describe } from 'node:test'

for (const file of JSON.parse(process.env.STELLWERK_TEST_FILES)) {
  describe(relative(process.cwd(), file), async () => {
    await import(pathToFileURL(file).href)
  })
}
