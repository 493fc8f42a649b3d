import type { ReplyAbout, ReplyClass, ReplyMeans } from './reply-class.ts'

/** What can be done about a reply, by what it is. */
const BY_CLASS: Readonly<Partial<Record<ReplyClass, string>>> = {
  invalid_recipient: 'The mailbox does not exist. Check the address for typos, or ask the person for a new one.',
  bad_domain: 'The domain does not exist or does not accept mail. Check the address for typos.',
  inactive_mailbox: 'The mailbox is switched off. Remove the address, or ask the person for a new one.',
  quota_issues: 'The mailbox is full. Try again in a few days; if it stays full, the address may be abandoned.',
  message_too_large: 'The message is larger than the server accepts. Send a link instead of attachments.',
  prohibited_attachment: 'The server refused an attachment. Send a link to the file, or another file type.',
  spam_content: 'The server takes the message for spam. Check links and wording.',
  virus_related: 'The server found malware in the message. Check its attachments and links.',
  content_related: 'The server refused the content or the headers. Check links, wording and attachments.',
  authentication_failed:
    'SPF, DKIM or DMARC did not pass. Check the DNS records of the sending domain; waiting does not help.',
  bad_configuration:
    'The server refuses how this installation is set up. Check the PTR record, the SMTP name and TLS; waiting does not help.',
  invalid_sender:
    'The server refuses the sender. Check that the sending domain has its DNS records; waiting does not help.',
  login_refused: 'The server refused the login. Check the user name and password of the relay.',
  greylisted: 'The server asks everybody it does not know to come back. The next attempt is usually accepted.',
  relay_denied: 'The server does not accept mail for this domain. Its MX records may be wrong.',
  too_many_recipients: 'The server takes fewer recipients at once. The others are tried again.',
}

const BY_MEANS: Readonly<Record<ReplyMeans, string>> = {
  taken: 'The server accepted the message.',
  throttle: 'The server wants less mail for a while. Sending slows down by itself.',
  block: 'The server blocks the sender for now. Sending pauses by itself; look for complaints and blocklists.',
  fix: 'Something has to be set up on the sending side; waiting does not help.',
  bad_address: 'The server refuses this address for good. Remove it from your lists.',
  refused: 'The server refused this message. Its reply says why.',
  later: 'The server does not accept this message now. It is tried again.',
  trouble: 'The server has trouble of its own. The message is tried again.',
}

/** Where the class alone would say too much. */
export function adviceFor({
  class: replyClass,
  means,
  about,
}: {
  readonly class: ReplyClass
  readonly means: ReplyMeans
  readonly about?: ReplyAbout | null
}): string {
  if (replyClass === 'inactive_mailbox' && means === 'refused')
    return 'The mailbox is switched off, maybe for a while. Try again later.'
  if (replyClass === 'throttled' && about === 'recipient')
    return 'This recipient gets too much mail at the moment. It is tried again.'
  const isOfTheirs = about === 'site' && means === 'trouble'
  return (isOfTheirs ? undefined : BY_CLASS[replyClass]) ?? BY_MEANS[means]
}

/** Why mail to a suppressed address is not sent, and whether it makes sense to remove the suppression. */
export const SUPPRESSION_ADVICE = {
  bounce: 'An email to this address bounced for good. Remove the suppression only if you know that the address works.',
  complaint:
    'The recipient marked an email as spam. Writing to them again harms your reputation: remove the suppression only if they asked for it.',
  manual: 'Your team added this address. Remove the suppression to send to it again.',
} as const
