// Loads test files into one process. node --test --test-isolation=none passes over a file that throws after its first
// test was registered, as if the rest of the file were not there; here it is a failure.
import { pathToFileURL } from 'node:url'
import { test } from 'node:test'

for (const file of JSON.parse(process.env.STELLWERK_TEST_FILES)) {
  try {
    await import(pathToFileURL(file).href)
  } catch (error) {
    test(`${file} can be loaded`, () => {
      throw error
    })
  }
}
