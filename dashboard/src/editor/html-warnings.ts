import { UNSUBSCRIBE_NAMES } from '../../../src/mail/personal.ts'
import { namesIn } from '../../../src/mail/templates.ts'
import { formatNumber } from '../ui/locale.ts'
import type { EditedResource, Warning } from './document-api.ts'
import { texts } from './texts.ts'

/** Gmail shows no more of an email, and a link to the rest. */
export const MAX_GMAIL_BYTES = 102 * 1024

/** What the service says about documents, for an email that is kept as html. */
export function warningsOf(html: string, { resource_type }: Pick<EditedResource, 'resource_type'>): Warning[] {
  const page = new DOMParser().parseFromString(html, 'text/html')
  const hasNoWayOut = resource_type === 'broadcast' && !namesIn(html).some((name) => UNSUBSCRIBE_NAMES.includes(name))
  const bytes = new TextEncoder().encode(html).length
  const withoutAlt = [...page.querySelectorAll('img')].filter(
    (image) => !image.hasAttribute('alt') || image.alt === '',
  ).length
  const emptyLinks = [...page.querySelectorAll('a')].filter((link) =>
    ['', '#', null].includes(link.getAttribute('href')),
  ).length
  return [
    ...(hasNoWayOut ? [warning('no_unsubscribe_link', 1, texts.warnings.notes.noUnsubscribeLink)] : []),
    ...(bytes > MAX_GMAIL_BYTES
      ? [warning('clipped_by_gmail', 1, texts.warnings.notes.clipped(formatNumber(Math.ceil(bytes / 1024))))]
      : []),
    ...(withoutAlt > 0 ? [warning('image_without_alt', withoutAlt, texts.warnings.notes.noAlternativeText)] : []),
    ...(emptyLinks > 0 ? [warning('empty_link', emptyLinks, texts.warnings.notes.emptyLink)] : []),
  ]
}

const warning = (code: Warning['code'], count: number, message: string): Warning => ({ code, count, message })
