import type { Transaction } from '../../../kernel/db/database.ts'
import { OUTBOX_CHANNEL } from '../../../kernel/outbox/record.ts'
import { parseMailbox } from '../../../mail/address.ts'
import type { Mailbox } from '../../../mail/message.ts'
import type { LoadedEmail } from '../../emails/delivery/ledger/load.ts'
import { traceOf } from '../../emails/delivery/message/tracking.ts'
import type { Addressed, Intake } from '../../inbound/intake/intake.ts'
import { type JudgedVisit, recordVisits } from '../../tracking/index.ts'
import { unsubscribeWithOneClick } from '../../unsubscribing/index.ts'
import type { Act, ActPayload } from '../simulation/act.ts'
import { bounceMail } from '../simulation/other-side/bounce.ts'
import { complaintMail } from '../simulation/other-side/complaint.ts'
import { replyMail } from '../simulation/other-side/reply.ts'
import { serverOf } from '../simulation/other-side/report-mail.ts'
import { VISITORS } from '../simulation/other-side/visitors.ts'
import type { Message } from './message.ts'

/** What the other side has got, and does something about. */
export interface Stage {
  readonly email: LoadedEmail
  /** Null: nobody reads it, see `isRead`. */
  readonly message: Message | null
  readonly payload: ActPayload
  readonly intake: Intake
  /** The host that links lead to. */
  readonly host: string
}

/** From networks that are nobody's (RFC 5737). */
const MAIL_SERVER = '192.0.2.25'

/** A scanner follows all links; in mail with more of them it stops here, too. */
const MAX_LINKS = 20

/** Whether somebody looks into the message to do it. */
export const isRead = ({ kind }: Act) => kind === 'clicked' || kind === 'bounced' || kind === 'complained'

/** Does what a scenario says that the other side does, through the endpoints that anybody would use. */
export async function perform(trx: Transaction, stage: Stage, act: Act): Promise<void> {
  switch (act.kind) {
    case 'opened':
      return visit(trx, stage, act.by, [null])
    case 'clicked':
      return visit(trx, stage, act.by, linksFollowed(stage.message!, act))
    case 'unsubscribed':
      return unsubscribe(trx, stage)
    case 'replied':
      return reply(trx, stage, act)
    case 'bounced':
      return report(trx, stage, (reported) => bounceMail(reported, act.reply))
    case 'complained':
      return report(trx, stage, complaintMail)
    default:
      return act satisfies never
  }
}

/** One that is asked for by a part of its address, or the first; a scanner follows every one. */
function linksFollowed({ links }: Message, { by, link }: Extract<Act, { kind: 'clicked' }>): readonly string[] {
  const wanted = link === undefined ? links : links.filter((target) => target.includes(link))
  return by === 'scanner' ? wanted.slice(0, MAX_LINKS) : wanted.slice(0, 1)
}

/** A target is a link that is followed; null is the picture. */
async function visit(
  trx: Transaction,
  { payload, host }: Stage,
  by: keyof typeof VISITORS,
  targets: readonly (string | null)[],
) {
  const { team, email, recipient, deliveredAt } = payload
  const at = trx.clock.now()
  const secondsSinceDelivery = (trx.clock.of(team).now().getTime() - Date.parse(deliveredAt)) / 1_000
  const visits = targets.map(
    (target): JudgedVisit => ({
      team,
      email,
      recipient: traceOf(email, recipient),
      at,
      visitor: { method: 'GET', host, ...VISITORS[by] },
      target,
      linksAtOnce: targets.length,
      secondsSinceDelivery,
    }),
  )
  await recordVisits(trx, visits)
  trx.announce(OUTBOX_CHANNEL)
}

async function unsubscribe(trx: Transaction, { email, payload: { team, recipient } }: Stage) {
  await unsubscribeWithOneClick(trx, { team, emailId: email.id, recipient, topicId: email.topicId })
}

type Write = (reported: Parameters<typeof complaintMail>[0]) => Buffer

/** A report comes back to the return path, from nobody, as reports do. */
async function report(trx: Transaction, { email, message, payload, intake }: Stage, write: Write) {
  const { recipient, position = null, team, id } = payload
  const date = trx.clock.of(team).now()
  const { header, returnPath } = message!
  const raw = write({ header, recipient, returnPath, date, seed: id })
  const arrival = { raw, from: '', helo: serverOf(recipient), clientAddress: MAIL_SERVER }
  const mailbox = { kind: 'report', by: 'return-path', emailId: email.id, position } as const
  await intake.takeIn(trx, arrival, [{ address: returnPath, mailbox }])
}

/** An answer comes to whoever asked for it, and that is the team whose mail it was: there is nobody else in a sandbox. */
async function reply(
  trx: Transaction,
  { email, payload, intake }: Stage,
  { text, subject }: Extract<Act, { kind: 'replied' }>,
) {
  const { recipient, team, id } = payload
  const wished = mailboxesIn(email.replyTo ?? [])
  const to = wished.length > 0 ? wished : mailboxesIn([email.from])
  const date = trx.clock.of(team).now()
  const raw = replyMail(email, { from: recipient, to, text, subject }, { date, seed: id })
  const arrival = { raw, from: recipient, helo: serverOf(recipient), clientAddress: MAIL_SERVER }
  const mailboxes = to.map(({ address }): Addressed => ({ address, mailbox: { kind: 'team', team } }))
  await intake.takeIn(trx, arrival, mailboxes)
}

const mailboxesIn = (texts: readonly string[]): Mailbox[] => texts.flatMap((text) => parseMailbox(text) ?? [])
