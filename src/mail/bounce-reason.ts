import type { Bounce } from './outcome.ts'
import type { SmtpReply } from './smtp-reply.ts'

// Only Permanent says that the address itself is bad, and keeps us from writing to it again. Hence in doubt never Permanent.
const NO_EMAIL: Bounce = { type: 'Permanent', subType: 'NoEmail' }
const BAD_ADDRESS: Bounce = { type: 'Permanent', subType: 'General' }
const PASSING: Bounce = { type: 'Transient', subType: 'General' }
const FULL: Bounce = { type: 'Transient', subType: 'MailboxFull' }
const TOO_LARGE: Bounce = { type: 'Transient', subType: 'MessageTooLarge' }
const CONTENT: Bounce = { type: 'Transient', subType: 'ContentRejected' }
const ATTACHMENT: Bounce = { type: 'Transient', subType: 'AttachmentRejected' }
const UNDETERMINED: Bounce = { type: 'Undetermined', subType: 'Undetermined' }

// RFC 3463 and its registry, without the leading 5.
const BY_ENHANCED = new Map<string, Bounce>([
  ['1.0', BAD_ADDRESS],
  ['1.1', NO_EMAIL],
  ['1.2', BAD_ADDRESS], // no such domain
  ['1.3', BAD_ADDRESS], // not an address
  ['1.6', NO_EMAIL], // moved, nobody knows where to
  ['1.10', BAD_ADDRESS], // the domain takes no mail (null MX)
  ['2.1', BAD_ADDRESS], // disabled
  ['2.2', FULL],
  ['2.3', TOO_LARGE],
  ['3.4', TOO_LARGE],
])

// 521 and 556: the host, the domain takes no mail at all (RFC 7504).
const BY_CODE = new Map<number, Bounce>([
  [521, BAD_ADDRESS],
  [551, BAD_ADDRESS],
  [552, TOO_LARGE],
  [556, BAD_ADDRESS],
])

// Words about us, not about the recipient: "unknown sender", "your IP address was not found".
const ABOUT_US = /\bsender|\byour\b|mail from|return.?path|helo\b|ehlo\b|hostname|\bptr\b|reverse|client host|\bip\b/i

const UNKNOWN_USER =
  /\b(?:user|mailbox|recipient|address|account|alias)\b[^.;]{0,60}\b(?:unknown|not found|not exist|no longer|invalid|not (?:a )?valid|not (?:a )?known|unrecogni[sz]ed)|\b(?:unknown|no such|invalid|non-?existent) (?:\w+ ){0,2}(?:user|mailbox|recipient|address|account|alias|person)|(?:does not|doesn't) (?:exist|have an? (?:\w+ )?account)|not listed in|no mailbox|not our customer/i
const DISABLED =
  /\b(?:account|mailbox|user|recipient)\b[^.;]{0,40}\b(?:disabled|inactive|suspended|deactivated|closed|expired)/i
const IS_FULL =
  /(?:mailbox|inbox|account|user|recipient)[^.;]{0,40}\bfull\b|over.?quota|quota (?:\w+ ){0,3}exceeded|exceed\w* (?:\w+ ){0,4}quota|storage/i
const IS_LARGE = /too (?:large|big|long)|(?:message|mail) size|size (?:limit|exceed)|exceed\w* (?:\w+ ){0,5}size/i
const IS_ATTACHMENT = /\battachments?\b|\bfile (?:type|extension|name)/i
const IS_CONTENT =
  /\bspam|unsolicited|\bspf\b|\bdkim\b|\bdmarc\b|\bpolicy\b|policies|block(?:ed|.?list)|black.?list|deny.?list|\brbl\b|dnsbl|reputation|content|virus|malware|phish|prohibited|banned/i
const TOO_MUCH_AT_ONCE = /\brate\b|too (?:many|much|quickly)/i

/** Why a refusal for good was given: by the enhanced code, and where there is none that says it, by the words and the code. */
export function bounceFor({ code, enhanced, text }: SmtpReply): Bounce {
  const detail = enhanced?.slice(2) ?? '0.0'
  const known = BY_ENHANCED.get(detail)
  if (known) return refined(known, text)
  if (/^[67]\./.test(detail)) return IS_ATTACHMENT.test(text) ? ATTACHMENT : CONTENT
  // How Microsoft 365 refuses an address that is not in the directory.
  if (detail === '4.1' && /recipient address rejected: access denied/i.test(text)) return NO_EMAIL
  if (/^[145]\./.test(detail)) return UNDETERMINED
  return byWords(text) ?? BY_CODE.get(code) ?? UNDETERMINED
}

/** What the words add to the code: the commonest ones are used for several things. */
function refined(bounce: Bounce, text: string): Bounce {
  if (bounce !== BAD_ADDRESS) return bounce
  if (TOO_MUCH_AT_ONCE.test(text)) return PASSING
  return UNKNOWN_USER.test(text) && !ABOUT_US.test(text) ? NO_EMAIL : bounce
}

function byWords(text: string): Bounce | null {
  if (IS_FULL.test(text)) return FULL
  if (IS_ATTACHMENT.test(text)) return ATTACHMENT
  if (IS_LARGE.test(text)) return TOO_LARGE
  if (IS_CONTENT.test(text)) return CONTENT
  if (ABOUT_US.test(text)) return null
  if (UNKNOWN_USER.test(text)) return NO_EMAIL
  return DISABLED.test(text) ? BAD_ADDRESS : null
}
