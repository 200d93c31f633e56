import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { extractDescription, specificationName } from '#domain/openapi-document/extract.ts'
import { readDescription } from '#apiserver/openapi/read-description.ts'
import { DescriptionReader } from '#apiserver/openapi/description-reader.ts'
import { always } from '#test/support/property.ts'
import { CORPUS } from './openapi-corpus.ts'

for (const { name, text, found, wrong } of CORPUS)
  test(`a description: ${name}`, { timeout: 20_000 }, () => {
    const reading = readDescription(Buffer.from(text))
    if (found !== undefined) {
      assert.ok(reading.ok, JSON.stringify(reading))
      assert.deepEqual({ ...reading.description, ...found }, reading.description)
      return
    }
    assert.ok(!reading.ok, JSON.stringify(reading))
    const [first] = reading.problems
    if (typeof wrong === 'string') assert.equal(first?.field, wrong)
    else assert.match(first?.message ?? '', wrong!)
    assert.ok((first?.message.length ?? 0) < 400)
  })

test('invalid UTF-8 is refused in both forms', () => {
  for (const text of ['{"openapi":"', 'openapi: "']) {
    const reading = readDescription(Buffer.concat([Buffer.from(text), Buffer.from([0xff, 0xfe]), Buffer.from('"}')]))
    assert.ok(!reading.ok && /UTF-8/.test(reading.problems[0]!.message), JSON.stringify(reading))
  }
})

test('whatever is in a document, it is read or refused', () => {
  const value = fc.jsonValue({ maxDepth: 4 })
  const document = fc.record(
    {
      openapi: fc.oneof(fc.constant('3.0.0'), value),
      swagger: fc.oneof(fc.constant('2.0'), value),
      info: fc.oneof(
        fc.record({ version: fc.oneof(fc.constant('1'), value), 'x-vendor': value, 'x-api-category': value }),
        value,
      ),
      servers: fc.oneof(fc.array(fc.record({ url: fc.oneof(fc.webUrl(), value), variables: value })), value),
      basePath: value,
      components: fc.oneof(fc.record({ securitySchemes: value }), value),
      securityDefinitions: value,
    },
    { requiredKeys: [] },
  )
  always(
    fc.property(document, (sample) => {
      const found = extractDescription(sample)
      if (!('basepath' in found)) return found.length > 0 && found.every((p) => p.message !== '')
      return found.basepath.startsWith('/') && found.basepath.length <= 200 && /^\d/.test(found.version)
    }),
    { numRuns: 2000 },
  )
})

test('the name of a specification comes from its base path', () => {
  assert.equal(specificationName('/eni/Foo/v1'), 'eni-foo-v1')
  assert.equal(specificationName('//a/b//'), 'a-b')
  assert.equal(specificationName('/eni/my_API/v1'), 'eni-my-api-v1')
  for (const basepath of ['/', '/eni/föö', '/a/../b', '/a%20b']) assert.equal(specificationName(basepath), undefined)
})

const large = (bytes: number): string => {
  const parts = ['"openapi":"3.0.0","info":{"version":"1.0.0"},"servers":[{"url":"/eni/big/v1"}],"paths":{"/x":{}']
  for (let size = 200, i = 0; size < bytes; i++) {
    const part = `"/p${i}":{"get":{"responses":{"200":{"description":"${'d'.repeat(60)}"}}}}`
    parts.push(part)
    size += part.length + 1
  }
  return `{${parts.join(',')}}}`
}

test('ten megabytes of JSON are read aside, while others go on', { timeout: 60_000 }, async () => {
  const reader = new DescriptionReader()
  let turns = 0
  const timer = setInterval(() => turns++, 5)
  const reading = await reader.read(Buffer.from(large(10_000_000)))
  clearInterval(timer)
  assert.ok(reading.ok, JSON.stringify(reading))
  assert.equal(reading.description.basepath, '/eni/big/v1')
  assert.ok(turns > 2)
})

test('a megabyte of one key per line has no quadratic cost', { timeout: 60_000 }, () => {
  const lines = Array.from({ length: 60_000 }, (_, i) => `  k${i}: value`)
  const text = `openapi: 3.0.0\ninfo: {version: 1.0.0}\nservers: [{url: /a/v1}]\nx:\n${lines.join('\n')}\n`
  assert.ok(readDescription(Buffer.from(text)).ok)
})

test('no more than a few large documents wait for their turn', async () => {
  const reader = new DescriptionReader(2)
  const bytes = Buffer.from(large(70_000))
  const answers = await Promise.allSettled([1, 2, 3].map(() => reader.read(bytes)))
  assert.deepEqual(
    answers.map((answer) => answer.status),
    ['fulfilled', 'fulfilled', 'rejected'],
  )
  assert.ok((await reader.read(bytes)).ok)
})

test('a document of more signs than words is refused at a glance', async () => {
  for (const dense of ['-\n', 'a:\n', '- 1\n', '{},'])
    assert.match(
      JSON.stringify(await new DescriptionReader().read(Buffer.from(`openapi: 3.0.0\nx:\n${dense.repeat(10_000)}`))),
      /more signs of YAML than words/,
    )
})
