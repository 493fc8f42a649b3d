import type { HtmlTag, HtmlVisitor } from '../html-visitor.ts'
import { atOnce, type Steps } from '../steps.ts'
import { MIN_MAJOR_SHARE } from './client-shares.ts'
import { type CssPart, visitCss } from './css.ts'
import { featuresNamed, featuresOfProperty } from './feature-names.ts'
import { type Found, IMPACTS, type Impact } from './finding.ts'
import { isGraceful } from './graceful.ts'
import { featuresOfSelector } from './selectors.ts'
import { CLIENT_COUNT, DATA_UPDATED_AT, supportOf } from './support.ts'
import { UsedNames } from './used-names.ts'

/** Where a feature is used: the first positions, and how often. */
export interface Use {
  readonly positions: number[]
  count: number
}

const MAX_POSITIONS = 10
/** In characters, of one `style` attribute; and of all style sheets of a message. */
const MAX_ATTRIBUTE_LENGTH = 4_096
const MAX_SHEETS_LENGTH = 1024 * 1024
const MAX_SHEETS = 1_000

/**
 * Notes which features a mail uses while its html is visited. Style sheets are read afterwards, `readSheets`: of their rules those
 * count that may choose something in the mail.
 */
export function collectFeatures() {
  const uses = new Map<string, Use>()
  const sheets: { css: string; at: number }[] = []
  let sheet: { pieces: string[]; at: number } | null = null
  let length = 0
  const names = new UsedNames()

  const use = (slug: string, at: number) => {
    const known = uses.get(slug)
    if (!known) uses.set(slug, { positions: [at], count: 1 })
    else {
      known.count += 1
      if (known.positions.length < MAX_POSITIONS) known.positions.push(at)
    }
  }
  const useAll = (slugs: Iterable<string>, at: number) => {
    for (const slug of slugs) use(slug, at)
  }
  const usePart = (part: CssPart, at: number) => useAll(featuresOfPart(part), at)

  const endSheet = () => {
    if (sheet !== null && sheet.pieces.length > 0 && sheets.length < MAX_SHEETS)
      sheets.push({ css: sheet.pieces.join(''), at: sheet.at })
    sheet = null
  }

  const visitor: HtmlVisitor = {
    open(tag) {
      names.add(tag)
      useAll(featuresOfTag(tag), tag.at)
      for (const [name, { at }] of tag.attributes) useAll(featuresNamed('attribute', name), at)
      const style = tag.attributes.get('style')
      if (style) {
        const tell = (part: CssPart) => usePart(part, style.valueAt + part.at)
        atOnce(visitCss(style.value.slice(0, MAX_ATTRIBUTE_LENGTH), tell, { isAttribute: true }))
      }
      if (tag.name === 'style') sheet = { pieces: [], at: -1 }
    },
    close(name) {
      if (name === 'style') endSheet()
    },
    text(text, at) {
      if (sheet === null || length > MAX_SHEETS_LENGTH) return
      if (sheet.at < 0) sheet.at = at
      sheet.pieces.push(text)
      length += text.length
    },
    comment(text, at) {
      // What only Outlook reads is no comment to it, and what hides that from others is none to them.
      if (!/^\s*\[if|<!\[endif\]\s*$|^\s*<!\s*$/i.test(text)) use('html-comments', at)
    },
    declaration(text, at) {
      if (/^!?doctype html\s*$/i.test(text)) use('html-doctype', at)
    },
  }
  return {
    uses,
    visitor,
    sheets,
    *readSheets(): Steps<void> {
      endSheet()
      for (const { css, at } of sheets) {
        let isConcerned = true
        yield* visitCss(css.slice(0, MAX_SHEETS_LENGTH), (part) => {
          if (part.kind === 'rule') isConcerned = true
          if (part.kind === 'selector' && !part.isNested) isConcerned = names.concerns(part.text)
          if (isConcerned || part.kind === 'comment') usePart(part, at + part.at)
        })
        yield
      }
    },
  }
}

function* featuresOfTag({ name, attributes }: HtmlTag): Generator<string> {
  yield* featuresNamed('element', name)
  const type = attributes.get('type')?.value.toLowerCase()
  if (name === 'input') yield* featuresNamed('input', type ?? 'text')
  if (name === 'button' && type) yield* featuresNamed('button', type)
  const href = attributes.get('href')?.value.trim() ?? ''
  if (name === 'a' && /^#./.test(href)) yield 'html-anchor-links'
  if (name === 'a' && /^mailto:/i.test(href)) yield 'html-mailto-links'
  if (name === 'meta' && /^color-scheme$/i.test(attributes.get('name')?.value ?? '')) yield 'html-meta-color-scheme'
  if (name === 'html' && (attributes.has('⚡4email') || attributes.has('amp4email'))) yield 'amp'
  if (name === 'img') yield* featuresOfImage(attributes.get('src')?.value ?? '')
}

function featuresOfImage(source: string): readonly string[] {
  const start = source.trim().slice(0, 2_048).toLowerCase()
  if (start.startsWith('data:'))
    return ['image-base64', ...featuresNamed('image', /^data:image\/(\w+)/.exec(start)?.[1] ?? '')]
  return featuresNamed('image', /\.(\w{3,4})(?:$|[?#])/.exec(start)?.[1] ?? '')
}

function* featuresOfPart(part: CssPart): Generator<string> {
  if (part.kind === 'comment') yield 'css-comments'
  else if (part.kind === 'selector') {
    if (part.isNested) yield 'css-nesting'
    // Steps of an animation look like selectors.
    else if (!/^(?:from|to|[\d.]+%)/.test(part.text)) yield* featuresOfSelector(part.text)
  } else if (part.kind === 'rule') {
    yield* featuresNamed('rule', part.name.replace(/^-\w+-/, ''))
    if (part.name === 'media')
      for (const [name, pattern] of MEDIA) if (pattern.test(part.prelude)) yield `css-at-media-${name}`
  } else yield* featuresOfDeclaration(part.property, part.value)
}

const MEDIA = [
  ['device-pixel-ratio', /device-pixel-ratio/],
  ['hover', /\((?:any-)?hover/],
  ['orientation', /\(orientation/],
  ['prefers-color-scheme', /prefers-color-scheme/],
  ['prefers-reduced-motion', /prefers-reduced-motion/],
] as const

/** In characters: what a value says, it says at its beginning. */
const MAX_VALUE_LENGTH = 1_024

function* featuresOfDeclaration(property: string, whole: string): Generator<string> {
  if (property.startsWith('--')) return yield 'css-variables'
  yield* featuresOfProperty(property)
  if (/!\s*important/.test(whole)) yield 'css-important'
  for (const [, picture] of whole.matchAll(/url\(\s*["']?([^"')]{1,2048})/g)) yield* featuresOfImage(picture!)
  const value = whole.slice(0, MAX_VALUE_LENGTH).replace(/"[^"]*"|'[^']*'|url\([^)]*\)?/g, '')
  const names = new Set([...value.matchAll(/(?<![a-z-])([a-z-]+)\(/g)].map(([, name]) => name!))
  for (const name of names) yield* featuresNamed('function', name)
  const units = new Set([...value.matchAll(/(?<![\w#.-])-?[\d.]+(%|[a-z]+)/g)].map(([, unit]) => unit!))
  for (const unit of units) yield* featuresNamed('unit', unit)
  if (/\binitial\b/.test(value)) yield 'css-unit-initial'
  if (/\b(?:fit|min|max)-content\b/.test(value)) yield 'css-intrinsic-size'
  if (/(?<![\w-])(?:system-ui|ui-(?:serif|sans-serif|rounded|monospace))/.test(value)) yield 'css-sytem-ui'
  if (property === 'display') {
    const [, kind] = /^(?:inline-)?(flex|grid)\b|^none/.exec(value) ?? []
    if (kind) yield `css-display-${kind}`
    else if (value.startsWith('none')) yield 'css-display-none'
  }
  if (property === 'flex-direction' && value.startsWith('column')) yield 'css-flex-direction'
  if (property === 'flex-wrap' && value.startsWith('wrap')) yield 'css-flex-wrap'
}

/** What clients do not support of what the mail uses; what most people would miss comes first, and what harms nobody last. */
export function findUnsupported(uses: ReadonlyMap<string, Use>): Found[] {
  return [...uses]
    .map(([slug, use]) => ({ support: supportOf(slug), use, impact: impactOf(slug) }))
    .filter(({ support }) => support.unsupported.length + support.partial.length > 0)
    .sort(
      (a, b) =>
        IMPACTS.indexOf(a.impact) - IMPACTS.indexOf(b.impact) ||
        b.support.missingShare - a.support.missingShare ||
        b.support.unsupported.length - a.support.unsupported.length ||
        b.support.partial.length - a.support.partial.length,
    )
    .map(({ support: { title, url, unsupported, partial, missingShare }, use, impact }) => {
      const isMissing = unsupported.length > 0
      const clients = [...(isMissing ? unsupported : partial)]
      const count = clients.length === 1 ? '1 mail client' : `${clients.length} mail clients`
      return {
        check: 'clients' as const,
        severity: impact === 'major' ? ('warning' as const) : ('notice' as const),
        impact,
        share: missingShare,
        title: `${title} is ${isMissing ? 'not' : 'only partly'} supported by ${count}`,
        detail: use.count > 1 ? `It is used ${use.count} times.` : undefined,
        at: use.positions[0]!,
        url,
        clients,
      }
    })
    .map(({ detail, ...found }) => (detail === undefined ? found : { ...found, detail }))
}

const impactOf = (slug: string): Impact =>
  isGraceful(slug) || supportOf(slug).missingShare < MIN_MAJOR_SHARE ? 'minor' : 'major'

export interface SupportShares {
  readonly supported: number
  readonly partial: number
  readonly unsupported: number
  readonly clients: number
  readonly features: number
  readonly data_updated_at: string
}

/** In percent of all that was tested: each feature that the mail uses, in each client. Null without any. */
export function sharesOf(slugs: Iterable<string>): SupportShares | null {
  const sums = { supported: 0, partial: 0, unsupported: 0 }
  let features = 0
  for (const slug of slugs) {
    const { supported, partial, unsupported } = supportOf(slug)
    sums.supported += supported
    sums.partial += partial.length
    sums.unsupported += unsupported.length
    features += 1
  }
  const total = sums.supported + sums.partial + sums.unsupported
  if (total === 0) return null
  const percent = (part: number) => Math.round((1000 * part) / total) / 10
  return {
    supported: percent(sums.supported),
    partial: percent(sums.partial),
    unsupported: percent(sums.unsupported),
    clients: CLIENT_COUNT,
    features,
    data_updated_at: DATA_UPDATED_AT,
  }
}
