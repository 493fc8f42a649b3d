import { expect, test } from 'vitest'
import { readOptions } from './options.ts'

const read = (flags: Record<string, string | boolean> = {}, url = 'http://localhost:4025') =>
  readOptions([url], { key: 're_a', ...flags }, {})

test('the key is a flag, or stands in the environment', () => {
  expect(read().key).toBe('re_a')
  expect(readOptions(['http://localhost'], {}, { RESEND_API_KEY: 're_b' }).key).toBe('re_b')
  expect(() => readOptions(['http://localhost'], {}, {})).toThrow('Give a key with --key, or in RESEND_API_KEY.')
})

test('the key of another account is a flag, or stands in the environment, and is another one', () => {
  expect(read().otherKey).toBe(null)
  expect(read({ 'other-key': 're_o' }).otherKey).toBe('re_o')
  expect(readOptions(['http://localhost'], { key: 're_a' }, { RESEND_OTHER_API_KEY: 're_o' }).otherKey).toBe('re_o')
  expect(() => read({ 'other-key': 're_a' })).toThrow('--other-key must be a key of another account.')
})

test('a server may be below a path', () => {
  expect(read({}, 'https://mail.example.com/api/').url).toBe('https://mail.example.com/api')
})

test.each([
  [{}, 'ftp://example.com', 'URL must be an http or https URL'],
  [{}, 'nonsense', 'URL must be an http or https URL'],
  [{}, 'http://a:b@example.com', 'must not have a password'],
  [{ rate: 'fast' }, undefined, '--rate must be a number'],
  [{ timeout: '-1' }, undefined, '--timeout must be a number'],
  [{ 'webhook-url': 'https://hooks.example.com' }, undefined, '--webhook-url needs --webhook-port'],
  [{ 'receive-at': 'a@b.c' }, undefined, '--receive-at needs --smtp'],
  [{ smtp: 'localhost', 'receive-at': 'a@b.c' }, undefined, '--smtp must be HOST:PORT'],
  [{ smtp: 'localhost:25', 'receive-at': 'a@b.c>\r\nRCPT TO:<d' }, undefined, '--receive-at must be an address'],
])('%j %s is one clear line', (flags, url, message) => {
  expect(() => read(flags as Record<string, string>, url)).toThrow(message)
})
