import type { Static } from 'typebox'
import type { SpamScore } from '../../../adapters/spam-filter/spam-filter.ts'
import type { Actor } from '../../../kernel/http/actor.ts'
import { CHECKS, type Check, type Finding, IMPACTS, SEVERITIES } from '../../../mail/checks/finding.ts'
import { inTurns } from '../../../platform/concurrency/in-turns.ts'
import { Semaphore } from '../../../platform/concurrency/semaphore.ts'
import { isSandbox } from '../../../platform/ids.ts'
import { requireMessage, type WholeMessage } from '../actions.ts'
import type { Probed } from './probe.ts'
import type { MessageChecks } from './schema.ts'
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
  const content = await lookAt(message)
  const isOnlyLoopback = isSandbox(actor.team)
  const [dead, spam] = await Promise.all([
    asksServers ? findDead({ ...content, probe: services.probe, isOnlyLoopback }) : [],
    askSpamFilter(services, message, isOnlyLoopback),
  ])
  const findings = [...content.findings, ...[...dead, ...spam.found].map((found) => content.lines.finding(found))].sort(
    byWeight,
  )
  return {
    object: 'message_checks',
    id,
    findings,
    passed: passedOf(message, findings, spam.score !== null),
    support: content.support && { ...content.support },
    spam: spam.score && { ...spam.score, rules: spam.score.rules.map((rule) => ({ ...rule })) },
  }
}

async function lookAt(message: WholeMessage) {
  // With the data about mail clients, which a start need not read.
  const { checkContent } = await import('../../../mail/checks/check-content.ts')
  return checking.run(1, () => inTurns(checkContent(checkedOf(message))))
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
  clients: 'Mail clients support everything that the HTML uses',
  links: 'Links lead somewhere',
  images: 'Images have alternative text',
  accessibility: 'Screen readers and contrast: no issues',
  dark_mode: 'Dark mode: no issues',
  clipping: 'Not clipped by Gmail',
  text: 'The text part matches the HTML',
  unsubscribe: 'Unsubscribe headers present or not needed',
  spam: 'Not classified as spam',
}

const OF_HTML: readonly Check[] = ['clients', 'links', 'images', 'accessibility', 'dark_mode', 'clipping', 'text']

/** What was looked at and is fine. */
function passedOf({ html }: WholeMessage, findings: readonly Finding[], hasScore: boolean) {
  const wrong = new Set(findings.filter(({ impact }) => impact === 'major').map(({ check }) => check))
  return CHECKS.filter(
    (check) => !wrong.has(check) && (check !== 'spam' || hasScore) && (html !== null || !OF_HTML.includes(check)),
  ).map((check) => ({ check, title: PASSED[check] }))
}
