import type { Bounce } from './outcome.ts'

/** What a sender can do about a bounce, by what the server refused. */
const BY_SUB_TYPE: Readonly<Partial<Record<Bounce['subType'], string>>> = {
  NoEmail: 'The mailbox does not exist. Check the address for typos, or ask the person for a new one.',
  MailboxFull: 'The mailbox is full. Try again in a few days; if it stays full, the address may be abandoned.',
  MessageTooLarge: 'The message is larger than the server accepts. Send a link instead of attachments.',
  ContentRejected:
    'The server refused the content. Check links and wording, and that SPF, DKIM and DMARC pass for your domain.',
  AttachmentRejected: 'The server refused an attachment. Send a link to the file, or another file type.',
}

const BY_TYPE: Readonly<Record<Bounce['type'], string>> = {
  Permanent: 'The server refuses this address for good. Remove it from your lists.',
  Transient: 'The server refused this message for now. It is worth another try later.',
  Undetermined: 'The server gave no clear reason. Look at its reply in the timeline of the email.',
}

export const adviceFor = ({ type, subType }: Bounce): string => BY_SUB_TYPE[subType] ?? BY_TYPE[type]

/** Why mail to a suppressed address is not sent, and whether it makes sense to remove the suppression. */
export const SUPPRESSION_ADVICE = {
  bounce: 'An email to this address bounced for good. Remove the suppression only if you know that the address works.',
  complaint:
    'The recipient marked an email as spam. Writing to them again harms your reputation: remove the suppression only if they asked for it.',
  manual: 'Your team added this address. Remove the suppression to send to it again.',
} as const
