import { expect, test } from 'vitest'
import { parseMail } from '../parse.ts'
import { readReport } from '../report.ts'
import { MAX_ADDRESSES } from './addresses.ts'

test('a complaint names each recipient once, and no more than are looked up', async () => {
  const named = Array.from({ length: 5_000 }, (_, n) => `a${n >> 1}@b.example`)
  const raw = Buffer.from(
    [
      'From: fbl@fbl.example',
      'Content-Type: multipart/report; report-type=feedback-report; boundary=b',
      '',
      '--b',
      'Content-Type: message/feedback-report',
      '',
      'Feedback-Type: abuse',
      `Original-Rcpt-To: ${named.join(', ')}`,
      `Removal-Recipient: ${named.join(', ')}`,
      '',
      '--b--',
      '',
    ].join('\r\n'),
  )

  const report = readReport(await parseMail(raw), raw)

  expect(report).toMatchObject({
    kind: 'complaint',
    recipients: Array.from({ length: MAX_ADDRESSES }, (_, n) => `a${n}@b.example`),
  })
})
