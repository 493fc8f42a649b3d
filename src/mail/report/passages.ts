import { bounceTypeOf } from '../bounce-type.ts'
import { addressesIn, type FoundAddress, findAddresses } from './addresses.ts'

/** A recipient in the words of a report, and what it says about them. */
export interface Passage {
  readonly address: string
  readonly diagnostic: string | null
}

const MOST_LINES = 2_000
const LONGEST_LINE = 1_000
const LONGEST_DIAGNOSTIC = 1_000
const MOST_RECIPIENTS = 1_000
const MOST_ON_A_LINE = 5
// Finding a reason in words takes up to 1 ms.
const MOST_PARAGRAPHS = 10
const MOST_REPETITIONS = 10
// As many recipients as an email may have.
const MOST_SHARING = 50

// How much of a line around an address is looked at.
const FAR_ENOUGH = 250

// Whom a sentence tells to turn to; as recipients they stand on a line of their own.
const SUPPORT = /^(?:abuse|support|helpdesk|help|admin|administrator|hostmaster|info)@/i
// `For assistance please contact <someone@example.net>`: no name in front of an address.
const TURN_TO = /\b(?:contact|assist|help|questions?\b|inquir|enquir)/i
const SYSTEM = /^(?:postmaster|mailer-daemon)@/i

