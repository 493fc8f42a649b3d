// What a relay answers to a message, where it puts a Message-ID of its own in the place of ours.

// Amazon SES: `250 Ok 0102018f0c1d…-6b1b7d9a-….-000000`. The Message-ID is that with the region's name behind it, which the name of
// the relay has: `email-smtp.eu-west-1.amazonaws.com`, or `email.…` by its API. In us-east-1 it is `email`, for historical reasons.
const SES_REPLY = /^250(?: 2\.\d\.\d)? Ok ([0-9a-f]{16,32}-[0-9a-f-]{30,50})\s*$/i
const SES_HOST = /^email(?:-smtp)?(?:-fips)?\.([a-z]{2}(?:-[a-z]{2,12}){1,2}-\d)\.amazonaws\.com$/i
const SES_MESSAGE_ID = /^<[0-9a-f-]{40,90}@[a-z0-9-]{2,30}\.amazonses\.com>$/

/** The Message-ID under which others know a message that the relay has taken with this reply; null: it keeps ours. */
export function relayedMessageId(host: string, reply: string): string | null {
  const region = SES_HOST.exec(host)?.[1]?.toLowerCase()
  const id = SES_REPLY.exec(reply)?.[1]?.toLowerCase()
  if (region === undefined || id === undefined) return null
  return `<${id}@${region === 'us-east-1' ? 'email' : region}.amazonses.com>`
}

/** Whether a relay may have given a message this Message-ID, so that it is worth looking for. */
export const isRelayedMessageId = (messageId: string) => SES_MESSAGE_ID.test(messageId.toLowerCase())
