import { expect, test } from 'vitest'
import { parseMail } from '../../../../mail/parse.ts'
import { readReport } from '../../../../mail/report.ts'
import { bounceMail } from './bounce.ts'
import { complaintMail } from './complaint.ts'
import { replyMail } from './reply.ts'
import { headerOf } from './report-mail.ts'

const REPORTED = {
  header: headerOf(
    Buffer.from(
      'Message-ID: <1@acme.dev>\r\nFrom: hello@acme.dev\r\nTo: ada@example.com\r\nSubject: Hi\r\n\r\nText\r\n',
    ),
  ),
  recipient: 'Ada@bücher.example',
  returnPath: 'bounce+1@send.acme.dev',
  date: new Date('2026-11-16T08:00:00Z'),
  seed: 'seed',
}

const read = async (raw: Buffer) => readReport(await parseMail(raw), raw)

test('a bounce is read as one that a server has written', async () => {
  expect(await read(bounceMail(REPORTED, '452 4.2.2 Mailbox full'))).toEqual({
    kind: 'bounce',
    recipients: [
      {
        recipient: 'Ada@xn--bcher-kva.example',
        action: 'failed',
        status: '4.2.2',
        diagnostic: 'smtp; 452 4.2.2 Mailbox full',
      },
    ],
    original: { messageId: '<1@acme.dev>', returnPaths: [], to: ['ada@example.com'] },
  })
  expect(await read(bounceMail(REPORTED, '550 gone'))).toMatchObject({ recipients: [{ status: '5.0.0' }] })
})

test('a complaint is read as one that a provider has written', async () => {
  expect(await read(complaintMail(REPORTED))).toMatchObject({
    kind: 'complaint',
    feedbackType: 'abuse',
    recipients: ['Ada@xn--bcher-kva.example'],
    original: { messageId: '<1@acme.dev>', returnPaths: ['bounce+1@send.acme.dev'] },
  })
})

test('reports are the same bytes each time, and are of bounded size', () => {
  const huge = { ...REPORTED, header: headerOf(Buffer.alloc(5_000_000, 'x: y\r\n')) }

  expect(bounceMail(REPORTED, '550 no')).toEqual(bounceMail(REPORTED, '550 no'))
  expect(bounceMail(huge, '550 no').length).toBeLessThan(80_000)
})

test('an answer names what it answers, behind what that has answered', async () => {
  const headers = [{ name: 'References', value: '<0@acme.dev>' }]
  const email = { messageId: '<1@acme.dev>', subject: 'Re: Hi', headers }
  const answer = {
    from: 'ada@example.com',
    to: [{ name: 'Acme', address: 'hello@acme.dev' }],
    text: 'Grüße',
    subject: undefined,
  }
  const raw = replyMail(email, answer, { date: REPORTED.date, seed: 'seed' })

  const mail = await parseMail(raw)
  expect(mail).toMatchObject({ from: 'ada@example.com', subject: 'Re: Hi', text: expect.stringContaining('Grüße') })
  expect(raw.toString()).toContain('In-Reply-To: <1@acme.dev>\r\nReferences: <0@acme.dev> <1@acme.dev>\r\n')
  expect(await read(raw)).toBeNull()
})
