import { expect, test } from 'vitest'
import { RICH } from '../../../../test/harness/arriving.ts'
import { parseMail, readHeaderFields } from '../../../mail/parse.ts'
import { headerFieldsApart, readApart } from './mail-threads.ts'

/** What was read, as it is when nobody has taken it to another thread. */
async function readHere(raw: Buffer) {
  const { headers, html, text, attachments, faults } = await parseMail(raw)
  return { headers, html, text, attachments, faults }
}

async function readThere(raw: Buffer) {
  const { headers, html, text, linkTokens: _tokens, ...rest } = await readApart(raw)
  const textOf = (bytes: Uint8Array | null) => bytes && Buffer.from(bytes).toString()
  return { ...rest, headers: JSON.parse(textOf(headers)!), html: textOf(html), text: textOf(text) }
}

test('a message reads the same in another thread', async () => {
  expect(await readThere(RICH)).toEqual(await readHere(RICH))
})

test('a part of a larger buffer is read, and stays as it was', async () => {
  const around = Buffer.concat([Buffer.from('before'), RICH, Buffer.from('behind')])

  const mail = await readThere(around.subarray(6, 6 + RICH.length))

  expect(mail).toEqual(await readHere(RICH))
  expect(around.subarray(6, 6 + RICH.length)).toEqual(RICH)
})

test('what takes too long to read has its header, and says why there is no more', async () => {
  // Some 100 ms, so that a timer of 1 ms is over before it, however late that one is.
  const raw = Buffer.from(`From: a@b.example\r\nContent-Type: text/html\r\n\r\n${'<p>x &amp; '.repeat(500_000)}`)
  const nothing = {
    html: null,
    text: null,
    attachments: [],
    faults: ['The message could not be read: it took longer than 0.001 s'],
  }
  const { headers } = readHeaderFields(raw)

  const read = await readApart(raw, 1)

  expect(read).toMatchObject(nothing)
  expect(JSON.parse(Buffer.from(read.headers).toString())).toEqual(headers)
})

test('a long header reads the same in another thread', async () => {
  const raw = Buffer.from(`Subject: long\r\nTo: ${'a@b.example, '.repeat(5_000)}\r\n\r\nText`)

  expect(await headerFieldsApart(raw)).toEqual(readHeaderFields(raw))
})
