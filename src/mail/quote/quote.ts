import { escapeHtml } from '../html.ts'
import { textOf } from '../html-text.ts'
import { MAX_TEXT_LENGTH } from '../limits.ts'
import type { Steps } from '../steps.ts'
import { quotableHtml } from './quotable-html.ts'

/** Of a body so much is quoted, in characters: longer html is quoted as text, and longer text is cut. */
export const MAX_QUOTED_LENGTH = 256 * 1024

/** A message that is quoted. */
export interface Quoted {
  readonly from: string
  readonly to: readonly string[]
  readonly cc: readonly string[]
  readonly subject: string | null
  readonly sentAt: Date
  readonly html: string | null
  readonly text: string | null
}

export interface Bodies {
  readonly html: string | null
  readonly text: string | null
}

/** A reply with what it answers below, in each form that the reply has. Of html alone, the text is made when it is sent. */
export function* withQuote({ html, text }: Bodies, quoted: Quoted): Steps<Bodies> {
  const head = cleanLine(`On ${dateOf(quoted.sentAt)}, ${quoted.from} wrote:`)
  return {
    html:
      html &&
      fitting(
        html,
        below(html, `<br><div class="gmail_quote"><div>${escapeHtml(head)}</div>${yield* quotation(quoted)}</div>`),
      ),
    text: text && fitting(text, `${text.trimEnd()}\n\n${head}\n${marked(textIn(quoted))}\n`),
  }
}

/** A message that is sent on, with a note above it. Its html goes with it also when the note is text. */
export function* forwarded(note: Bodies, quoted: Quoted): Steps<Bodies> {
  const lines = bannerOf(quoted)
  const inner = yield* htmlIn(quoted)
  const noteText = note.text || (note.html ? textOf(note.html) : '')
  const noteHtml = note.html || (note.text ? lined(note.text) : '')
  const head = lines.map((line) => escapeHtml(line)).join('<br>')
  const text = `${noteText.trimEnd()}${noteText ? '\n\n' : ''}${lines.join('\n')}\n\n${textIn(quoted)}\n`
  return {
    html:
      note.html || quoted.html !== null
        ? below(noteHtml, `${noteHtml ? '<br>' : ''}<div class="gmail_quote"><div>${head}</div><br>${inner}</div>`)
        : null,
    text,
  }
}

/** The names by which html shows files of its message, in lower case. */
export function shownFiles(html: string | null): ReadonlySet<string> {
  const names = [...(html ?? '').matchAll(/\bcid:([^"'\s<>()]{1,250})/gi)].map(([, name]) => decoded(name!))
  return new Set(names.map((name) => name.toLowerCase()))
}

function decoded(name: string): string {
  try {
    return decodeURIComponent(name)
  } catch {
    return name
  }
}

function bannerOf({ from, to, cc, subject, sentAt }: Quoted): string[] {
  return [
    '---------- Forwarded message ---------',
    `From: ${from}`,
    `Date: ${dateOf(sentAt)}`,
    `Subject: ${subject ?? ''}`.trimEnd(),
    ...(to.length > 0 ? [`To: ${listed(to)}`] : []),
    ...(cc.length > 0 ? [`Cc: ${listed(cc)}`] : []),
  ].map(cleanLine)
}

const cleanLine = (line: string) => line.replace(/[\p{Cc}\p{Cs}]+/gu, ' ')

/** A list that nobody reads to its end is told by its length. */
const MAX_LISTED = 50

const listed = (addresses: readonly string[]) =>
  addresses.length <= MAX_LISTED
    ? addresses.join(', ')
    : `${addresses.slice(0, MAX_LISTED).join(', ')} and ${addresses.length - MAX_LISTED} more`

/** `Tue, 3 Nov 2026 at 10:00 UTC` */
function dateOf(date: Date): string {
  const [weekday, day, month, year, time] = date.toUTCString().split(' ')
  return `${weekday} ${Number(day)} ${month} ${year} at ${time!.slice(0, 5)} UTC`
}

/** Gmail and those who learned from it fold what has this class; Apple Mail and Thunderbird look at the type. */
function* quotation(quoted: Quoted): Steps<string> {
  const inner = yield* htmlIn(quoted)
  return `<blockquote class="gmail_quote" type="cite" style="margin:0 0 0 0.8ex;border-left:1px solid #ccc;padding-left:1ex">${inner}</blockquote>`
}

function* htmlIn(quoted: Quoted): Steps<string> {
  const { html } = quoted
  const quotable = html !== null && html.length <= MAX_QUOTED_LENGTH ? yield* quotableHtml(html) : null
  return quotable ?? lined(textIn(quoted))
}

const lined = (text: string) => `<div>${escapeHtml(text).replace(/\r?\n/g, '<br>')}</div>`

function textIn({ text, html }: Quoted): string {
  const words = (text || (html === null ? '' : textOf(html))).trimEnd()
  return words.length <= MAX_QUOTED_LENGTH ? words : `${words.slice(0, MAX_QUOTED_LENGTH).toWellFormed()}…`
}

const marked = (text: string) =>
  text
    .split(/\r?\n/)
    .map((line) => (line.startsWith('>') ? `>${line}` : `> ${line}`.trimEnd()))
    .join('\n')

const END_OF_BODY = /<\/body\s*>/gi

/** Before the end of its body, if it is a whole page. */
function below(html: string, quote: string): string {
  const at = [...html.matchAll(END_OF_BODY)].at(-1)?.index ?? html.length
  return html.slice(0, at) + quote + html.slice(at)
}

/** What was written is what counts: when both together are too long, the quotation is left out. */
const fitting = (alone: string, whole: string) => (whole.length <= MAX_TEXT_LENGTH ? whole : alone)
