import assert from 'node:assert/strict'
import { test } from 'node:test'
import { baseUrlProblem, isLoopback, joinUrl, parseUrl, shownUrl } from '#domain/url.ts'

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

test('an address that cannot be the base of calls says why', () => {
  for (const text of ['https://h', 'http://h:1/a/', 'HTTPS://H/x#f'])
    assert.equal(baseUrlProblem(text), undefined, text)
  for (const [text, said] of [
    ['urn:x:y', /not an http or https URL/],
    ['mailto:a@b', /not an http or https URL/],
    ['https://user:pw@h/p', /user name or password/],
    ['https://user@h/p', /user name or password/],
    ['https://', /no host/],
    ['https://h:99999', /no port/],
    ['https://h/p?x=1', /query/],
    ['https://h/p?', /query/],
  ] as const)
    assert.match(baseUrlProblem(text) ?? '', said, text)
})

test('an address is shown without what may be secret in it', () => {
  for (const [text, shown] of [
    ['https://h:1/a', 'https://h:1/a'],
    ['https://user:pw@h/p', 'https://…@h/p'],
    ['https://user:p@ss@h/p', 'https://…@h/p'],
    ['https://user:p/w@h/p', 'https://…@h/p'],
    ['ftp://user:pw@h', 'ftp://…@h'],
    ['admin:pw@h', 'admin:…@h'],
    ['user pw@h', '…@h'],
    ['https://h/p?token=pw#x', 'https://h/p?…'],
    ['https://h/p#pw', 'https://h/p#…'],
    ['urn:x:y', 'urn:x:y'],
    [`https://h/${'a'.repeat(300)}`, `https://h/${'a'.repeat(190)}…`],
  ] as const)
    assert.equal(shownUrl(text), shown, text)
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
