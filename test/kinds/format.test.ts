import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { epochMillis, FORMATS, URI_PATTERN } from '#domain/validate-format.ts'
import { always } from '#test/support/property.ts'

const GOOD_URIS = [
  'http://h', 'https://h:80/a/b?c=d&e#f', 'http://u:p@h/', 'urn:a:b', 'mailto:a@b', 'http:a', 'file:///x', 'http://', 'x:1',
  'http://[2001:db8::1]:8080/', 'https://h/?id[]=1', 'https://h/%C3%BC', 'a+b-c.1:x',
] // prettier-ignore
const BAD_URIS = [
  '', 'a', '/a', '//h/a', 'h/a', 'http:', ':a', '1http://h', 'http://a b', 'http://h/ü', 'http://h/%zz', 'http://h/%4', 'a:b#c#d', 'http://h:x/',
  'http://h/"', 'http://h/<', 'http://h/\n', 'not a uri', 'http://[::1',
] // prettier-ignore

test('a uri is absolute: a scheme and something after it', () => {
  for (const uri of GOOD_URIS) assert.equal(FORMATS.uri(uri), true, uri)
  for (const uri of BAD_URIS) assert.equal(FORMATS.uri(uri), false, uri)
})

test('whatever is a uri also fits the pattern a CRD states', () => {
  const pattern = new RegExp(URI_PATTERN)
  for (const uri of GOOD_URIS) assert.match(uri, pattern)
  always(
    fc.property(
      fc.webUrl({ withFragments: true, withQueryParameters: true }),
      (uri) => FORMATS.uri(uri) && pattern.test(uri),
    ),
  )
})

test('an RFC 3339 time is the moment JavaScript reads from it', () => {
  const range = { min: new Date('0001-01-01T00:00:00Z'), max: new Date('9999-12-31T23:59:59Z'), noInvalidDate: true }
  always(fc.property(fc.date(range), (date) => epochMillis(date.toISOString()) === date.getTime()))
  assert.equal(epochMillis('2024-02-29T12:00:00.5+02:00'), Date.parse('2024-02-29T12:00:00.5+02:00'))
  assert.equal(epochMillis('2024-02-29T12:00:00-09:30'), Date.parse('2024-02-29T12:00:00-09:30'))
})

test('an e-mail address has one host', () => {
  for (const good of ['a@b', 'a.b+c@vendor.de']) assert.equal(FORMATS.email(good), true, good)
  for (const bad of ['', 'a', '@b', 'a@', 'a@b@c', 'a b@c', 'a@-b', 'a@b.', `${'a'.repeat(65)}@b`])
    assert.equal(FORMATS.email(bad), false, bad)
})
