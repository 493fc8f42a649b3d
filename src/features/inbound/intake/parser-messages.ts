import type { FoldedReport, ReportedDomain } from '../../../mail/domain-reports/fold.ts'
import type { DomainReportKind } from '../../../mail/domain-reports/read.ts'
import type { ParsedAttachment } from '../../../mail/parsed.ts'
import type { InlineImage } from './inline-images.ts'

/** A message that was read, for whoever keeps it: text is UTF-8, which the main thread passes on without looking at it. */
export interface ReadMail {
  /** JSON. */
  readonly headers: Uint8Array
  readonly html: Uint8Array | null
  readonly text: Uint8Array | null
  readonly faults: readonly string[]
  readonly attachments: readonly ParsedAttachment[]
  /** What may be the tokens of links that sign in. */
  readonly linkTokens: readonly string[]
}

/** An answer about a message whose bodies are too large for the main thread. The thread asks for what belongs into it. */
export interface Presented {
  /** All of the answer but `html` and `text`. */
  readonly reply: object
  /** Those that may be put into the html. */
  readonly images: readonly Omit<InlineImage, 'content'>[]
}

export type PresentQuestion =
  /** The content of an image, by its place. */
  | { readonly image: number }
  /** A piece of a body, by its place. Behind the last one comes an empty one; null where there is no body. */
  | { readonly body: 'html' | 'text'; readonly piece: number }

/** Bodies with their images put in, as UTF-8. */
export interface ShownBodies {
  readonly html: Uint8Array | null
  readonly text: Uint8Array | null
}

/** A mail that should bring a report about a domain. */
export interface ReportMail {
  readonly raw: Uint8Array
  readonly kind: DomainReportKind
  readonly domain: ReportedDomain
}

/** What it reports about that domain, as rows that are kept, or why it reports nothing that can be read. Null: it is about another one. */
export type ReadDomainReport = { readonly report: FoldedReport | null } | { readonly fault: string }
