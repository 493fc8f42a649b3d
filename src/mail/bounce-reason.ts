import type { Bounce } from './outcome.ts'
import {
  ATTACHMENT,
  BAD_ADDRESS,
  CONTENT,
  FULL,
  NO_EMAIL,
  REASONS,
  REFUSED_RECIPIENT,
  TOO_LARGE,
  UNDETERMINED,
  wordsOf,
} from './refusal-words.ts'
import type { SmtpReply } from './smtp-reply.ts'

// RFC 3463 and its registry, without the leading 5. Those for "other" (x.0) are not in here: they are used for anything.
const BY_ENHANCED = new Map<string, Bounce>([
  ['1.1', NO_EMAIL],
  ['1.2', BAD_ADDRESS], // no such domain
  ['1.3', BAD_ADDRESS], // not an address
  ['1.6', NO_EMAIL], // moved, nobody knows where to
  ['1.10', BAD_ADDRESS], // the domain takes no mail (null MX); of Microsoft: not in the directory
  ['1.351', NO_EMAIL], // of Microsoft: the other server knows no such recipient
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

// A bad address or domain too, but of the sender.
const OF_THE_SENDER = new Set(['1.7', '1.8'])

// How Microsoft 365 refuses an address that is not in the directory. Other words beside these say what else is wrong.
const NOT_IN_THE_DIRECTORY = 'recipient address rejected: access denied'
const OF_A_DIRECTORY = new Set(['4.1', '1.1', '1.10'])

/**
 * Why a refusal for good was given: the words say it, and where they say nothing, the code. Only Permanent says that the address
 * itself is bad, and keeps us from writing to it again.
 */
export function bounceFor({ code, enhanced, text }: SmtpReply): Bounce {
  const detail = enhanced?.slice(2) ?? '0.0'
  if (OF_THE_SENDER.has(detail)) return UNDETERMINED
  const all = wordsOf(text)
  const isNotListed = OF_A_DIRECTORY.has(detail) && all.includes(NOT_IN_THE_DIRECTORY)
  const words = isNotListed ? all.replace(NOT_IN_THE_DIRECTORY, '') : all
  const reason = REASONS.find(({ words: pattern }) => pattern.test(words))
  if (reason || isNotListed) return reason?.bounce ?? NO_EMAIL
  return byEnhanced(detail, words) ?? BY_CODE.get(code) ?? UNDETERMINED
}

function byEnhanced(detail: string, words: string): Bounce | null {
  const known = BY_ENHANCED.get(detail)
  if (known) return known
  if (/^[67]\./.test(detail)) return /\battach/.test(words) ? ATTACHMENT : CONTENT
  if (/^[34]\./.test(detail)) return UNDETERMINED
  const isRefused = REFUSED_RECIPIENT.test(words) || (detail === '1.0' && words.includes('address rejected'))
  return isRefused ? BAD_ADDRESS : /^[15]\./.test(detail) ? UNDETERMINED : null
}
