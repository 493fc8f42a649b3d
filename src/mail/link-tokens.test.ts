import { expect, test } from 'vitest'
import { written } from '../../test/harness/arriving.ts'
import { linkTokensInBytes, linkTokensOf } from './link-tokens.ts'
import { parseMail } from './parse.ts'

const TOKEN = 'AbcdefghijklmnopqrstuvwxyZ0123456789-_abcde'
const tokensOf = async (raw: Buffer) => linkTokensOf(await parseMail(raw))
const file = (contentType: string, content: string) => ({
  ...{ contentType, filename: null, contentId: null, disposition: null },
  content: Buffer.from(content),
})

test.each([
  `https://a.example/dashboard#sign-in=${TOKEN}`,
  `https://a.example/dashboard#verify=${TOKEN}\r\nThe link is good once.`,
  `Join: https://a.example/dashboard#invitation=${TOKEN}.`,
  `https://safe.example/?u=https%3A%2F%2Fa.example%2Fdashboard%23sign-in%3D${TOKEN}&x=1`,
  `https://urldefense.example/v2/url?u=https-3A__a.example_dashboard-23sign-2Din-3D${TOKEN}`.replace(
    'sign-2Din',
    'sign-in',
  ),
  `> > https://a.example/dashboard#sign-in=${TOKEN.slice(0, 9)}\r\n> > ${TOKEN.slice(9)}`,
])('a link is found: %s', async (body) => {
  expect(await tokensOf(written({ body }))).toEqual([TOKEN])
})

test('a link is found in mail that is attached to mail, whatever its encoding', async () => {
  const base64 = Buffer.from(`#sign-in=${TOKEN}`).toString('base64')
  const inner = `Content-Type: text/html\r\nContent-Transfer-Encoding: base64\r\n\r\n${base64}\r\n`
  const outer = `Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\nContent-Type: message/rfc822\r\n\r\n${inner}\r\n--b--\r\n`

  expect(await linkTokensOf({ html: null, text: null, attachments: [file('message/rfc822', outer)] })).toEqual([TOKEN])
  expect(linkTokensInBytes(Buffer.from(`x#sign-in=3D${TOKEN.slice(0, 9)}=\r\n${TOKEN.slice(9)}`))).toEqual([TOKEN])
})

test('what a stranger makes of it costs little', async () => {
  const many = Array.from({ length: 500 }, (_, index) => `#sign-in=${String(index).padStart(43, 'a')}`).join('\n')
  const nested = Array.from({ length: 10 }).reduce<string>(
    (inside) => `Content-Type: message/rfc822\r\n\r\n${inside}`,
    `\r\n#sign-in=${TOKEN}`,
  )

  expect(await linkTokensOf({ html: many, text: many, attachments: [] })).toHaveLength(100)
  expect(await linkTokensOf({ html: null, text: null, attachments: [file('image/png', many)] })).toEqual([])
  expect(
    await linkTokensOf({ html: null, text: 'sign-in=short', attachments: [file('message/rfc822', nested)] }),
  ).toEqual([TOKEN])
})
