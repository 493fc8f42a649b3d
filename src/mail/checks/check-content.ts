import { together, visitHtml } from '../html-visitor.ts'
import type { Steps } from '../steps.ts'
import { collectAnnouncements } from './accessibility.ts'
import { findClipping, findTextFaults } from './bodies.ts'
import { findUnsubscribeFaults } from './bulk.ts'
import { collectContrast } from './contrast.ts'
import { collectColors } from './dark-mode.ts'
import { collectFeatures, findUnsupported, type SupportShares, sharesOf } from './features.ts'
import { atMost, type Finding, type Found, SourceLines } from './finding.ts'
import { type AttachedFile, collectImageUses, findWrongImages } from './images.ts'
import { collectLinkUses, findWrongLinks, readLinks, type UsedLink, webTargets } from './links.ts'
import { type CheckedSender, findForeignLinks, findSenderFaults, findTrackingFaults } from './sender.ts'

export interface CheckedMessage {
  readonly html: string | null
  readonly text: string | null
  readonly headers: readonly { readonly name: string; readonly value: string }[]
  readonly recipients: number
  readonly files: readonly AttachedFile[]
  /** Null: it is not ours to change. */
  readonly sender: CheckedSender | null
  /** What a tracked link stands for. */
  targetOf(href: string): string
}

export interface ContentChecks {
  readonly findings: Finding[]
  readonly support: SupportShares | null
  /** How many tags were opened. */
  readonly tags: number
  /** What can be asked for on the web: pages and pictures. */
  readonly pages: readonly UsedLink[]
  readonly pictures: readonly UsedLink[]
  readonly lines: SourceLines
}

/** In characters. What follows is looked at by nobody: Gmail shows a twentieth. */
const MAX_SCAN_LENGTH = 2 * 1024 * 1024

/**
 * All that can be said about a message without asking anybody, in one walk through its html and in steps of some milliseconds. It is
 * somebody else's html: whatever is in there takes no more than its length, and the findings have a number that they do not pass.
 */
export function* checkContent(message: CheckedMessage): Steps<ContentChecks> {
  const html = message.html?.slice(0, MAX_SCAN_LENGTH) ?? null
  const lines = yield* SourceLines.of(html ?? '')
  const [features, links, images, colors] = [collectFeatures(), collectLinkUses(), collectImageUses(), collectColors()]
  const [announcements, contrast] = [collectAnnouncements(), collectContrast()]
  let tags = 0
  const count = () => {
    tags += 1
  }
  if (html !== null)
    yield* visitHtml(
      html,
      together([
        { open: count },
        features.visitor,
        colors.visitor,
        announcements.visitor,
        contrast.visitor,
        links,
        images,
      ]),
    )
  yield* features.readSheets()
  const sheets = features.sheets.map(({ css }) => css)
  const pages = yield* readLinks(links.links, message.targetOf)
  const sources = images.images.map(({ src, at }) => ({ href: src, at }))
  const pictures = yield* readLinks(sources, (src) => src)

  const { sender } = message
  const found: Found[] = []
  for (const find of [
    () => findUnsupported(features.uses),
    () => findWrongLinks(pages),
    () => findWrongImages(images.images, message.files),
    () => (html === null ? [] : announcements.found()),
    () => (html === null ? [] : atMost(contrast.found(sheets))),
    () => (html === null ? [] : colors.found(sheets)),
    () => (message.html === null ? [] : findClipping(message.html)),
    () => findTextFaults(message),
    () => findUnsubscribeFaults(message),
    () => (sender === null ? [] : [...findSenderFaults(sender), ...findTrackingFaults(sender)]),
  ]) {
    found.push(...find())
    yield
  }
  if (sender !== null) found.push(...(yield* findForeignLinks(pages, sender)))
  const findings: Finding[] = []
  for (const one of found) {
    findings.push(lines.finding(one))
    yield
  }
  const support = sharesOf(features.uses.keys())
  yield
  return {
    ...{ findings, support, tags, lines },
    pages: yield* webTargets(pages),
    pictures: yield* webTargets(pictures),
  }
}
