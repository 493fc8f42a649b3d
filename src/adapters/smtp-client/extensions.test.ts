import { expect, test } from 'vitest'
import { NO_EXTENSIONS, parseExtensions } from './extensions.ts'
import { replyOf } from './reply-reader.ts'

test.each([
  ['nothing', '250 mail.test', {}],
  ['its name, which is no offer', '250-STARTTLS\n250 HELP', {}],
  [
    'all we want to know',
    '250-mail.test\n250-PIPELINING\n250-SIZE 1000\n250-8BITMIME\n250-SMTPUTF8\n250-STARTTLS\n250 AUTH LOGIN PLAIN',
    {
      hasStartTls: true,
      hasPipelining: true,
      hasUtf8: true,
      has8BitMime: true,
      hasSize: true,
      maxMessageBytes: 1_000,
      authMethods: ['LOGIN', 'PLAIN'],
    },
  ],
  [
    'in small letters',
    '250-mail.test\n250-pipelining\n250 auth plain',
    { hasPipelining: true, authMethods: ['PLAIN'] },
  ],
  ['a size without a limit', '250-mail.test\n250 SIZE', { hasSize: true }],
  ['a size of nonsense', '250-mail.test\n250 SIZE 1e9', { hasSize: true }],
  ['a size beyond numbers', `250-mail.test\n250 SIZE ${'9'.repeat(20)}`, { hasSize: true }],
  ['AUTH as it was written once', '250-mail.test\n250 AUTH=LOGIN PLAIN', { authMethods: ['LOGIN', 'PLAIN'] }],
  ['words that only look like it', '250-mail.test\n250-XPIPELINING\n250 X-STARTTLS', {}],
])('a server offers %s', (_what, text, offered) => {
  expect(parseExtensions(replyOf(text))).toEqual({ ...NO_EXTENSIONS, ...offered })
})

test('an offer of nothing but spaces is read in no time', () => {
  const text = `250-mail.test\n250 AUTH${' '.repeat(60_000)}PLAIN`

  expect(parseExtensions(replyOf(text)).authMethods).toEqual(['PLAIN'])
})
