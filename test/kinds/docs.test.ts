import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { test } from 'node:test'

test('the pages in docs/kinds say what the kinds say', () => {
  const script = join(import.meta.dirname, '..', '..', 'scripts', 'kinds-docs.ts')
  const { status, stderr } = spawnSync(process.execPath, [script, '--check'], { encoding: 'utf8' })
  assert.equal(status, 0, stderr)
})
