import type { NewEmail } from '../../src/features/emails/delivery/acceptance/accept.ts'
import { EMPTY_FIELDS } from '../../src/features/emails/delivery/ledger/email-fields.ts'
import { newId } from './ids.ts'

/** An email as acceptance takes it, with nothing in it that is optional. */
export function newEmail(team: string, fields: Partial<NewEmail> = {}): NewEmail {
  const id = newId()
  return {
    ...EMPTY_FIELDS,
    id,
    team,
    messageId: `<${id}@acme.dev>`,
    from: 'hello@acme.dev',
    to: ['ada@example.com'],
    subject: 'Hello',
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
