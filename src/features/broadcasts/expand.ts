import { recordSystemAudit } from '../../kernel/audit/record.ts'
import type { Transaction } from '../../kernel/db/database.ts'
import { rowsOf } from '../../kernel/db/rows.ts'
import { sql } from '../../kernel/db/sql.ts'
import { domainOf, parseMailbox } from '../../mail/address.ts'
import { personaliseSubject, type Variables } from '../../mail/personal.ts'
import { idsBehind, newId } from '../../platform/ids.ts'
import { acceptRecipientEmails, type ReserveCopies } from '../emails/delivery/acceptance/accept-copies.ts'
import type { ErasedAddresses } from '../emails/delivery/ledger/erased-addresses.ts'
import { findErased } from '../emails/delivery/ledger/suppressions.ts'
import { loadedBroadcast } from '../emails/delivery/message/broadcasts.ts'
import { lockBalance } from '../limits/quota.ts'
import { countMembers, findMembers, findWanted, type Member, valuesOf } from './audience.ts'
import { type LockedBroadcast, VALUES } from './queries.ts'

/** Contacts per transaction: progress shows every so many, a cancellation waits for no more than these, and a crash costs them. */
export const BATCH_SIZE = 1_000

interface Expansion extends LockedBroadcast {
  readonly scheduledAt: Date | null
  readonly domainId: string | null
  readonly cursor: string
  readonly highWaterMark: string | null
  readonly isExpanded: boolean
}

/**
 * `expanding`: there is more to do. `expanded`: every contact was dealt with. `over_quota`: the team has sent as much as it may for now. `over`: it is
 * not, or not any more, or for now not to be sent.
 */
export type ExpansionStatus = 'expanding' | 'expanded' | 'over_quota' | 'over'

/**
 * Expands one batch of the segment, in one transaction: recipient emails, events, who was left out and why, and how far it got.
 * The broadcast is locked, so two that expand it at once take turns, and whoever comes after a crash goes on from the last commit.
 * `now` is in the time of the team. `most`: no more contacts than this. `reserve` says which copies go straight through.
 */
export async function expandBatch(
  trx: Transaction,
  team: string,
  id: string,
  {
    now,
    most = BATCH_SIZE,
    reserve = () => null,
    giveUpAfterSeconds,
    erased,
  }: { now: Date; most?: number; reserve?: ReserveCopies; giveUpAfterSeconds?: number; erased?: ErasedAddresses },
): Promise<ExpansionStatus> {
  const expansion = await lockExpansion(trx, team, id)
  const isDue = expansion?.status === 'scheduled' && expansion.scheduledAt! <= now
  if (!expansion || expansion.isPaused || (expansion.status !== 'queued' && !isDue)) return 'over'
  if (expansion.isExpanded) return 'expanded'
  const highWaterMark = expansion.highWaterMark ?? (await begin(trx, team, id, expansion))
  const quotaLeft = (await lockBalance(trx, team, now)).recipients
  const limit = Math.min(BATCH_SIZE, most)
  const batch = {
    segment: expansion.segment_id,
    topic: expansion.topic_id,
    after: expansion.cursor,
    until: highWaterMark,
    limit,
  }
  const found = await withoutErased(trx, team, await findMembers(trx, team, batch), erased)
  const members = asManyAsFit(found, quotaLeft)
  const isCut = members.length < found.length
  if (isCut && members.length === 0) return 'over_quota'
  const isExpanded = !isCut && found.length < limit && !found.at(-1)?.isLastInReach
  const recipients = await addRecipients(trx, team, { ...expansion, id }, members)
  await writeRecipients(trx, team, id, recipients)
  await acceptRecipientEmails(
    trx,
    { ...originalOf(expansion), team, broadcastId: id, createdAt: now },
    {
      recipientEmails: recipientEmailsOf(expansion, recipients),
      giveUpAfterSeconds,
      reserve: (copies) => reserve(copies, loadedBroadcast(team, id, contentOf(expansion))),
    },
  )
  await advance(trx, team, id, { cursor: members.at(-1)?.id ?? expansion.cursor, isExpanded, recipients })
  return isExpanded ? 'expanded' : 'expanding'
}

/** Who was erased is on the suppression list under a digest, which the database cannot make. */
async function withoutErased(trx: Transaction, team: string, members: readonly Member[], erased?: ErasedAddresses) {
  const addresses = members.filter(({ reason }) => reason === null).map(({ email }) => email)
  if (!erased || addresses.length === 0) return members
  const gone = await findErased(trx, team, { addresses, erased })
  if (gone.size === 0) return members
  return members.map((member) => (gone.has(member.email) ? { ...member, reason: 'suppressed' as const } : member))
}

