import type { Transaction } from '../../../../kernel/db/database.ts'
import { sql } from '../../../../kernel/db/sql.ts'
import { OUTBOX_CHANNEL } from '../../../../kernel/outbox/record.ts'
import { toAsciiDomain } from '../../../../mail/address.ts'
import type { Variables } from '../../../../mail/personal.ts'
import type { Steps } from '../../../../mail/steps.ts'
import type { Clock } from '../../../../platform/clock.ts'
import { inTurns } from '../../../../platform/concurrency/in-turns.ts'
import { tracing } from '../../../../platform/observability/tracing.ts'
import { dayOf, insertSent, UsageSlot } from '../../../limits/usage.ts'
import type { Email } from '../email.ts'
import { EMPTY_FIELDS } from '../ledger/email-fields.ts'
import { DELIVERIES_CHANNEL } from '../ledger/queries.ts'
import type { LoadedBroadcast } from '../message/broadcasts.ts'
import { DEFAULT_RETRY } from '../outcomes/retry.ts'
import { insertAccepted, recordOf, recordsOfJson, TRACE_COLUMN } from './insert-emails.ts'
import type { HandOver } from './straight-through.ts'
import { traceSomeCopies } from './traced-emails.ts'

/** What the copies of a broadcast have in common. */
export type BroadcastEmail = Pick<Email, 'team' | 'from' | 'replyTo' | 'topicId' | 'domainId' | 'createdAt'> & {
  readonly broadcastId: string
  /** The domain of the sender's address. */
  readonly domainName: string
}

/** What is one recipient's own. */
export interface RecipientEmail {
  readonly id: string
  readonly to: string
  readonly subject: string
  readonly variables: Variables
}

/** A copy with what it has from its broadcast. */
export interface NewCopy extends Email {
  readonly recipients: readonly string[]
  readonly variables: Variables
}

/** Broadcasts of one team are few, and take turns. */
const slot = new UsageSlot()

/**
 * Promises copies of a broadcast: emails, ledger rows and events, behind everything that one person waits for. Those that `reserve` takes are this
 * process's own from the beginning.
 */
export async function acceptRecipientEmails(
  trx: Transaction,
  original: BroadcastEmail,
  {
    recipientEmails,
    reserve = () => null,
    giveUpAfterSeconds = DEFAULT_RETRY.giveUpAfterSeconds,
  }: {
    readonly recipientEmails: readonly RecipientEmail[]
    reserve?(copies: readonly NewCopy[]): HandOver<NewCopy> | null
    readonly giveUpAfterSeconds?: number | undefined
  },
) {
  if (recipientEmails.length === 0) return
  const copies = recipientEmails.map((one) => copyOf(original, one))
  const isTraced = tracing?.active ? traceSomeCopies(copies, tracing.active) : false
  const handOver = reserve(copies)
  const json = await inTurns(jsonOf(copies, { handOver, clock: trx.clock, giveUpAfterSeconds }))
  const use = { team: original.team, day: dayOf(original.createdAt), count: copies.length }
  await trx.query(sql`
    with accepted as materialized (select * from ${recordsOfJson(json, isTraced ? TRACE_COLUMN : sql``)}),
    new_usage as (${insertSent([use], slot.at(trx.clock.now()))}),
    ${insertAccepted(1, { giveUpAfterSeconds, isTraced })}
    select`)
  if (!handOver?.isForAll) trx.announce(DELIVERIES_CHANNEL)
  trx.announce(OUTBOX_CHANNEL)
}

/** Their rows, one at a time: for a thousand of them at once everybody would wait 30 ms. */
function* jsonOf(
  copies: readonly NewCopy[],
  {
    handOver,
    clock,
    giveUpAfterSeconds,
  }: { handOver: HandOver<NewCopy> | null; clock: Clock; giveUpAfterSeconds: number },
): Steps<string> {
  const rows: string[] = []
  for (const copy of copies) {
    const row = recordOf(copy, clock, { giveUpAfterSeconds })
    if (handOver?.has(copy)) row.holder = handOver.node
    rows.push(JSON.stringify(row))
    yield
  }
  return `[${rows.join()}]`
}

/** Asks whether copies may go straight through, before they are written. */
export type ReserveCopies = (copies: readonly NewCopy[], broadcast: LoadedBroadcast) => HandOver<NewCopy> | null

function copyOf({ domainName, ...shared }: BroadcastEmail, { id, to, subject, variables }: RecipientEmail): NewCopy {
  const messageId = `<${id}@${toAsciiDomain(domainName)}>`
  return { ...EMPTY_FIELDS, ...shared, id, messageId, to: [to], recipients: [to], subject, variables }
}
