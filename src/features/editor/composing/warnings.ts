import type { Node } from '@tiptap/pm/model'
import type { ResourceType, Warning } from '../limits.ts'

/** Gmail shows no more of a mail than this, and a link to the rest. */
const GMAIL_CLIP_BYTES = 102 * 1024

const UNSUBSCRIBE = /\{\{\{\s*(?:RESEND_)?UNSUBSCRIBE_URL\s*(?:\||\}\}\})/

/** What an author may want to know before the email leaves. None of it keeps the document from being saved. */
export function warningsOf(doc: Node, html: string, resourceType: ResourceType): Warning[] {
  const found = { alt: 0, source: 0, link: 0 }
  doc.descendants((node) => {
    const { src, alt, href } = node.attrs
    if (node.type.name === 'image') {
      if (!alt?.trim()) found.alt += 1
      if (!src) found.source += 1
    }
    if (node.type.name === 'button' && isEmptyLink(href)) found.link += 1
    for (const mark of node.marks) if (mark.type.name === 'link' && isEmptyLink(mark.attrs.href)) found.link += 1
  })
  const bytes = Buffer.byteLength(html)
  return [
    ...(resourceType === 'broadcast' && !UNSUBSCRIBE.test(html)
      ? [warning('no_unsubscribe_link', 1, 'No unsubscribe link: add a link to `{{{RESEND_UNSUBSCRIBE_URL}}}`.')]
      : []),
    ...(bytes > GMAIL_CLIP_BYTES
      ? [
          warning(
            'clipped_by_gmail',
            1,
            `The HTML has ${Math.ceil(bytes / 1024)} kB. Gmail clips messages after 102 kB.`,
          ),
        ]
      : []),
    ...(found.alt > 0 ? [warning('image_without_alt', found.alt, 'Images without alternative text.')] : []),
    ...(found.source > 0 ? [warning('image_without_source', found.source, 'Images without a source.')] : []),
    ...(found.link > 0 ? [warning('empty_link', found.link, 'Links or buttons without an address.')] : []),
  ]
}

const isEmptyLink = (href: unknown) => typeof href !== 'string' || ['', '#'].includes(href.trim())

const warning = (code: Warning['code'], count: number, message: string): Warning => ({ code, count, message })