/** Up to the first who would get an email over the quota. Who gets none uses no quota: a quota that is used up ends nothing. */
function asManyAsFit(members: readonly Member[], quotaLeft: number): readonly Member[] {
  let emails = 0
  const end = members.findIndex(({ reason }) => reason === null && ++emails > quotaLeft)
  return end < 0 ? members : members.slice(0, end)
}

async function lockExpansion(trx: Transaction, team: string, id: string): Promise<Expansion | undefined> {
  const [expansion] = await trx.query<Expansion>(sql`
    select status, paused_at is not null as "isPaused", ${VALUES}, scheduled_at as "scheduledAt", domain_id as "domainId", reached as "cursor", until as "highWaterMark", is_walked as "isExpanded"
    from broadcasts where team_id = ${team} and id = ${id} for update`)
  return expansion
}

/** Of one that was scheduled the log tells when it began; whoever sent another one is in it already. */
async function begin(
  trx: Transaction,
  team: string,
  id: string,
  { segment_id, name, status }: Expansion,
): Promise<string> {
  if (status === 'scheduled')
    await recordSystemAudit(trx, team, { action: 'broadcasts.start', objectId: id, details: { name } })
  const highWaterMark = newId(trx.clock.of(team))
  const audience = await countMembers(trx, team, segment_id, highWaterMark)
  await trx.query(sql.write`
    update broadcasts set status = 'queued', until = ${highWaterMark}, audience = ${audience} where team_id = ${team} and id = ${id}`)
  return highWaterMark
}

/** A contact that the broadcast has met. With an email, the id is also that of the email. */
interface Recipient extends Member {
  readonly recipientId: string
  readonly variables: Variables
}

async function addRecipients(
  trx: Transaction,
  team: string,
  { id, subject, html, text, preview_text }: Expansion & { readonly id: string },
  members: readonly Member[],
): Promise<Recipient[]> {
  const wanted = await findWanted(trx, team, [subject, html, text, preview_text])
  const nextId = idsBehind(trx.clock.of(team), await findLast(trx, team, id))
  return members.map((member) => ({ ...member, recipientId: nextId(), variables: valuesOf(member, wanted) }))
}

/** The id of the recipient that was added last. Another node may have made it, with a clock that is ahead; progress is followed by these ids. */
async function findLast(trx: Transaction, team: string, id: string): Promise<string | null> {
  const [last] = await trx.query<{ id: string }>(sql`
    select id from broadcast_recipients where team_id = ${team} and broadcast_id = ${id} order by id desc limit 1`)
  return last?.id ?? null
}

/** Unique by contact, so that whatever goes wrong nobody gets two. */
async function writeRecipients(trx: Transaction, team: string, id: string, recipients: readonly Recipient[]) {
  await trx.query(sql.write`
    insert into broadcast_recipients (team_id, broadcast_id, id, contact_id, email, reason, variables)
    select ${team}, ${id}, "recipientId", id, email, reason, nullif(variables, '{}')
    from ${rowsOf(recipients, { recipientId: 'uuid', id: 'uuid', email: 'text', reason: 'text', variables: 'jsonb' })}`)
}

const originalOf = ({ from, reply_to, topic_id, domainId }: Expansion) => ({
  from,
  replyTo: reply_to,
  topicId: topic_id,
  domainId,
  domainName: domainOf(parseMailbox(from)!.address),
})

const recipientEmailsOf = ({ subject }: Expansion, recipients: readonly Recipient[]) =>
  recipients
    .filter(({ reason }) => reason === null)
    .map(({ recipientId, email, variables }) => ({
      id: recipientId,
      to: email,
      subject: personaliseSubject(subject, variables),
      variables,
    }))

const contentOf = ({ html, text, preview_text }: Expansion) => ({ html, text, previewText: preview_text })

async function advance(
  trx: Transaction,
  team: string,
  id: string,
  { cursor, isExpanded, recipients }: { cursor: string; isExpanded: boolean; recipients: readonly Recipient[] },
) {
  const count = (wanted: Recipient['reason']) => recipients.filter(({ reason }) => reason === wanted).length
  await trx.query(sql.write`
    update broadcasts set reached = ${cursor}, is_walked = ${isExpanded}, emails = emails + ${count(null)},
      unsubscribed = unsubscribed + ${count('unsubscribed')}, not_subscribed = not_subscribed + ${count('not_subscribed')},
      suppressed = suppressed + ${count('suppressed')}
    where team_id = ${team} and id = ${id}`)
}
