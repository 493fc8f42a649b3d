import type { Static } from 'typebox'
import type { SpamScore } from '../../../adapters/spam-filter/spam-filter.ts'
import type { Actor } from '../../../kernel/http/actor.ts'
import { CHECKS, type Check, type Finding, IMPACTS, SEVERITIES } from '../../../mail/checks/finding.ts'
import type { CheckedSender } from '../../../mail/checks/sender.ts'
import { inTurns } from '../../../platform/concurrency/in-turns.ts'
import { Semaphore } from '../../../platform/concurrency/semaphore.ts'
import { isSandbox } from '../../../platform/ids.ts'
import { requireMessage, type WholeMessage } from '../actions.ts'
import type { Probed } from './probe.ts'
import type { MessageChecks } from './schema.ts'
import { askDmarc, NOT_ASKED, senderOf } from './sender.ts'
import type { MessagesChecksServices } from './services.ts'
import { askServers, findDead } from './web.ts'

type Checks = Static<typeof MessageChecks>

/** A megabyte of html takes some 200 ms, in turns with everything else. */
const checking = new Semaphore(4)

/** What can be said about a message. Servers are asked only when somebody wants it: a link may do something when it is followed. */
export async function checkMessage(
  services: MessagesChecksServices,
  actor: Actor,
  { id, asksServers }: { id: string; asksServers: boolean },
): Promise<Checks> {
  const message = await requireMessage(services, actor, id)
  const sender = await senderOf(services, actor.team, message)
  const content = await lookAt(message, sender)
  const isOnlyLoopback = isSandbox(actor.team)
  const [dead, spam, dmarc] = await Promise.all([
    asksServers ? findDead({ ...content, probe: services.probe, isOnlyLoopback }) : [],
    askSpamFilter(services, message, isOnlyLoopback),
    asksServers && sender && !isOnlyLoopback ? askDmarc(services.resolver, sender) : NOT_ASKED,
  ])
  const asked = [...dead, ...dmarc.found, ...spam.found].map((found) => content.lines.finding(found))
  const findings = [...content.findings, ...asked].sort(byWeight)
  const notLookedAt: Check[] = [
    ...(message.html === null ? OF_HTML : []),
    ...(sender === null ? OF_SENDER : []),
    ...(dmarc.isKnown ? [] : (['dmarc'] as const)),
    ...(spam.score === null ? (['spam'] as const) : []),
  ]
  return {
    object: 'message_checks',
    id,
    findings,
    passed: passedOf(findings, notLookedAt),
    support: content.support && { ...content.support },
    spam: spam.score && { ...spam.score, rules: spam.score.rules.map((rule) => ({ ...rule })) },
  }
}

async function lookAt(message: WholeMessage, sender: CheckedSender | null = null) {
  // With the data about mail clients, which a start need not read.
  const { checkContent } = await import('../../../mail/checks/check-content.ts')
  return checking.run(1, () => inTurns(checkContent({ ...checkedOf(message), sender })))
}

/** Only what mail clients make of the html, and nobody is asked. */
export async function checkHtml(services: MessagesChecksServices, actor: Actor, id: string) {
  const message = await requireMessage(services, actor, id)
  const { findings, support, tags } = await lookAt(message)
  return { support, tags, findings: findings.filter(({ check }) => check === 'clients') }
}

/** What the servers say that a message links to or takes pictures from. */
export async function checkLinks(
  services: MessagesChecksServices,
  actor: Actor,
  id: string,
): Promise<{ href: string; probed: Probed | null }[]> {
  const { pages, pictures } = await lookAt(await requireMessage(services, actor, id))
  const links = [...pages, ...pictures]
  const answers = await askServers(links, { probe: services.probe, isOnlyLoopback: isSandbox(actor.team) })
  return links.map(({ href }, index) => ({ href, probed: answers[index]! }))
}

/** Only the score of the spam filter. Null: there is none, or it has given none. */
export async function scoreSpam(services: MessagesChecksServices, actor: Actor, id: string): Promise<SpamScore | null> {
  const message = await requireMessage(services, actor, id)
  return (await askSpamFilter(services, message, isSandbox(actor.team))).score
}

function checkedOf({ html, text, headers, links, attachments, to, cc, bcc }: WholeMessage) {
  const targets = new Map(links.map(({ href, target }) => [href, target]))
  return {
    ...{ html, text, headers },
    recipients: to.length + cc.length + bcc.length,
    files: attachments,
    targetOf: (href: string) => targets.get(href) ?? href,
  }
}

/** In the order in which they are worth a look; within a check as they were found. */
const byWeight = (a: Finding, b: Finding) =>
  IMPACTS.indexOf(a.impact) - IMPACTS.indexOf(b.impact) ||
  SEVERITIES.indexOf(a.severity) - SEVERITIES.indexOf(b.severity) ||
  CHECKS.indexOf(a.check) - CHECKS.indexOf(b.check)

async function askSpamFilter({ spamFilter, log }: MessagesChecksServices, { raw }: WholeMessage, isSandboxed: boolean) {
  if (spamFilter === null) return { score: null, found: [] }
  if (raw === null) return unscored('Larger than 1 MB: spam filters do not scan such messages.')
  if (isSandboxed && !spamFilter.isHere) {
    return unscored('The spam filter is on another machine, and sandbox mail stays on this one.')
  }
  const outcome = await spamFilter.scoreOf(Buffer.from(raw))
  if (outcome.kind === 'scored') return { score: outcome.score, found: judged(outcome.score) }
  log.warn({ reason: outcome.reason }, 'messages: the spam filter did not answer')
  return unscored('Unexpected response. See the server log for the cause.')
}

const unscored = (detail: string) => ({
  score: null,
  found: [{ check: 'spam' as const, severity: 'notice' as const, title: 'No spam score', detail }],
})

function judged({ score, threshold }: SpamScore) {
  if (score < threshold * 0.6) return []
  const detail = `${score} points, and ${threshold} are spam.`
  return score >= threshold
    ? [{ check: 'spam' as const, severity: 'error' as const, title: 'Classified as spam by the spam filter', detail }]
    : [{ check: 'spam' as const, severity: 'warning' as const, title: 'The spam score is near the limit', detail }]
}

const PASSED: Record<Check, string> = {
  clients: 'Mail clients support all that matters in the HTML',
  links: 'Links lead somewhere',
  images: 'Images have alternative text',
  accessibility: 'Screen readers and contrast: no major issues',
  dark_mode: 'Dark mode: no major issues',
  clipping: 'Not clipped by Gmail',
  text: 'The text part matches the HTML',
  unsubscribe: 'Unsubscribe headers present or not needed',
  sender: 'Replies reach somebody',
  dmarc: 'The DMARC record is valid',
  tracking: 'Tracking is off, or goes through your own domain',
  spam: 'Not classified as spam',
}

const OF_HTML: readonly Check[] = ['clients', 'links', 'images', 'accessibility', 'dark_mode', 'clipping', 'text']

const OF_SENDER: readonly Check[] = ['sender', 'dmarc', 'tracking']

/** What was looked at and is fine, but for what harms nobody: titles must be true beside minor findings. */
function passedOf(findings: readonly Finding[], notLookedAt: readonly Check[]) {
  const wrong = new Set(findings.filter(({ impact }) => impact === 'major').map(({ check }) => check))
  return CHECKS.filter((check) => !wrong.has(check) && !notLookedAt.includes(check)).map((check) => ({
    check,
    title: PASSED[check],
  }))
}
