import { parseMailbox } from '../mail/address.ts'
import { type EventType, type Fact, recordAll } from '../outbox/record.ts'
import { Batcher } from '../platform/batcher.ts'
import type { Clock } from '../platform/clock.ts'
import type { Database, Transaction } from '../platform/db/database.ts'
import { type Email, emailFact } from './email.ts'
import { type Claimed, setLastEvents, settleRows } from './queries.ts'
import { addSuppressions, type NewSuppression } from './suppressions.ts'
import { type Consequence, consequenceOf, type Verdict } from './verdict.ts'

/** The verdicts on the claimed recipients of one email. */
export interface Result {
  readonly email: Email
  readonly verdicts: readonly { readonly row: Claimed; readonly verdict: Verdict }[]
}

const LIMITS = { maxItems: 200, maxWrites: 1 }

/** Writes down what became of recipients, in batches: ledger, events, status and suppressions commit together. */
export class Settler {
  readonly #db: Database
  readonly #clock: Clock
  readonly #batcher: Batcher<Result, true>

  constructor(db: Database, clock: Clock) {
    this.#db = db
    this.#clock = clock
    this.#batcher = new Batcher((results) => this.#write(results), LIMITS)
  }

  async settle(result: Result): Promise<void> {
    await this.#batcher.add(result)
  }

  async #write(results: readonly Result[]): Promise<true[]> {
    const now = this.#clock.now()
    const all = results.flatMap(({ email, verdicts }) =>
      verdicts.map(({ row, verdict }) => ({ email, ...consequenceOf(row, verdict, now) })),
    )
    await this.#db.transaction(async (trx) => {
      const settled = await settleRows(
        trx,
        all.map(({ settlement }) => settlement),
        this.#db.signals.node,
        now,
      )
      await tellOutside(
        trx,
        settled
          .map(({ index }) => index)
          .sort((a, b) => a - b)
          .map((index) => all[index]!),
      )
    })
    return results.map(() => true)
  }
}

async function tellOutside(trx: Transaction, settled: readonly (Consequence & { email: Email })[]) {
  const facts = factsOf(settled)
  await recordAll(trx, facts)
  const latest = new Map(
    facts.map(({ team, about, type }) => [about!, { team, id: about!, event: type.slice('email.'.length) }]),
  )
  if (latest.size > 0) await setLastEvents(trx, [...latest.values()])
  const byTeam = new Map<string, NewSuppression[]>()
  for (const { email, suppression } of settled) {
    if (suppression) byTeam.set(email.team, [...(byTeam.get(email.team) ?? []), suppression])
  }
  for (const [team, suppressions] of byTeam) await addSuppressions(trx, team, suppressions)
}

/** Recipients of one email that met the same fate share an event. A blind copy has its own: it is in nobody else's. */
function factsOf(settled: readonly (Consequence & { email: Email })[]): Fact[] {
  const groups = new Map<string, { email: Email; type: EventType; extra: object; recipients: string[] }>()
  for (const { email, settlement, events } of settled) {
    const copy = isBlind(email, settlement.row.recipient) ? settlement.row.recipient : ''
    for (const { type, extra } of events) {
      const key = `${email.id} ${type} ${copy} ${JSON.stringify(extra)}`
      const group = groups.get(key) ?? { email, type, extra, recipients: [] }
      group.recipients.push(settlement.row.recipient)
      groups.set(key, group)
    }
  }
  return [...groups.values()].map(({ email, type, extra, recipients }) => ({
    team: email.team,
    type,
    data: { ...emailFact(email, recipients), ...extra },
    about: email.id,
  }))
}

function isBlind({ to, cc, bcc }: Email, recipient: string): boolean {
  const isRecipient = (text: string) => parseMailbox(text)?.address.toLowerCase() === recipient.toLowerCase()
  return bcc !== null && !to.some(isRecipient) && !cc?.some(isRecipient)
}
