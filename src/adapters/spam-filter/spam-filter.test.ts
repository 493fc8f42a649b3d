import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { startSpamd } from '../../../test/harness/spamd.ts'
import { SpamFilter } from './spam-filter.ts'

const MESSAGE = Buffer.from('Subject: Hi\r\n\r\nFree money\r\n')

/** As SpamAssassin 4 answers. */
const REPORT = `SPAMD/1.1 0 EX_OK\r
Content-length: 1\r
Spam: True ; 15.5 / 5.0\r
\r
Spam detection software, running on the system "mail.example.com",
has identified this incoming email as possible spam.

Content analysis details:   (15.5 points, 5.0 required)

 pts rule name              description
---- ---------------------- --------------------------------------------------
-0.0 NO_RELAYS              Informational: message was not relayed via SMTP
  14 GTUBE                  BODY: Generic Test for Unsolicited Bulk Email
 1.5 SUBJ_ALL_CAPS          Subject is all capitals, and this goes on
                            in the next line

`

test('SpamAssassin is asked by its own protocol, and its report is read', async () => {
  const received: string[] = []
  const filter = new SpamFilter(await startSpamd(REPORT, received))

  expect(await filter.scoreOf(MESSAGE)).toEqual({
    kind: 'scored',
    score: {
      score: 15.5,
      threshold: 5,
      rules: [
        { name: 'GTUBE', score: 14, description: 'BODY: Generic Test for Unsolicited Bulk Email' },
        {
          name: 'SUBJ_ALL_CAPS',
          score: 1.5,
          description: 'Subject is all capitals, and this goes on in the next line',
        },
        { name: 'NO_RELAYS', score: -0, description: 'Informational: message was not relayed via SMTP' },
      ],
    },
  })
  expect(received).toEqual([`REPORT SPAMC/1.5\r\nContent-length: ${MESSAGE.length}\r\n\r\n${MESSAGE}`])
})

test.each([
  ['nothing', '', 'its answer cannot be understood'],
  ['an error', 'SPAMD/1.0 76 Bad header line: x\r\n\r\n', 'its answer cannot be understood'],
  ['something else', '220 mail.example.com ESMTP\r\n', 'its answer cannot be understood'],
  ['no number', 'SPAMD/1.1 0 EX_OK\r\nSpam: True ; ... / 5\r\n\r\n', 'its answer cannot be understood'],
  ['without an end', 'x'.repeat(600_000), 'its answer is larger than 524288 bytes'],
])('a spamd that answers %s gives no score', async (_, answer, reason) => {
  expect(await new SpamFilter(await startSpamd(answer)).scoreOf(MESSAGE)).toEqual({ kind: 'failed', reason })
})

test('a filter that is silent or away is not waited for', async () => {
  const silent = new SpamFilter(await startSpamd(null), 50)

  expect(await silent.scoreOf(MESSAGE)).toEqual({ kind: 'failed', reason: 'no answer within 50 ms' })
  expect(await new SpamFilter('spamd://127.0.0.1:1').scoreOf(MESSAGE)).toMatchObject({ kind: 'failed' })
  expect(await new SpamFilter('http://127.0.0.1:1').scoreOf(MESSAGE)).toMatchObject({ kind: 'failed' })
})

async function startRspamd(status: number, answer: string) {
  const requests: string[] = []
  const server = createServer((request, response) => {
    let body = ''
    request.on('data', (chunk) => {
      body += chunk
    })
    request.on('end', () => {
      requests.push(`${request.method} ${request.url} from ${request.headers.ip}: ${body}`)
      response.writeHead(status, { 'content-type': 'application/json' }).end(answer)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests }
}

test('Rspamd is asked by HTTP', async () => {
  const { url, requests } = await startRspamd(
    200,
    JSON.stringify({
      ...{ is_skipped: false, score: 6.2, required_score: 15, action: 'add header' },
      symbols: {
        MISSING_MID: { name: 'MISSING_MID', score: 2.5, description: 'Message-ID is missing' },
        R_NO_SPACE_IN_FROM: { name: 'R_NO_SPACE_IN_FROM', score: 1 },
        BROKEN: 'x',
      },
    }),
  )

  expect(await new SpamFilter(url).scoreOf(MESSAGE)).toEqual({
    kind: 'scored',
    score: {
      ...{ score: 6.2, threshold: 15 },
      rules: [
        { name: 'MISSING_MID', score: 2.5, description: 'Message-ID is missing' },
        { name: 'R_NO_SPACE_IN_FROM', score: 1, description: '' },
      ],
    },
  })
  expect(requests).toEqual([`POST /checkv2 from 127.0.0.1: ${MESSAGE}`])
})

test.each([
  [200, 'nonsense'],
  [200, 'null'],
  [200, '{"score":"1"}'],
  [403, '{"error":"Unauthorized"}'],
])('an Rspamd that answers %i %s gives no score', async (status, answer) => {
  const { url } = await startRspamd(status, answer)

  expect(await new SpamFilter(`${url}/`).scoreOf(MESSAGE)).toMatchObject({ kind: 'failed' })
})

test('whether a filter is on this machine is seen by its address', () => {
  expect(new SpamFilter('spamd://127.0.0.1:783').isHere).toBe(true)
  expect(new SpamFilter('http://[::1]:11333').isHere).toBe(true)
  expect(new SpamFilter('http://rspamd.example.com:11333').isHere).toBe(false)
})
