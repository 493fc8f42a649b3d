import type { LinkSigner } from '../../../../platform/links.ts'

export const UNSUBSCRIBE_PATH = '/unsubscribe'

/** What the link in a mail stands for. */
export interface UnsubscribeLink {
  readonly team: string
  /** The mail that has the link. */
  readonly emailId: string
  readonly recipient: string
  /** What the mail was about; null when it was about nothing in particular, and only all or nothing can be chosen. */
  readonly topicId: string | null
}

/** Where a recipient ends mail like this one: about its topic, or all that goes to many when it has none. */
export function unsubscribeUrl(
  { links, publicUrl }: { links: LinkSigner; publicUrl: string },
  email: { team: string; id: string; topicId: string | null },
  recipient: string,
): URL {
  const { team, id, topicId } = email
  const payload = { team, email: id, ...(topicId && { topic: topicId }), to: recipient }
  return new URL(`${publicUrl}${UNSUBSCRIBE_PATH}/${links.sign('unsubscribe', payload, null)}`)
}

export function readUnsubscribeLink(links: LinkSigner, token: string, now: Date): UnsubscribeLink | null {
  const payload = links.read('unsubscribe', token, now)
  return (
    payload && { team: payload.team!, emailId: payload.email!, recipient: payload.to!, topicId: payload.topic ?? null }
  )
}
