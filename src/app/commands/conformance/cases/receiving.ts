import type { Case, Group } from '../suite/case.ts'
import type { CaseRun, Fixture, Json } from '../suite/case-run.ts'
import {
  absent,
  count,
  is,
  iso,
  listing,
  listOf,
  moment,
  nullable,
  object,
  optional,
  string,
  url,
  uuid,
} from '../suite/shape.ts'
import { handOver } from '../suite/smtp.ts'
import { ATTACHMENT } from './attachments.ts'
import { fetchText } from './download.ts'
import { everyOperationCases } from './every-operation.ts'
import { cursorCases } from './lists.ts'

const PART = {
  id: uuid,
  filename: nullable(string),
  size: optional(nullable(count)),
  content_type: string,
  content_id: optional(nullable(string)),
  content_disposition: optional(nullable(string)),
}

const LISTED = {
  id: uuid,
  from: string,
  to: listing(string),
  cc: nullable(listing(string)),
  bcc: nullable(listing(string)),
  reply_to: nullable(listing(string)),
  received_for: optional(listing(string)),
  subject: nullable(string),
  message_id: string,
  created_at: moment,
  attachments: listing(PART),
}

const operation = 'GET /emails/receiving'

const message = (subject: string, to: string) =>
  [
    ...[
      'From: Ada <ada@elsewhere.example>',
      `To: ${to}`,
      `Subject: ${subject}`,
      `Message-ID: <${subject}@elsewhere.example>`,
    ],
    ...[
      'Date: Mon, 05 Jan 2026 10:00:00 +0000',
      'MIME-Version: 1.0',
      'Content-Type: multipart/mixed; boundary="part"',
      '',
    ],
    ...['--part', 'Content-Type: text/plain; charset=utf-8', '', 'Hello from elsewhere', '--part'],
    ...['Content-Type: text/plain; name="notes.txt"', 'Content-Disposition: attachment; filename="notes.txt"', ''],
    ...['hello', '--part--', ''],
  ].join('\r\n')

/** Hands an email over by SMTP, to the address of the run or another one that the server takes mail for. Gives back its subject. */
export async function handOverTo(trial: CaseRun, given?: string): Promise<string> {
  const { smtp, receiveAt, timeoutMs } = trial.world.options
  const to = given ?? receiveAt
  if (smtp === null || to === null) return trial.skip('no email can be handed over: see --smtp and --receive-at')
  const subject = trial.fresh('received')
  try {
    await handOver(smtp, { from: 'ada@elsewhere.example', to, message: message(subject, to) }, timeoutMs)
  } catch (error) {
    return trial.skip(`the email could not be handed over: ${(error as Error).message}`)
  }
  return subject
}

/** One that the suite hands over by SMTP, or the newest that is there. */
const received: Fixture<Json> = {
  async make(trial) {
    const { smtp, receiveAt } = trial.world.options
    const list = async (query: string) => (await trial.made(operation, { query })).data ?? []
    if (smtp === null || receiveAt === null) {
      const [newest] = await list('limit=1')
      return newest ?? trial.skip('no email was received: see --smtp and --receive-at')
    }
    const subject = await handOverTo(trial)
    return trial.until('an email that was handed over is in the list', async () =>
      (await list('limit=100')).find((one: Json) => one?.subject === subject),
    )
  },
}

/** One with an attachment. */
async function withPart(trial: CaseRun): Promise<{ id: string; attachment_id: string; filename: string | null }> {
  const { id, attachments } = await trial.need(received)
  const part = Array.isArray(attachments) ? attachments[0] : undefined
  if (!part) return trial.skip('the newest received email has no attachment: see --smtp and --receive-at')
  return { id, attachment_id: part.id, filename: part.filename }
}

const cases: Case[] = [
  {
    ...{ id: 'receiving.list', title: 'lists received emails', operation },
    async run(trial) {
      ;(await trial.call(operation, { query: 'limit=5' })).is(200, listOf({ ...LISTED, html: absent, text: absent }))
    },
  },
  ...cursorCases({ id: 'receiving', operation }, (trial, query) => trial.call(operation, { query })),
  {
    ...{ id: 'receiving.get', title: 'reads a received email', operation: 'GET /emails/receiving/:id' },
    async run(trial) {
      const { id, subject } = await trial.need(received)
      const answer = await trial.call('GET /emails/receiving/:id', { params: { id } })
      answer.is(200, {
        ...{
          ...LISTED,
          object: is('email'),
          id: is(id),
          subject: is(subject),
          created_at: iso,
          html: nullable(string),
        },
        ...{ text: nullable(string), headers: nullable(object), raw: nullable({ download_url: url, expires_at: iso }) },
      })
    },
  },
  {
    ...{ id: 'receiving.raw', title: 'gives a link to the whole message', operation: 'GET /emails/receiving/:id' },
    async run(trial) {
      const { id, message_id } = await trial.need(received)
      const answer = await trial.call('GET /emails/receiving/:id', { params: { id } })
      const { raw } = answer.is(200, { raw: { download_url: url, expires_at: iso } })
      const text = await fetchText(trial, raw?.download_url)
      const isWhole = text.includes(String(message_id).replace(/[<>]/g, ''))
      trial.check('raw.download_url, without a key', {
        expected: `a message with ${message_id}`,
        isTrue: isWhole,
        actual: text,
      })
    },
  },
  {
    ...{
      id: 'receiving.attachments',
      title: 'lists its attachments',
      operation: 'GET /emails/receiving/:id/attachments',
    },
    async run(trial) {
      const { id } = await withPart(trial)
      const answer = await trial.call('GET /emails/receiving/:id/attachments', { params: { id } })
      answer.is(200, listOf(ATTACHMENT))
    },
  },
  {
    ...{ id: 'receiving.attachment', title: 'reads an attachment' },
    operation: 'GET /emails/receiving/:id/attachments/:attachment_id',
    async run(trial) {
      const { filename, ...params } = await withPart(trial)
      const answer = await trial.call('GET /emails/receiving/:id/attachments/:attachment_id', { params })
      const shape = { ...ATTACHMENT, object: is('attachment'), id: is(params.attachment_id), filename: is(filename) }
      const { download_url, size } = answer.is(200, shape)
      const text = await fetchText(trial, download_url)
      trial.check('download_url, without a key', {
        expected: `${size} bytes`,
        isTrue: Buffer.byteLength(text) === size || size > 100_000,
        actual: text,
      })
    },
  },
]

export const receiving: Group = {
  id: 'receiving',
  title: 'Received emails',
  cases: [...cases, ...everyOperationCases('receiving')],
}
