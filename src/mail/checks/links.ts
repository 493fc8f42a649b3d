import type { HtmlTag } from '../html-walk.ts'
import { atMost, type Found } from './finding.ts'

export interface UsedLink {
  readonly href: string
  readonly at: number
}

const MOST_LINKS = 2_000
const LONGEST_HREF = 10_000
const SHOWN = 100

/** Notes the links of html, also those that lead nowhere. */
export function collectLinkUses() {
  const links: UsedLink[] = []
  return {
    links,
    open({ name, attributes, at }: HtmlTag) {
      if ((name !== 'a' && name !== 'area') || links.length === MOST_LINKS) return
      const href = attributes.get('href')
      if (href) links.push({ href: tidy(href.value), at: href.at })
      // One with a name is a place to link to.
      else if (!attributes.has('name') && !attributes.has('id')) links.push({ href: '', at })
    },
  }
}

const tidy = (href: string) =>
  href
    .slice(0, LONGEST_HREF)
    .replace(/[\t\r\n]/g, '')
    .trim()

/** What is wrong with links by their looks. `targetOf` gives what a tracked one stands for. */
export function findWrongLinks(links: readonly UsedLink[], targetOf: (href: string) => string): Found[] {
  const byKind = new Map<string, Found[]>()
  const seen = new Set<string>()
  for (const { href, at } of links) {
    const target = targetOf(href)
    const wrong = wrongIn(target)
    const isAddress = target !== '' && target !== '#'
    if (!wrong || (isAddress && seen.has(target))) continue
    seen.add(target)
    const found: Found = { check: 'links', at, ...wrong, ...(isAddress && { detail: shown(target) }) }
    byKind.set(wrong.title, [...(byKind.get(wrong.title) ?? []), found])
  }
  return [...byKind.values()].flatMap((found) => atMost(found))
}

const shown = (target: string) => (target.length > SHOWN ? `${target.slice(0, SHOWN)}…` : target)

function wrongIn(target: string): Pick<Found, 'severity' | 'title'> | null {
  if (target === '') return { severity: 'warning', title: 'A link has no address' }
  if (target === '#') return { severity: 'warning', title: 'A link leads nowhere (#)' }
  if (target.startsWith('#')) return null
  if (/^(?:javascript|vbscript|data):/i.test(target))
    return { severity: 'error', title: 'A link runs a program, which no mail client does' }
  if (!URL.canParse(target))
    return /^[a-z][a-z\d+.-]*:/i.test(target)
      ? { severity: 'error', title: 'A link is not a valid address' }
      : { severity: 'error', title: 'A link is relative, and a mail has no place that it could start from' }
  const url = new URL(target)
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return null
  if (isLocalHost(url.hostname))
    return { severity: 'error', title: 'A link leads to a machine that only you can reach' }
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

/** What can be asked whether it is there: each address once, without the place on the page. */
export function webTargets(links: readonly UsedLink[], targetOf: (href: string) => string): UsedLink[] {
  const seen = new Map<string, UsedLink>()
  for (const { href, at } of links) {
    const target = targetOf(href)
    if (!/^https?:\/\//i.test(target) || !URL.canParse(target)) continue
    const url = new URL(target)
    url.hash = ''
    if (!seen.has(url.href)) seen.set(url.href, { href: url.href, at })
  }
  return [...seen.values()]
}
