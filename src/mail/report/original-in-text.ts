import { readHeaderFields } from '../parse.ts'
import type { HeaderFields } from '../parsed.ts'

const HEADER_LINE = /^(?:>\s?)?([A-Za-z][A-Za-z0-9-]{1,60}):/
const MAX_TEXT_LENGTH = 128 * 1_024
const MAX_SEPARATOR_LENGTH = 200

// Nobody but a mail server writes these; with a summary of sender, recipients and subject alone it would be prose.
const BY_SERVERS = ['received', 'message-id', 'return-path']
const BY_EVERYBODY = ['from', 'to', 'subject', 'date']

// `--- Below this line is a copy of the message.`, `------ Original message ------`, `Message headers follow:`
const SEPARATOR =
  /^[\s>]{0,8}[-=*]{2,}.{0,40}\b(?:original|returned|unsent|undelivered|copy of)\b.{0,40}(?:message|mail|header)|^.{0,60}\b(?:message|mail|headers?)(?: as received)?(?: is| are)?(?: as)? follow(?:s|ing)?\b|below this line is a copy/i

/** The words of a report, and the header of the mail that it has a copy of: the first lines that look like one. */
export function splitAtOriginal(text: string): { prose: string; original: HeaderFields | null } {
  const short = text.slice(0, MAX_TEXT_LENGTH)
  let position = 0
  let blockStart = -1
  let proseEnd = -1
  let names = new Set<string>()

  for (const line of short.split('\n')) {
    if (proseEnd < 0 && SEPARATOR.test(line.slice(0, MAX_SEPARATOR_LENGTH))) proseEnd = position
    const [, name] = HEADER_LINE.exec(line) ?? []
    const goesOn = blockStart >= 0 && /^(?:>\s?)?[ \t]+\S/.test(line)
    if (name === undefined && !goesOn) {
      if (isHeader(names)) break
      blockStart = -1
      names = new Set()
    } else if (name !== undefined) {
      if (blockStart < 0) blockStart = position
      names.add(name.toLowerCase())
    }
    position += line.length + 1
  }
  const original = isHeader(names) ? readHeaderFields(Buffer.from(unquoted(short.slice(blockStart)))) : null
  if (proseEnd < 0 && original) proseEnd = blockStart
  return { prose: proseEnd < 0 ? short : short.slice(0, proseEnd), original }
}

function unquoted(copy: string): string {
  return copy.startsWith('>') ? copy.replace(/^> ?/gm, '') : copy
}

function isHeader(names: ReadonlySet<string>): boolean {
  const ofServers = BY_SERVERS.filter((name) => names.has(name)).length
  const ofEverybody = BY_EVERYBODY.filter((name) => names.has(name)).length
  return (ofServers > 0 && ofServers + ofEverybody >= 3) || (ofEverybody === 4 && names.size > 4)
}
