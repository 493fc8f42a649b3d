import { safeFilename } from '../filename.ts'
import type { ParsedAttachment } from '../parsed.ts'
import type { Steps } from '../steps.ts'
import { decodeText } from './charset.ts'
import { cleanInSteps, cleanLine } from './clean-text.ts'
import { unflowed } from './flowed.ts'
import { decodeHeader } from './header-charset.ts'
import { MAX_TEXT_BYTES } from './limits.ts'
import { inPieces } from './pieces.ts'
import type { Part, Structure } from './structure.ts'
import { TextBuilder } from './text-builder.ts'
import { decodeTransfer, isUuencode } from './transfer-encoding.ts'
import { uuencodedFile } from './uuencode.ts'

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
export function* readBody(raw: Buffer, { root, faults }: Structure): Steps<Body> {
  const sorter = new PartSorter(raw, faults)
  if (root.end > root.start || root.parts.length > 0 || isFile(root))
    yield* sorter.sort(root, { isFirst: true, passage: null })
  return yield* sorter.body()
}

/** Also one without content is kept. A message without a body has nothing to read, whatever name it has. */
const isFile = ({ head: { disposition, filename, type } }: Part) =>
  disposition === 'attachment' || (filename !== null && !/^(?:text|multipart)\//.test(type))

interface PartContext {
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
  private readonly bytesLeft = { text: MAX_TEXT_BYTES, html: MAX_TEXT_BYTES }

  constructor(raw: Buffer, faults: readonly string[]) {
    this.raw = raw
    this.faults = new Set(faults)
  }

  *sort(part: Part, context: PartContext): Steps<void> {
    yield
    if (part.parts.length === 0) {
      yield* this.take(part, context)
      return
    }
    const passage =
      part.head.type === 'multipart/alternative' ? (context.passage ?? this.newPassage()) : context.passage
    for (const [i, inner] of part.parts.entries()) {
      yield* this.sort(inner, { isFirst: (i === 0 && context.isFirst) || passage !== null, passage })
    }
  }

  *body(): Steps<Body> {
    const { passages, attachments } = this
    const texts = passages.flatMap(({ text }) => text)
    const htmls: string[] = []
    if (passages.some(({ html }) => html.length > 0)) {
      for (const { html, text } of passages) {
        htmls.push(...html)
        // What lists and filters append as text has to be seen beside the html too.
        if (html.length === 0) for (const piece of text) htmls.push(yield* asHtml(piece))
      }
    }
    return { text: joined(texts), html: joined(htmls), attachments, faults: [...this.faults] }
  }

  private *take(part: Part, { isFirst, passage }: PartContext): Steps<void> {
    const content = this.raw.subarray(part.start, part.end)
    const kind = this.kindOf(part, isFirst)
    if (kind === null) yield* this.attach(part, content)
    else yield* this.read(part, content, kind, passage ?? this.newPassage())
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

  private *read({ head }: Part, content: Buffer, kind: Kind, passage: Passage): Steps<void> {
    const bytes = this.withinLimit(kind, yield* decodeTransfer(content, head.encoding))
    const declared = head.parameters.get('charset') ?? (kind === 'html' ? charsetInside(bytes) : null)
    const { text, isKnown } = yield* decodeText(bytes, declared)
    if (!isKnown)
      this.faults.add(`The character set ${JSON.stringify(cleanLine(declared ?? '').slice(0, 60))} is not known`)
    yield
    const clean = yield* cleanInSteps(text)
    yield
    const isFlowed = kind === 'text' && head.parameters.get('format')?.toLowerCase() === 'flowed'
    const isSpaceDeleted = head.parameters.get('delsp')?.toLowerCase() === 'yes'
    passage[kind].push(isFlowed ? yield* unflowed(clean, isSpaceDeleted) : clean)
  }

  private withinLimit(kind: Kind, bytes: Buffer): Buffer {
    const cut = bytes.subarray(0, this.bytesLeft[kind])
    this.bytesLeft[kind] -= cut.length
    if (cut.length < bytes.length) this.faults.add(`The ${kind} was cut off after ${MAX_TEXT_BYTES / 1_048_576} MB`)
    return cut
  }

  private newPassage(): Passage {
    const passage = { text: [], html: [] }
    this.passages.push(passage)
    return passage
  }

  private *attach({ head }: Part, content: Buffer): Steps<void> {
    this.attachments.push({
      filename: head.filename ?? (isUuencode(head.encoding) ? uuencodedName(content) : null),
      contentType: head.type,
      contentId: head.contentId,
      disposition: head.disposition,
      content: yield* decodeTransfer(content, head.encoding),
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

function uuencodedName(content: Buffer): string | null {
  const file = uuencodedFile(content)
  return file && safeFilename(decodeHeader(file.name, null))
}

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', '\n': '<br>\n' }
const entityOf = Array.from({ length: 128 }, (_, unit) => ENTITIES[String.fromCharCode(unit)] ?? null)

function* asHtml(text: string): Steps<string> {
  if (text === '') return ''
  const html = new TextBuilder(text.length)
  yield* inPieces(text.length, (start, end) => {
    for (let i = start; i < end; i += 1) {
      const unit = text.charCodeAt(i)
      const entity = unit < 128 ? entityOf[unit] : null
      if (entity) html.addText(entity)
      else html.add(unit)
    }
    return end
  })
  return `<div>${html.toString()}</div>`
}