// What may stand around an address that is a line of its own: bullets, quotes, a name in front, a time behind.
const NOTHING_BEFORE = /^[\s\-*•>|'"<([]*(?:mailto:)?$/
const NAME_BEFORE = /^[\s\-*•'"]{0,10}[^@:;.!?]{1,80}["']?\s{0,4}[<(]$/
const LABEL_BEFORE =
  /^ ?(?:(?:intended |failed |final )?recipients?(?: address)?|failed address|address|user|e-?mail(?: address)?|error-for|rcpt to) ?: ?[<'"]?(?:mailto:)?$|\((?:generated|expanded|originally addressed|forwarded) (?:from|to):? ?<?$|, address: ?<$|(?:smtp|rfc822)[=:;] ?<?$/i
const NOTHING_BEHIND =
  /^[>'")\]]{0,3}(?:\s?<(?:mailto:)?[^<>\s]{1,320}>?)?\s*(?:$|[:;,.([\-–]|on \d|on \w{3},|failed|unknown|invalid address|error[ _]code)/i

// Within a sentence, or within the reply of a server.
const SENTENCE_BEFORE =
  /(?:\b(?:(?:un)?deliver(?:ed|y|able)?|sent|send|message|mail|recipient)\b[^@]{0,80}\b(?:to|for)|\b(?:recipient|user|address|mailbox|account)(?: is| was)?):? ?["'<(]{0,2}(?:mailto:)?$/i
const COLON_BEFORE = /^[^@:]{3,60}: ?<?$/
const SENTENCE_ANYWHERE =
  /deliver|reach|fail|reject|unknown|exist|bounce|undeliver|not found|couldn't|could not|addressed|unable|invalid|disabled|full|quota|unavailable|no such|exceed|suspend|inactive|not a valid/i
const REPLY_BEFORE = /(?<![\w.])[45]\d\d[ -][^@]{0,200}$/

const AROUND_ADDRESS = /^[>'")\]]{0,3}(?:\s?<(?:mailto:)?[^<>\s]{1,320}>)?[\s:;,.]*/

// What qmail adds to what the other server said, and what is no reason.
const OF_QMAIL = /^(?:I'm not going to try again|Giving up on )/

const CODE = /(?<![\w.])(?:[45]\d\d[ -]|[45]\.\d{1,3}\.\d{1,3}(?!\.?\d))/

// What sendmail's record of a conversation goes on with after a reply: the next command or reply, or another server.
const NEXT_REPLY = /^(?:[45]\d\d |<<<|>>>|(?:\.\.\. )?while talking to )/i
const LONG_REPLY = /(?<![\w.])[45]\d\d-/

/** The recipients that the words are about, in their order, each once. */
export function passagesOf(prose: string, notRecipients: ReadonlySet<string>): Passage[] {
  const lines = linesOf(prose)
  const heads = lines.flatMap((line, index) => {
    const found = recipientIn(line, notRecipients)
    return found ? [{ ...found, index, rest: line.slice(found.end).replace(AROUND_ADDRESS, '') }] : []
  })
  const passages = new Map<string, Passage & { isReply: boolean }>()
  let repetitions = 0
  for (const [i, { address, index, rest }] of heads.entries()) {
    if (passages.size === MOST_RECIPIENTS) break
    const head = lines[index]!
    const isReply = CODE.test(head)
    const diagnostic =
      diagnosticIn([rest, ...lines.slice(index + 1, heads[i + 1]?.index ?? lines.length)], head) ??
      (SENTENCE_ANYWHERE.test(head) ? shortened([head]) : null)
    const known = passages.get(address.toLowerCase())
    if (known && repetitions++ === MOST_REPETITIONS) break
    // A reply with the address in it is about them beyond doubt; what stands below a list may be about somebody else in it.
    if (!known || (isReply && !known.isReply) || saysMore(diagnostic, known.diagnostic)) {
      passages.set(address.toLowerCase(), { address: known?.address ?? address, diagnostic, isReply })
    }
  }
  const shared = passages.size > MOST_SHARING ? null : reasonBefore(lines.slice(0, heads[0]?.index ?? 0))
  return [...passages.values()].map(({ address, diagnostic }) => ({
    address,
    diagnostic: shared === null || saysWhy(diagnostic) ? diagnostic : shared,
  }))
}

/** What a server said, when nobody is named. */
export function replyIn(prose: string): string | null {
  const lines = linesOf(prose)
  const coded = lines.findIndex((line) => CODE.test(line))
  return coded < 0 ? reasonIn(lines) : shortened(paragraphAt(lines, coded))
}

/** Whom the mail was for, in the summary of it that some write instead of naming who failed. */
export function summarisedRecipients(prose: string): string[] {
  const [summary] = linesOf(prose).filter((line) => /^\s{0,8}To:/i.test(line))
  return addressesIn(summary ?? '').slice(0, MOST_ON_A_LINE)
}

/** Some give the reason first and name whom it is for below: behind a code anywhere, without one on the line right above. */
function reasonBefore(lines: readonly string[]): string | null {
  const coded = lines.findLastIndex((line) => CODE.test(line))
  const text = shortened(coded < 0 ? lines.slice(-1) : paragraphAt(lines, coded))
  return text !== null && tellsReason(text) ? text : null
}

/** The first paragraph that gives a reason. */
function reasonIn(lines: readonly string[]): string | null {
  let start = 0
  for (let count = 0; count < MOST_PARAGRAPHS && start < lines.length; count += 1) {
    const paragraph = paragraphAt(lines, start)
    const text = shortened(paragraph)
    if (text !== null && tellsReason(text)) return text
    start += paragraph.length + 1
  }
  return null
}

function linesOf(prose: string): string[] {
  return prose.split('\n', MOST_LINES).map((line) => line.slice(0, LONGEST_LINE))
}

const tellsReason = (diagnostic: string) => bounceTypeOf(null, diagnostic).type !== 'Undetermined'

const saysWhy = (diagnostic: string | null) => diagnostic !== null && (CODE.test(diagnostic) || tellsReason(diagnostic))

/** Some name an address twice, and give the code or the reason the second time. */
function saysMore(diagnostic: string | null, than: string | null): boolean {
  if (diagnostic === null) return false
  if (than === null || (CODE.test(diagnostic) && !CODE.test(than))) return true
  return !CODE.test(than) && !tellsReason(than) && tellsReason(diagnostic)
}

function recipientIn(line: string, notRecipients: ReadonlySet<string>): FoundAddress | null {
  for (const found of [...findAddresses(line)].slice(0, MOST_ON_A_LINE)) {
    if (notRecipients.has(found.address.toLowerCase()) || SYSTEM.test(found.address)) continue
    const before = line.slice(Math.max(0, found.start - FAR_ENOUGH), found.start).replace(/\s+/g, ' ')
    const behind = line.slice(found.end, found.end + FAR_ENOUGH)
    const isNamed = NAME_BEFORE.test(before) && !SUPPORT.test(found.address) && !TURN_TO.test(before)
    const isHead = NOTHING_BEFORE.test(before) || isNamed || LABEL_BEFORE.test(before)
    if (isHead && NOTHING_BEHIND.test(behind)) return found
    if (REPLY_BEFORE.test(before)) return found
    if (SUPPORT.test(found.address)) continue
    const isLast = COLON_BEFORE.test(before) && /^[>.\s]*$/.test(behind)
    if ((isLast || SENTENCE_BEFORE.test(before)) && SENTENCE_ANYWHERE.test(line)) return found
  }
  return null
}

/** The paragraph that follows, or the one with a code in it; for an address inside a reply, the reply. */
function diagnosticIn(lines: readonly string[], head: string): string | null {
  if (CODE.test(head)) return shortened([head.trim(), ...restOfReply(head, paragraphAt(lines, 1))])
  const first = lines.findIndex((line) => line.trim() !== '')
  if (first < 0) return null
  const next = paragraphAt(lines, first)
  // `because:` and the like.
  if (next.length === 1 && /^.{0,40}:$/.test(next[0]!)) return diagnosticIn(lines.slice(first + 1), '')
  if (next.some((line) => CODE.test(line))) return shortened(next)
  const coded = lines.findIndex((line) => CODE.test(line))
  return shortened(coded < 0 ? next : paragraphAt(lines, coded))
}

function restOfReply(head: string, following: readonly string[]): readonly string[] {
  const end = LONG_REPLY.test(head) ? -1 : following.findIndex((line) => NEXT_REPLY.test(line))
  return end < 0 ? following : following.slice(0, end)
}

function paragraphAt(lines: readonly string[], start: number): string[] {
  const end = lines.findIndex((line, i) => i >= start && line.trim() === '')
  return lines.slice(start, end < 0 ? start + 10 : Math.min(end, start + 10)).map((line) => line.trim())
}

function shortened(lines: readonly string[]): string | null {
  const text = lines
    .filter((line) => !OF_QMAIL.test(line))
    .join(' ')
    .replace(/\s{2,}/g, ' ')
    .trim()
    .slice(0, LONGEST_DIAGNOSTIC)
  return text === '' ? null : text.toWellFormed()
}
