import type { Static } from 'typebox'
import { prepareContent } from '../../mail/broadcast.ts'
import { personalise } from '../../mail/personal.ts'
import { TooLong } from '../../mail/templates.ts'
import { embedImages } from '../inbound/index.ts'
import { lastBounceIn } from './delivery/ledger/bounce-details.ts'
import { unsubscribeUrl } from './delivery/message/unsubscribe-link.ts'
import { findEmail, findInlineFiles } from './queries.ts'
import type { Email } from './schema.ts'
import type { EmailsServices } from './services.ts'

/** An email as it was sent. A recipient email of a broadcast is put together again from the broadcast's content and the recipient's own values. */
export async function readEmail(
  { db, links, publicUrl }: EmailsServices,
  team: string,
  id: string,
): Promise<Static<typeof Email> | undefined> {
  const found = await findEmail(db, team, id)
  if (!found) return undefined
  const { recipientContent, ...stored } = found
  const bounce = bounceOf(stored)
  const email = bounce ? { ...stored, bounce } : stored
  if (!recipientContent) return email
  const url = unsubscribeUrl({ links, publicUrl: publicUrl() }, { team, id, topicId: email.topic_id }, email.to[0]!)
  // As for other emails, only a text that somebody wrote is shown, not the one that is made from the html.
  const content = prepareContent({ ...recipientContent, text: recipientContent.text ?? '' })
  try {
    return { ...email, ...personalise(content, recipientContent.variables ?? {}, url.href) }
  } catch (error) {
    if (error instanceof TooLong) return { ...email, html: null, text: null } // it was never sent either
    throw error
  }
}

function bounceOf({ events, deliveries }: Pick<Static<typeof Email>, 'events' | 'deliveries'>) {
  const bounced = events.findLast(({ type }) => type === 'email.bounced')
  return (bounced?.data as Pick<Static<typeof Email>, 'bounce'> | undefined)?.bounce ?? lastBounceIn(deliveries)
}

/** What people see of it: the html with its own images. */
export async function findSentShown(services: EmailsServices, team: string, id: string) {
  const email = await readEmail(services, team, id)
  if (!email?.html) return email
  const { db, blobs } = services
  return { ...email, html: await embedImages(email.html, blobs, () => findInlineFiles(db, team, id)) }
}
