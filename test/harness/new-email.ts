import type { NewEmail } from '../../src/features/emails/delivery/accept.ts'
import { newId } from './ids.ts'

/** An email as acceptance takes it, with nothing in it that is optional. */
export function newEmail(team: string, fields: Partial<NewEmail> = {}): NewEmail {
  const id = newId()
  return {
    id,
    team,
    messageId: `<${id}@acme.dev>`,
    from: 'hello@acme.dev',
    to: ['ada@example.com'],
    cc: null,
    bcc: null,
    replyTo: null,
    subject: 'Hello',
    headers: null,
    tags: null,
    topicId: null,
    templateId: null,
    domainId: null,
    createdAt: new Date(),
    html: '<p>Hi</p>',
    text: null,
    apiKeyId: newId(),
    scheduledAt: null,
    recipients: ['ada@example.com'],
    attachments: [],
    ...fields,
  }
}
