import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { describe, it } from 'node:test'
import { createLog, type LogLevel } from '#lib/log.ts'

function capture(level?: LogLevel) {
  const lines: string[] = []
  const log = createLog({ level, destination: { write: (line) => lines.push(line) } })
  return { log, lines, last: () => JSON.parse(lines.at(-1) ?? 'null') as Record<string, unknown> }
}

describe('createLog', () => {
  it('writes one JSON object per line: time, level, constant message, fields', () => {
    const { log, lines, last } = capture()
    log.info('reconciled', { kind: 'Zone', took: 12, big: 2n ** 60n, text: 'a\nb' })
    assert.equal(lines.length, 1)
    assert.match(lines[0] ?? '', /^[^\n]*\n$/)
    const { time, ...rest } = last()
    assert.match(String(time), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    assert.deepEqual(rest, { level: 'info', kind: 'Zone', took: 12, big: 2 ** 60, text: 'a\nb', msg: 'reconciled' })
  })

  it('leaves out what is below its level', () => {
    const { log, lines } = capture('warn')
    log.debug('a')
    log.info('b')
    log.warn('c')
    log.error('d')
    assert.equal(lines.length, 2)
    assert.deepEqual(
      [log.writes('info'), log.with({ zone: 'blue' }).writes('info'), log.writes('warn')],
      [false, false, true],
    )
  })

  it('adds the fields of with() to every line', () => {
    const { log, last } = capture()
    log.with({ zone: 'blue' }).with({ part: 'gateway' }).warn('slow', { ms: 3 })
    assert.partialDeepStrictEqual(last(), { zone: 'blue', part: 'gateway', ms: 3, msg: 'slow' })
  })

  it('writes an error with name, stack and causes', () => {
    const { log, last } = capture()
    log.error('failed', { error: new TypeError('outer', { cause: new Error('inner') }) })
    const error = last()['error'] as Record<string, unknown>
    assert.partialDeepStrictEqual(error, { name: 'TypeError', message: 'outer', cause: { message: 'inner' } })
    assert.match(String(error['stack']), /log\.test\.ts/)
    log.error('failed', { error: 'just a string' })
    assert.equal(last()['error'], 'just a string')
  })

  it('writes to standard error, and loses nothing when the process exits at once', () => {
    const url = new URL(import.meta.resolve('#lib/log.ts')).href
    const script = `import { createLog } from '${url}'; createLog().info('last words'); process.exit(3)`
    const { status, stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
      encoding: 'utf8',
    })
    assert.deepEqual([status, stdout], [3, ''])
    assert.match(stderr, /"msg":"last words"/)
  })
})
