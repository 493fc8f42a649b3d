import type { LinkSigner } from '../platform/links.ts'

/** Where a recipient ends mail like this one: about its topic, or all that goes to many when it has none. */
export function unsubscribeUrl(
  { links, publicUrl }: { links: LinkSigner; publicUrl: string },
  email: { team: string; id: string; topicId: string | null },
  recipient: string,
): URL {
  const { team, id, topicId } = email
  const payload = { team, email: id, ...(topicId && { topic: topicId }), to: recipient }
  return new URL(`${publicUrl}/unsubscribe/${links.sign('unsubscribe', payload, null)}`)
}
