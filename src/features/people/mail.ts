import type { Database, Transaction } from '../../kernel/db/database.ts'
import type { Sealer } from '../../kernel/secrets.ts'
import { domainOf, parseMailbox, toAsciiDomain } from '../../mail/address.ts'
import { escapeHtml } from '../../mail/html.ts'
import { plainLine } from '../../mail/plain-name.ts'
import { SYSTEM_MAIL, SYSTEM_MARK_HEADER, systemMark } from '../../mail/system-mark.ts'
import { newId } from '../../platform/ids.ts'
import type { Log } from '../../platform/observability/log.ts'
import { type Config, hostName, isOnLaptop } from '../../platform/settings/config.ts'
import { acceptEmails } from '../emails/delivery/acceptance/accept.ts'
import { EMPTY_FIELDS } from '../emails/delivery/ledger/email-fields.ts'

/** What the installation itself writes to somebody. */
export interface SystemMail {
  readonly to: string
  readonly subject: string
  readonly text: string
  readonly html: string
  /** Where it leads to. Told in the log while nothing leaves: nobody can read the mail then. */
  readonly link: string
  /** The team that it is about, or of whom it is for. On a laptop it is among that team's mail; null: of none. */
  readonly about: string | null
}

export interface SystemMailServices {
  readonly db: Database
  readonly config: Config
  readonly log: Log
  readonly sealer: Sealer
  /** The team that such mail belongs to. Nobody is a member. */
  systemTeam(): Promise<string>
}

/** Untrusted names may be in it: see `plainName`. */
const MAX_SUBJECT_CHARACTERS = 160

/**
 * Sends like any other mail, once it is committed. `trx`: in the transaction of what it is about.
 *
 * It belongs to the system team, which has no members: a reader of a team's mail could otherwise sign in as anyone who gets a link there. On a
 * laptop it is mail of the team that it is about: no mail leaves, only local programs reach the service, and the same link is in the log, so
 * it discloses nothing; and that is where people look for mail. With another host or a public address it stays with the system team even in
 * inbox mode, since several people may share the service.
 */
export async function sendSystemMail(services: SystemMailServices, mail: SystemMail, trx?: Transaction): Promise<void> {
  const { db, config, log } = services
  const team = isOnLaptop(config) && mail.about !== null ? mail.about : await services.systemTeam()
  const send = (within: Transaction) => acceptEmails(within, [emailOf(services, team, mail)], acceptingBy(services))
  await (trx ? send(trx) : db.transaction(send))
  if (config.DELIVERY === 'inbox') log.info({ email: mail.to, link: mail.link }, `people: ${mail.subject}`)
}

const acceptingBy = ({ db, config }: SystemMailServices) => ({
  giveUpAfterSeconds: config.GIVE_UP_AFTER,
  storesCompactly: db.presence.storesCompactly,
})

/** A message that the installation itself has written, from the first header to the last byte. */
export interface SystemMessage {
  readonly to: string
  readonly subject: string
  readonly raw: Buffer
  readonly bodyStart: number
  /** Of the message, those that delivery goes by. */
  readonly headers: readonly { readonly name: string; readonly value: string }[]
}

/** In the transaction of what it is about. */
export async function acceptSystemMessage(services: SystemMailServices, message: SystemMessage, trx: Transaction) {
  const { to, subject, raw, bodyStart, headers } = message
  const email = emailOf(services, await services.systemTeam(), { to, subject, text: null, html: null })
  const submitted = { raw, blob: null, layout: { bodyStart, isEightBit: false, parts: [] } }
  await acceptEmails(trx, [{ ...email, headers: [...headers], submitted }], acceptingBy(services))
}

function emailOf(
  { db, config, sealer }: SystemMailServices,
  team: string,
  { to, subject, text, html }: Pick<SystemMail, 'to' | 'subject'> & { text: string | null; html: string | null },
) {
  const own = db.clock.of(team)
  const id = newId(own)
  const from = systemSender(config)
  // By which it is known when it comes back to a team that receives here: see `Intake`.
  const mark = systemMark(id, sealer.deriveKey(SYSTEM_MAIL))
  return {
    ...EMPTY_FIELDS,
    id,
    team,
    messageId: `<${mark}@${toAsciiDomain(domainOf(from.address))}>`,
    from: from.mailbox,
    to: [to],
    subject: plainLine(subject, MAX_SUBJECT_CHARACTERS),
    headers: [
      // Nobody's auto-reply is to answer it (RFC 3834).
      { name: 'Auto-Submitted', value: 'auto-generated' },
      { name: SYSTEM_MARK_HEADER, value: mark },
    ],
    createdAt: own.now(),
    html,
    text,
    apiKeyId: null,
    scheduledAt: null,
    recipients: [to],
    attachments: [],
    isSystem: true as const,
  }
}

/** Who such mail comes from. */
export function systemSender(config: Config): { mailbox: string; address: string } {
  const chosen = config.MAIL_FROM && parseMailbox(config.MAIL_FROM)
  if (chosen) return { mailbox: config.MAIL_FROM!, address: chosen.address }
  const address = `no-reply@${hostName(config)}`
  return { mailbox: `Postwren <${address}>`, address }
}

/** A short email with one thing to do, as text and as html. */
export function systemMailBody({
  lines,
  act,
  link,
  foot,
}: {
  /** What comes before the link, a paragraph each. */
  readonly lines: readonly string[]
  /** What the button says. */
  readonly act: string
  readonly link: string
  readonly foot: string
}): { text: string; html: string } {
  const paragraph = (line: string, style: string) => `<p style="${style}">${escapeHtml(line)}</p>`
  return {
    text: [...lines, `${act}: ${link}`, foot].join('\n\n'),
    html: `<div style="font: 16px/1.5 system-ui, sans-serif; max-width: 32em; color: #1a1a1a">
${lines.map((line) => paragraph(line, 'margin: 0 0 16px')).join('\n')}
<p style="margin: 24px 0"><a href="${escapeHtml(link)}" style="display: inline-block; padding: 10px 18px; border-radius: 6px; background: #1a1a1a; color: #ffffff; text-decoration: none">${escapeHtml(act)}</a></p>
${paragraph(foot, 'margin: 0; font-size: 14px; color: #666666')}
</div>`,
  }
}
