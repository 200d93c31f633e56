import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isLoopback, joinUrl, parseUrl } from '#domain/url.ts'

test('an address is taken apart, with the port of its scheme when none is given', () => {
  assert.deepEqual(parseUrl('https://Up.example.com/a/b?c=1#d'), {
    scheme: 'https',
    hostname: 'up.example.com',
    port: 443,
    path: '/a/b',
    query: '?c=1',
  })
  assert.deepEqual(parseUrl('http://h:8080'), { scheme: 'http', hostname: 'h', port: 8080, path: '/', query: '' })
  assert.equal(parseUrl('http://[::1]:1/x')?.hostname, '[::1]')
})

test('what is no http address with a host is refused', () => {
  for (const text of [
    '',
    'ftp://h/',
    'https://',
    'https:///x',
    'https://user@h/',
    'https://h:0/',
    'https://h:99999/',
    '/x',
  ])
    assert.equal(parseUrl(text), undefined, text)
})

test('joining puts one slash between parts and keeps scheme and host', () => {
  assert.equal(joinUrl('https://gw.example.com/', '/eni/foo/v1'), 'https://gw.example.com/eni/foo/v1')
  assert.equal(joinUrl('https://idp.example.com', 'auth/realms', 'poc'), 'https://idp.example.com/auth/realms/poc')
  assert.equal(joinUrl('https://h//a/', '/', 'b/'), 'https://h/a/b')
  assert.equal(joinUrl('https://h/'), 'https://h')
})

test('loopback is recognised in all its spellings', () => {
  for (const host of [
    'localhost',
    'LOCALHOST',
    'a.localhost',
    '127.0.0.1',
    '127.9.9.9',
    '[::1]',
    '0.0.0.0',
    'localhost.',
  ])
    assert.ok(isLoopback(host), host)
  for (const host of ['localhost.example.com', '128.0.0.1', '10.0.0.1', 'notlocalhost'])
    assert.ok(!isLoopback(host), host)
})
