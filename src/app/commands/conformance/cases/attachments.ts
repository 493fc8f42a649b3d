import type { Case } from '../suite/case.ts'
import type { CaseRun, Fixture } from '../suite/case-run.ts'
import { count, is, iso, listOf, nullable, oneOf, optional, string, url, uuid } from '../suite/shape.ts'
import { fetchText } from './download.ts'
import { mail, sentEmail } from './mail.ts'

export const ATTACHMENT = {
  id: uuid,
  filename: optional(nullable(string)),
  size: count,
  content_type: string,
  content_disposition: optional(nullable(oneOf('inline', 'attachment'))),
  content_id: optional(nullable(string)),
  download_url: url,
  expires_at: iso,
}

const CONTENT = 'hello'
const BYTES = [...Buffer.from(CONTENT)]

/** The forms in which clients send the content of a file. */
const FORMS: Readonly<Record<string, unknown>> = {
  base64: Buffer.from(CONTENT).toString('base64'),
  buffer: { type: 'Buffer', data: BYTES },
  numbers: BYTES,
}

const withAttachment: Fixture<{ id: string; attachmentId: string }> = {
  async make(trial) {
    const id = await send(trial, FORMS.base64)
    const { data } = await trial.made('GET /emails/:id/attachments', { params: { id } })
    const attachmentId = data?.[0]?.id
    return typeof attachmentId === 'string' ? { id, attachmentId } : trial.skip('needs an attachment in the list')
  },
}

async function send(trial: CaseRun, content: unknown): Promise<string> {
  const attachments = [{ filename: 'notes.txt', content }]
  return (await trial.made('POST /emails', { body: { ...mail(trial), attachments } })).id
}

export const attachmentCases: Case[] = [
  {
    ...{
      id: 'emails.attachments',
      title: 'lists the attachments of an email',
      operation: 'GET /emails/:id/attachments',
    },
    async run(trial) {
      const id = await send(trial, FORMS.base64)
      const answer = await trial.call('GET /emails/:id/attachments', { params: { id } })
      const { data } = answer.is(200, listOf({ ...ATTACHMENT, filename: is('notes.txt'), size: is(CONTENT.length) }))
      trial.check(answer.request, { expected: '1 attachment', isTrue: data?.length === 1, actual: data?.length })
    },
  },
  {
    ...{
      id: 'emails.no-attachments',
      title: 'lists none where there are none',
      operation: 'GET /emails/:id/attachments',
    },
    async run(trial) {
      const { id } = await trial.need(sentEmail)
      const answer = await trial.call('GET /emails/:id/attachments', { params: { id } })
      answer.is(200, { ...listOf({}), has_more: is(false) })
    },
  },
  {
    ...{ id: 'emails.attachment', title: 'reads an attachment, and gives a link to its content' },
    operation: 'GET /emails/:id/attachments/:attachment_id',
    async run(trial) {
      const { id, attachmentId } = await trial.need(withAttachment)
      const params = { id, attachment_id: attachmentId }
      const answer = await trial.call('GET /emails/:id/attachments/:attachment_id', { params })
      const { download_url } = answer.is(200, { ...ATTACHMENT, object: is('attachment'), id: is(attachmentId) })
      const text = await fetchText(trial, download_url)
      trial.check('download_url, without a key', { expected: CONTENT, isTrue: text === CONTENT, actual: text })
    },
  },
  ...Object.entries(FORMS).map(
    ([form, content]): Case => ({
      ...{ id: `emails.content-${form}`, title: `takes content as ${form}`, operation: 'POST /emails' },
      async run(trial) {
        const attachments = [{ filename: 'notes.txt', content }]
        const { id } = (await trial.call('POST /emails', { body: { ...mail(trial), attachments } })).is(200, {
          id: uuid,
        })
        const read = await trial.call('GET /emails/:id/attachments', { params: { id } })
        read.is(200, listOf({ size: is(CONTENT.length) }))
      },
    }),
  ),
]
