import type { ParsedMail } from '../parsed.ts'
import type { BounceReport, ReportedRecipient } from '../report.ts'
import { addressesIn } from './addresses.ts'
import { saysUndelivered } from './bounce-signs.ts'
import { MAX_REPORT_LENGTH } from './fields.ts'
import { readOriginal } from './original.ts'
import { splitAtOriginal } from './original-in-text.ts'
import { type Passage, passagesOf, replyIn, summarisedRecipients } from './passages.ts'
import { statusIn } from './status.ts'

const DELAYED =
  /\bdelay(?:ed)?\b|not yet been (?:delivered|able)|\bwarning\b[^.]{0,60}(?:message|could not)|will (?:be retried|be re-?attempted|retry|keep trying|continue (?:trying|to (?:try|attempt|be made))|try again)|attempts will continue|\bpostponed\b|no action is required on your part|(?:do not|don't) need to resend|delivery incomplete/i
const GIVEN_UP =
  /(?:gave|given|giving) up|permanent (?:fatal )?(?:error|failure)|permanently|not going to try|has failed|queue too long/i
const DELIVERED = /\(success\)|success(?:fully)? (?:delivered|relayed)|successful mail delivery|was successfully/i

/** A bounce in the words of its program. Who failed is not always said; that something failed is. */
export function readProse(mail: ParsedMail, raw: Buffer): BounceReport | null {
  const prose = proseOf(mail)
  const failed = failedInHeader(mail)
  if (failed.length === 0 && !saysUndelivered(mail, prose)) return null

  const passages = passagesOf(prose, notRecipients(mail))
  const action = actionIn(`${mail.subject ?? ''}\n${prose.slice(0, 2_000)}`)
  return {
    kind: 'bounce',
    recipients: failed.length > 0 ? named(failed, passages, action) : found(passages, prose, action),
    original: readOriginal(mail, raw),
  }
}

/** The words of the report, without the copy of the mail behind them. */
export function proseOf({ text, html }: ParsedMail): string {
  return splitAtOriginal(text ?? textIn(html ?? '')).prose
}

/** What the words say about the recipients: some reports have fields that say only that they failed. */
export function reasonsInProse(mail: ParsedMail): ReadonlyMap<string, string | null> {
  const passages = passagesOf(proseOf(mail), notRecipients(mail))
  return new Map(passages.map(({ address, diagnostic }) => [address.toLowerCase(), diagnostic]))
}

/** Exim and Gmail name who failed in the header too. */
export function failedInHeader({ headers }: ParsedMail): string[] {
  const values = headers.filter(({ name }) => name === 'x-failed-recipients').map(({ value }) => value)
  return addressesIn(values.join(' '))
}

function named(failed: readonly string[], passages: readonly Passage[], action: Action): ReportedRecipient[] {
  return failed.map((recipient) => {
    const passage = passages.find(({ address }) => address.toLowerCase() === recipient.toLowerCase())
    return reported(recipient, passage?.diagnostic ?? null, action)
  })
}

function found(passages: readonly Passage[], prose: string, action: Action): ReportedRecipient[] {
  if (passages.length > 0) return passages.map(({ address, diagnostic }) => reported(address, diagnostic, action))
  const diagnostic = replyIn(prose)
  const summarised = summarisedRecipients(prose)
  return (summarised.length > 0 ? summarised : [null]).map((recipient) => reported(recipient, diagnostic, action))
}

function reported(recipient: string | null, diagnostic: string | null, action: Action): ReportedRecipient {
  return { recipient, action, status: statusIn(diagnostic ?? ''), diagnostic }
}

type Action = ReportedRecipient['action']

function actionIn(words: string): Action {
  if (DELIVERED.test(words)) return 'delivered'
  return DELAYED.test(words) && !GIVEN_UP.test(words) ? 'delayed' : 'failed'
}

/** Who wrote the report and who got it are in it too. */
function notRecipients({ from, to, headers }: ParsedMail): ReadonlySet<string> {
  const replyTo = headers.filter(({ name }) => name === 'reply-to' || name === 'sender').map(({ value }) => value)
  return new Set(addressesIn([from, ...to, ...replyTo].join(' ')).map((address) => address.toLowerCase()))
}

const BREAK = /<(?:br|p|div|tr)\b/i

/** Enough of the html to find addresses and words in: a tag ends a line or a word. Some call plain text html. */
function textIn(html: string): string {
  const short = html.slice(0, MAX_REPORT_LENGTH)
  return (BREAK.test(short) ? short.replace(/[\r\n]+/g, ' ') : short)
    .replace(/<(?:br|\/?p|\/?div|\/?tr|\/?li|\/?h\d)\b[^<>]{0,500}>/gi, '\n')
    .replace(/<[^<>]{0,2000}>/g, ' ')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&#64;', '@')
    .replaceAll('&nbsp;', ' ')
    .replaceAll('&amp;', '&')
}
