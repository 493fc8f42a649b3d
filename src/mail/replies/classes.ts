import type { Bounce } from '../outcome.ts'
import type { ReplyAbout, ReplyClass, ReplyMeans } from '../reply-class.ts'

export const NO_EMAIL: Bounce = { type: 'Permanent', subType: 'NoEmail' }
export const BAD_ADDRESS: Bounce = { type: 'Permanent', subType: 'General' }
export const FULL: Bounce = { type: 'Transient', subType: 'MailboxFull' }
export const TOO_LARGE: Bounce = { type: 'Transient', subType: 'MessageTooLarge' }
export const CONTENT: Bounce = { type: 'Transient', subType: 'ContentRejected' }
export const ATTACHMENT: Bounce = { type: 'Transient', subType: 'AttachmentRejected' }
export const PASSING: Bounce = { type: 'Transient', subType: 'General' }
export const UNDETERMINED: Bounce = { type: 'Undetermined', subType: 'Undetermined' }

/** What follows from a class where its rule says nothing else. */
interface ClassTraits {
  readonly about: ReplyAbout | null
  /** What a 4xx of it means, and a 5xx. */
  readonly passing: ReplyMeans
  readonly final: ReplyMeans
  /** What the events say when it is the end. Only Permanent says that the address is bad, and keeps us from writing to it again. */
  readonly bounce: Bounce
}

const of = (
  about: ReplyAbout | null,
  [passing, final]: readonly [ReplyMeans, ReplyMeans],
  bounce: Bounce,
): ClassTraits => ({
  about,
  passing,
  final,
  bounce,
})

export const CLASSES: Readonly<Record<ReplyClass, ClassTraits>> = {
  delivered: of(null, ['taken', 'taken'], UNDETERMINED),
  invalid_recipient: of('recipient', ['later', 'bad_address'], NO_EMAIL),
  bad_domain: of('recipient', ['later', 'bad_address'], BAD_ADDRESS),
  inactive_mailbox: of('recipient', ['later', 'bad_address'], BAD_ADDRESS),
  quota_issues: of('recipient', ['later', 'later'], FULL),
  greylisted: of('recipient', ['later', 'later'], PASSING),
  throttled: of(null, ['throttle', 'throttle'], PASSING),
  too_many_recipients: of('message', ['later', 'later'], PASSING),
  spam_block: of('source', ['block', 'block'], CONTENT),
  spam_related: of(null, ['throttle', 'refused'], CONTENT),
  spam_content: of('message', ['later', 'refused'], CONTENT),
  content_related: of('message', ['later', 'refused'], CONTENT),
  virus_related: of('message', ['later', 'refused'], CONTENT),
  prohibited_attachment: of('message', ['refused', 'refused'], ATTACHMENT),
  message_too_large: of('message', ['refused', 'refused'], TOO_LARGE),
  policy_related: of(null, ['throttle', 'refused'], CONTENT),
  authentication_failed: of('dkim_domain', ['fix', 'fix'], CONTENT),
  bad_configuration: of('source', ['fix', 'fix'], UNDETERMINED),
  invalid_sender: of('spf_domain', ['fix', 'fix'], UNDETERMINED),
  login_refused: of(null, ['fix', 'fix'], UNDETERMINED),
  relay_denied: of('site', ['trouble', 'refused'], UNDETERMINED),
  relaying_issues: of('site', ['trouble', 'refused'], UNDETERMINED),
  routing_errors: of('site', ['trouble', 'refused'], UNDETERMINED),
  protocol_errors: of('site', ['trouble', 'refused'], UNDETERMINED),
  dns_failure: of('site', ['trouble', 'refused'], UNDETERMINED),
  bad_connection: of('site', ['trouble', 'refused'], UNDETERMINED),
  no_answer_from_host: of('site', ['trouble', 'refused'], UNDETERMINED),
  transient_failure: of('site', ['trouble', 'trouble'], UNDETERMINED),
  message_expired: of('site', ['trouble', 'refused'], UNDETERMINED),
  uncategorized: of(null, ['trouble', 'refused'], UNDETERMINED),
  auto_reply: of('recipient', ['later', 'refused'], UNDETERMINED),
  challenge_response: of('recipient', ['later', 'refused'], UNDETERMINED),
  subscribe: of('recipient', ['later', 'refused'], UNDETERMINED),
  unsubscribe: of('recipient', ['later', 'refused'], UNDETERMINED),
}
