// npm test: everything. npm test -- <path, part of a path, or words of a test's name>: those tests only.
import { existsSync, statSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { isIsolated, root, runStaticSteps, runTests, summarise, testFiles } from './steps.mjs'

const since = Date.now()
const args = process.argv.slice(2)
const wishes = args.filter((arg) => !arg.startsWith('--'))
const selection = select(wishes)
const flags = [...args.filter((arg) => arg.startsWith('--')), ...selection.flags]

// Someone after a single test wants its answer, not the whole repository's.
const failedSteps = wishes.length === 0 ? await runStaticSteps() : []
const runs = []
for (const isolated of [false, true]) {
  const files = selection.files.filter((file) => isIsolated(file) === isolated)
  if (files.length > 0) runs.push(await runTests(files, { isolated, flags }))
}
process.exitCode = summarise({ runs, failedSteps, since })

function select(wanted) {
  const all = testFiles()
  const files = new Set()
  const patterns = []
  for (const wish of wanted) {
    const found = filesOf(wish, all)
    for (const file of found) files.add(file)
    if (found.length === 0) patterns.push(`--test-name-pattern=${wish}`)
  }
  return { files: files.size === 0 ? all : [...files], flags: patterns }
}

function filesOf(wish, all) {
  const path = [resolve(wish), join(root, wish)].find((candidate) => existsSync(candidate))
  if (path === undefined) return all.filter((file) => file.includes(wish))
  const inside = relative(root, path).replaceAll('\\', '/')
  return statSync(path).isDirectory() ? all.filter((file) => inside === '' || file.startsWith(`${inside}/`)) : [inside]
}
