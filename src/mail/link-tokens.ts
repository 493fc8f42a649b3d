import { parseMail } from './parse.ts'
import type { ParsedMail } from './parsed.ts'

/** What the links are for that the installation mails or prints. Each stands in front of its token: behind `#`, or, of a page without scripts, in the query. */
export const LINK_KINDS = ['sign-in', 'verify', 'invitation', 'approval'] as const
export type LinkKind = (typeof LINK_KINDS)[number]

// 256 bits in base64url. Link scanners put the whole address into their own, and encode it; replies break its line and quote it.
const TOKEN = new RegExp(`(?:${LINK_KINDS.join('|')})(?:=3D|=|[%-]3D|&#61;|&#x3D;)([\\w-]{43})`, 'gi')
const LINE_BREAKS = /=?\r?\n(?:>[> ]*)?/g

/** So much of a message is looked at, and of each text. Mail with a link that is still good is short. */
const MAX_CHARACTERS = 4_000_000
const MAX_TEXT_CHARACTERS = 1_000_000
const MAX_TOKENS = 100
/** Mail in mail in mail. */
const MAX_DEPTH = 3

/** All that may be the token of a link in a message: in its texts, and in messages that are attached to it, however they are encoded. */
export async function linkTokensOf(mail: Pick<ParsedMail, 'html' | 'text' | 'attachments'>): Promise<string[]> {
  const search = new Search()
  await search.scanMail(mail, 0)
  return search.found
}

/** The same for bytes that nobody has taken apart: what is in base64 is not found. */
export function linkTokensInBytes(raw: Uint8Array): string[] {
  const search = new Search()
  search.scanBytes(raw)
  return search.found
}

class Search {
  readonly #tokens = new Set<string>()
  #left = MAX_CHARACTERS

  get found(): string[] {
    return [...this.#tokens]
  }

  async scanMail({ text, html, attachments }: Pick<ParsedMail, 'html' | 'text' | 'attachments'>, depth: number) {
    this.#scanText(text ?? '')
    this.#scanText(html ?? '')
    for (const { contentType, content } of attachments) {
      if (this.#left <= 0) return
      if (contentType === 'message/rfc822' && depth < MAX_DEPTH && content.length <= MAX_TEXT_CHARACTERS)
        await this.scanMail(await parseMail(Buffer.from(content)), depth + 1)
      else if (/^(?:text|message)\//.test(contentType)) this.scanBytes(content)
    }
  }

  scanBytes(bytes: Uint8Array) {
    const length = Math.min(bytes.length, MAX_TEXT_CHARACTERS)
    this.#scanText(Buffer.from(bytes.buffer, bytes.byteOffset, length).toString('latin1'))
  }

  #scanText(text: string) {
    const searched = text.slice(0, Math.min(MAX_TEXT_CHARACTERS, this.#left))
    this.#left -= searched.length
    for (const [, token] of searched.replace(LINE_BREAKS, '').matchAll(TOKEN)) {
      if (this.#tokens.size >= MAX_TOKENS) return
      this.#tokens.add(token!)
    }
  }
}
