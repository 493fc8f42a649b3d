import type { HtmlTag } from '../html-visitor.ts'
import type { Steps } from '../steps.ts'
import { atMost, type Found } from './finding.ts'

export interface UsedLink {
  readonly href: string
  readonly at: number
}

const MAX_LINKS = 2_000
const MAX_HREF_LENGTH = 10_000
const SHOWN = 100

/** Notes the links of html, also those that lead nowhere. */
export function collectLinkUses() {
  const links: UsedLink[] = []
  return {
    links,
    open({ name, attributes, at }: HtmlTag) {
      if ((name !== 'a' && name !== 'area') || links.length === MAX_LINKS) return
      const href = attributes.get('href')
      if (href) links.push({ href: tidy(href.value), at: href.at })
      // One with a name is a place to link to.
      else if (!attributes.has('name') && !attributes.has('id')) links.push({ href: '', at })
    },
  }
}

const tidy = (href: string) =>
  href
    .slice(0, MAX_HREF_LENGTH)
    .replace(/[\t\r\n]/g, '')
    .trim()

/** A link, or a picture, with where it leads. */
export interface ReadLink {
  readonly target: string
  /** Null: it is none, or none that anybody could follow. */
  readonly url: URL | null
  readonly at: number
}

/** Reads addresses, which takes up to 1 ms for a long one. `targetOf` gives what a tracked one stands for. */
export function* readLinks(links: readonly UsedLink[], targetOf: (href: string) => string): Steps<ReadLink[]> {
  const read: ReadLink[] = []
  for (const { href, at } of links) {
    const target = targetOf(href)
    read.push({ target, url: urlOf(target), at })
    yield
  }
  return read
}

/** In characters: no name in DNS is longer, and 10,000 foreign letters with dots take `URL` up to 5 ms. */
const MAX_HOST_LENGTH = 253
/** Of the schemes whose hosts are names. As `URL` reads it: behind control characters and spaces, and with any number of slashes. */
const HOST = /^[^!-\uffff]*(?:https?|ftp|wss?|file):[\\/]*(?:[^\\/?#]*@)?([^\\/?#:]*)/i

function urlOf(target: string): URL | null {
  if (target.length > MAX_HREF_LENGTH) return null
  const host = HOST.exec(target.replace(/[\t\r\n]/g, ''))?.[1] ?? ''
  if (host.length > MAX_HOST_LENGTH) return null
  try {
    return new URL(target)
  } catch {
    return null
  }
}

/** What is wrong with links by their looks. */
export function findWrongLinks(links: readonly ReadLink[]): Found[] {
  const byKind = new Map<string, Found[]>()
  const seen = new Set<string>()
  for (const { target, url, at } of links) {
    const wrong = wrongIn(target, url)
    const isAddress = target !== '' && target !== '#'
    if (!wrong || (isAddress && seen.has(target))) continue
    seen.add(target)
    const known = byKind.get(wrong.title) ?? []
    known.push({ check: 'links', at, ...wrong, ...(isAddress && { detail: shown(target) }) })
    byKind.set(wrong.title, known)
  }
  return [...byKind.values()].flatMap((found) => atMost(found))
}

const shown = (target: string) => (target.length > SHOWN ? `${target.slice(0, SHOWN)}…` : target)

function wrongIn(target: string, url: URL | null): Pick<Found, 'severity' | 'title'> | null {
  if (target === '') return { severity: 'warning', title: 'A link has no address' }
  if (target === '#') return { severity: 'warning', title: 'A link has no target (#)' }
  if (target.startsWith('#')) return null
  if (/^(?:javascript|vbscript|data):/i.test(target))
    return { severity: 'error', title: 'A link runs a script, which mail clients block' }
  if (url === null)
    return /^[a-z][a-z\d+.-]*:/i.test(target)
      ? { severity: 'error', title: 'A link is not a valid address' }
      : { severity: 'error', title: 'A link is relative, which does not work in email' }
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return null
  if (isLocalHost(url.hostname)) return { severity: 'error', title: 'A link points to a local address' }
  if (url.hostname === 'youtu.be')
    return { severity: 'warning', title: 'A link is a short YouTube address, which Gmail takes for phishing' }
  return url.protocol === 'http:' ? { severity: 'warning', title: 'A link is not encrypted (http)' } : null
}

/** Names and addresses that mean something else, or nothing, elsewhere. */
export function isLocalHost(hostname: string): boolean {
  const host = hostname
    .toLowerCase()
    .replace(/^\[|\]$/g, '')
    .replace(/\.$/, '')
  if (host.includes(':'))
    return /^(?:::1?$|f[cd]|fe[89ab])/.test(host) || /^::ffff:(?:7f|a[0-9a-f]{2}:|c0a8:)/.test(host)
  if (/^\d+\.\d+\.\d+\.\d+$/.test(host))
    return /^(?:0|10|127|169\.254|192\.168|172\.(?:1[6-9]|2\d|3[01])|100\.(?:6[4-9]|[7-9]\d|1[01]\d|12[0-7]))\./.test(
      host,
    )
  return !host.includes('.') || /\.(?:localhost|local|internal|test|lan|home\.arpa|localdomain)$/.test(host)
}

/**
 * What can be asked whether it is there: each address once, without the place on the page. In steps, too: one of 10,000 foreign letters
 * has 60,000 characters as `URL` writes it.
 */
export function* webTargets(links: readonly ReadLink[]): Steps<UsedLink[]> {
  const seen = new Map<string, UsedLink>()
  for (const { target, url, at } of links) {
    if (url === null || !/^https?:\/\//i.test(target)) continue
    const [href] = url.href.split('#', 1) as [string]
    if (!seen.has(href)) seen.set(href, { href, at })
    yield
  }
  return [...seen.values()]
}
