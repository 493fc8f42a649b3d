import { call, type Input, type Item, type Reply } from '../../api.ts'
import { readDataUrl } from '../../ui/inline-images.ts'
import { texts } from './texts.ts'

export type FullEmail = Reply<'emails.get'>
export type Attachment = Item<'emails.attachments.list'>

export const sendEmail = (body: Input<'emails.send'>['body']) => call('emails.send', { body })

/** The same email once more, as a new one. */
export async function sendAgain(email: FullEmail, attachments: readonly Attachment[]) {
  const { from, to, cc, bcc, reply_to, subject, html, text, tags, topic_id } = email
  return sendEmail({
    ...{ from, to, cc, bcc, reply_to, subject, tags },
    ...(html !== null && { html }),
    ...(text !== null && { text }),
    ...(topic_id && { topic_id }),
    ...(attachments.length > 0 && { attachments: await Promise.all(attachments.map(withContent)) }),
  })
}

async function withContent({ filename, content_type, content_id, download_url }: Attachment) {
  const [, content = ''] = (await readDataUrl(download_url)).split(',', 2)
  return { content, content_type, ...(filename && { filename }), ...(content_id && { content_id }) }
}

/** What people try first. In the inbox mode any sender will do. */
export const TEST_EMAIL = {
  from: 'Postwren <hello@example.com>',
  to: 'delivered@resend.dev',
  subject: texts.testEmail.subject,
  html: `<div style="font-family: system-ui, sans-serif; max-width: 32rem; margin: 0 auto; padding: 2rem">
  <h1 style="font-size: 1.5rem; margin: 0 0 1rem">${texts.testEmail.heading}</h1>
  <p style="line-height: 1.6; color: #444">${texts.testEmail.body}</p>
  <p style="line-height: 1.6; color: #444">${texts.testEmail.next}</p>
</div>`,
}
