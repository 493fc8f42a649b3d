import type { ParsedAttachment } from '../parsed.ts'
import { decodeBytes } from './charset.ts'
import { cleanLine, cleanText } from './clean-text.ts'
import { unflowed } from './flowed.ts'
import { MOST_TEXT_BYTES } from './limits.ts'
import type { Part, Structure } from './structure.ts'
import { decodeTransfer } from './transfer-encoding.ts'

export interface Body {
  readonly html: string | null
  readonly text: string | null
  readonly attachments: readonly ParsedAttachment[]
  readonly faults: readonly string[]
}

type Kind = 'text' | 'html'

/** One thing to read, in one kind or in both: a text part, or all text parts of an alternative. */
interface Passage {
  readonly text: string[]
  readonly html: string[]
}

/** Sorts the parts into what is read and what is kept as a file. Nothing is lost: what cannot be shown is an attachment. */
export function readBody(raw: Buffer, { root, faults }: Structure): Body {
  const sorter = new PartSorter(raw, faults)
  if (root.end > root.start || root.parts.length > 0) sorter.sort(root, { isFirst: true, passage: null })
  return sorter.body()
}

interface Place {
  /** Whether nothing came before it: a body may have a name, any other text with a name is a file. */
  readonly isFirst: boolean
  /** That of the alternative around it. */
  readonly passage: Passage | null
}

class PartSorter {
  private readonly raw: Buffer
  private readonly faults: Set<string>
  private readonly passages: Passage[] = []
  private readonly attachments: ParsedAttachment[] = []
  private readonly bytesLeft = { text: MOST_TEXT_BYTES, html: MOST_TEXT_BYTES }

  constructor(raw: Buffer, faults: readonly string[]) {
    this.raw = raw
    this.faults = new Set(faults)
  }

  sort(part: Part, place: Place): void {
    if (part.parts.length === 0) {
      this.take(part, place)
      return
    }
    const passage = part.head.type === 'multipart/alternative' ? (place.passage ?? this.newPassage()) : place.passage
    for (const [i, inner] of part.parts.entries()) {
      this.sort(inner, { isFirst: (i === 0 && place.isFirst) || passage !== null, passage })
    }
  }

  body(): Body {
    const { passages, attachments } = this
    const texts = passages.flatMap(({ text }) => text)
    const hasHtml = passages.some(({ html }) => html.length > 0)
    // What lists and filters append as text has to be seen beside the html too.
    const htmls = hasHtml ? passages.flatMap(({ html, text }) => (html.length > 0 ? html : text.map(asHtml))) : []
    return { text: joined(texts), html: joined(htmls), attachments, faults: [...this.faults] }
  }

  private take(part: Part, { isFirst, passage }: Place): void {
    const content = this.raw.subarray(part.start, part.end)
    const kind = this.kindOf(part, isFirst)
    if (kind === null) this.attach(part, content)
    else this.read(part, content, kind, passage ?? this.newPassage())
  }

  private kindOf({ head }: Part, isFirst: boolean): Kind | null {
    if (head.disposition === 'attachment') return null
    if (head.filename !== null && !isFirst) return null
    if (head.type === 'text/html') return 'html'
    if (head.type === 'text/plain') return 'text'
    if (!head.type.startsWith('multipart/')) return null
    this.faults.add('The parts of a multipart were not found; it is shown as text')
    return 'text'
  }

  private read({ head }: Part, content: Buffer, kind: Kind, passage: Passage): void {
    const bytes = this.withinLimit(kind, decodeTransfer(content, head.encoding))
    const declared = head.parameters.get('charset') ?? (kind === 'html' ? charsetInside(bytes) : null)
    const { text, isKnown } = decodeBytes(bytes, declared)
    if (!isKnown)
      this.faults.add(`The character set ${JSON.stringify(cleanLine(declared ?? '').slice(0, 60))} is not known`)
    const clean = cleanText(text)
    const isFlowed = kind === 'text' && head.parameters.get('format')?.toLowerCase() === 'flowed'
    passage[kind].push(isFlowed ? unflowed(clean, head.parameters.get('delsp')?.toLowerCase() === 'yes') : clean)
  }

  private withinLimit(kind: Kind, bytes: Buffer): Buffer {
    const kept = bytes.subarray(0, this.bytesLeft[kind])
    this.bytesLeft[kind] -= kept.length
    if (kept.length < bytes.length) this.faults.add(`The ${kind} was cut off after ${MOST_TEXT_BYTES / 1_048_576} MB`)
    return kept
  }

  private newPassage(): Passage {
    const passage = { text: [], html: [] }
    this.passages.push(passage)
    return passage
  }

  private attach({ head }: Part, content: Buffer): void {
    this.attachments.push({
      filename: head.filename,
      contentType: head.type,
      contentId: head.contentId,
      disposition: head.disposition,
      content: decodeTransfer(content, head.encoding),
    })
  }
}

function joined(pieces: readonly string[]): string | null {
  return pieces.length === 0 ? null : pieces.filter((piece) => piece !== '').join('\n')
}

/** What browsers look at when nobody told them the encoding: `<meta charset=…>` near the beginning. */
function charsetInside(html: Buffer): string | null {
  const [, charset = null] =
    /<meta[^>]{0,200}charset\s{0,4}=\s{0,4}["']?([\w:.-]{1,40})/i.exec(html.toString('latin1', 0, 1_024)) ?? []
  return charset
}

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

function asHtml(text: string): string {
  if (text === '') return ''
  return `<div>${text.replace(/[&<>"]/g, (character) => ENTITIES[character]!).replaceAll('\n', '<br>\n')}</div>`
}
