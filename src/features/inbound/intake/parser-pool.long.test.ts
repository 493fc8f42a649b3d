import { expect, test } from 'vitest'
import { RICH } from '../../../../test/harness/arriving.ts'
import { packed } from '../../../../test/harness/packed.ts'
import { MAX_ROWS_OF_DAY } from '../../../mail/domain-reports/fold.ts'
import { parseMail, readHeaderFields } from '../../../mail/parse.ts'
import { parseInWorker, readDomainReportInWorker, readHeaderInWorker } from './parser-pool.ts'

/** What was read, as it is when nobody has taken it to another thread. */
async function readHere(raw: Buffer) {
  const { headers, html, text, attachments, faults } = await parseMail(raw)
  return { headers, html, text, attachments, faults }
}

async function readThere(raw: Buffer) {
  const { headers, html, text, linkTokens: _tokens, ...rest } = await parseInWorker(raw)
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

  const read = await parseInWorker(raw, 1)

  expect(read).toMatchObject(nothing)
  expect(JSON.parse(Buffer.from(read.headers).toString())).toEqual(headers)
})

test('a long header reads the same in another thread', async () => {
  const raw = Buffer.from(`Subject: long\r\nTo: ${'a@b.example, '.repeat(5_000)}\r\n\r\nText`)

  expect(await readHeaderInWorker(raw)).toEqual(readHeaderFields(raw))
})

const DOMAIN = { name: 'acme.example', returnPathHost: 'send.acme.example', selectors: [] }

/** A mail with a report of so many records. */
const reportMail = (records: number) => {
  const metadata =
    '<org_name>R</org_name><report_id>1</report_id><date_range><begin>1794873600</begin><end>1794873600</end></date_range>'
  const rows = Array.from(
    { length: records },
    (_, n) => `<record><row><source_ip>10.0.${n >> 8}.${n & 255}</source_ip><count>1</count></row></record>`,
  )
  const report = `<feedback><report_metadata>${metadata}</report_metadata><policy_published><domain>acme.example</domain></policy_published>${rows.join('')}</feedback>`
  return packed(Buffer.from(report), { name: 'report.xml', how: 'gzip' })
}

test('of a report about a domain no more comes back than is kept', async () => {
  const read = await readDomainReportInWorker(reportMail(MAX_ROWS_OF_DAY * 2), { kind: 'dmarc', domain: DOMAIN })

  const { report } = read as Extract<typeof read, { report: unknown }>
  expect(report).toMatchObject({ kind: 'dmarc', messages: MAX_ROWS_OF_DAY * 2 })
  expect(report!.rows).toHaveLength(MAX_ROWS_OF_DAY + 1)
})

test('reports about domains leave a thread to small mail, however small they are packed', async () => {
  let done = 0
  const reports = Array.from({ length: 8 }, async () => {
    await readDomainReportInWorker(reportMail(10_000), { kind: 'dmarc', domain: DOMAIN })
    done++
  })

  await parseInWorker(RICH)

  expect(done).toBeLessThan(8)
  await Promise.all(reports)
})
