import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Composer } from 'yaml'
import { composeYaml, YamlMistake } from '#lib/compose-yaml.ts'

test('a text full of mistakes is read up to the first one, which has no stack trace', (t) => {
  const { mock } = t.mock.method(Composer.prototype, 'next')
  const limit = Error.stackTraceLimit
  assert.throws(
    () => composeYaml('{}'.repeat(10_000)),
    (error: Error) => error instanceof YamlMistake && error.message.endsWith(' at line 1, column 3'),
  )
  assert.ok(mock.callCount() < 10, `${mock.callCount()} tokens were looked at`)
  assert.equal(Error.stackTraceLimit, limit)
})

test('a mistake is told by its place, several documents as such, one document is read', () => {
  assert.throws(() => composeYaml('a: 1\nb: [\n'), /at line 3, column 1/)
  assert.throws(
    () => composeYaml('a: 1\n---\nb: 2\n'),
    (error: Error) => error instanceof YamlMistake && error.kind === 'several',
  )
  assert.deepEqual(composeYaml('a: 1\nb: [c, d]\n').document.toJS(), { a: 1, b: ['c', 'd'] })
  assert.equal(composeYaml('').document.contents, null)
})

test('a text of more parts than allowed is not read to its end', () => {
  const text = '- a\n'.repeat(1000)
  assert.throws(() => composeYaml(text, { mostTokens: 1000 }), /^YamlMistake: more than 1000 words and signs$/)
  assert.equal(composeYaml(text, { mostTokens: 10_000 }).document.toJS().length, 1000)
})
