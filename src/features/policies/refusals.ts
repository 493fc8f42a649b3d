import type { Database, Queryable } from '../../kernel/db/database.ts'
import { rowsOf } from '../../kernel/db/rows.ts'
import { sql } from '../../kernel/db/sql.ts'
import { Batcher } from '../../platform/concurrency/batcher.ts'
import { levelOf } from '../../platform/database-errors.ts'
import type { Log } from '../../platform/observability/log.ts'
import { followRefusals } from './jobs.ts'
import { currentMinute, type PolicyRef } from './queries.ts'
import type { RecordedRefusal } from './refused.ts'
import { MAX_SAMPLES } from './schema.ts'
import { dateOf } from './timeline.ts'

const MAX_SHOWN_RECIPIENTS = 10
const MAX_SHOWN_LENGTH = 320

/** One row for each policy, rule and minute, with the last of its emails and some that differ: a flood makes no more of them than a trickle. */
export async function insertRefusals(
  db: Queryable,
  refused: readonly RecordedRefusal[],
  { isDryRun }: { readonly isDryRun: boolean },
) {
  const rows = new Map<string, ReturnType<typeof rowOf>>()
  for (const one of refused) {
    const row = rowOf(db, one)
    const key = `${row.team} ${row.policyId} ${row.rule}`
    const known = rows.get(key)
    rows.set(key, {
      ...row,
      emails: 1 + (known?.emails ?? 0),
      samples: samplesIn([...(known?.samples ?? []), ...row.samples]),
    })
  }
  const columns = {
    team: 'uuid',
    policyId: 'uuid',
    rule: 'text',
    minute: 'timestamptz',
    emails: 'int',
    from: 'text',
    recipients: 'jsonb',
    subject: 'text',
    samples: 'jsonb',
  } as const
  // In the order of the key, so that two writers do not wait for each other crosswise.
  await db.query(sql.write`
    insert into policy_refusals as r (team_id, policy_id, rule, minute, is_dry_run, emails, last_from, last_recipients, last_subject, samples)
    select team, "policyId", rule, minute, ${isDryRun}::boolean, emails, "from", recipients, subject, samples
    from ${rowsOf([...rows.values()], columns)} order by team, "policyId", rule, minute
    on conflict (team_id, policy_id, rule, minute, is_dry_run) do update set emails = r.emails + excluded.emails,
      last_from = excluded.last_from, last_recipients = excluded.last_recipients, last_subject = excluded.last_subject,
      samples = (
        select jsonb_agg(sample order by place) from (
          select sample, min(place) as place from jsonb_array_elements(r.samples || excluded.samples) with ordinality s (sample, place)
          group by sample order by min(place) limit ${MAX_SAMPLES}) kept)`)
}

function rowOf(db: Queryable, { team, policyId, refusal: { rule }, email }: RecordedRefusal) {
  const sample = {
    from: shortened(email.from),
    recipients: email.recipients.slice(0, MAX_SHOWN_RECIPIENTS),
    subject: shortened(email.subject),
  }
  return {
    ...{ team, policyId, rule, minute: dateOf(currentMinute(db, team)), emails: 0 },
    ...sample,
    samples: [sample],
  }
}

const samplesIn = <Sample>(samples: readonly Sample[]): Sample[] =>
  [...new Map(samples.map((sample) => [JSON.stringify(sample), sample])).values()].slice(0, MAX_SAMPLES)

/** By characters: half of a pair is none. */
const shortened = (text: string) =>
  text.length <= MAX_SHOWN_LENGTH ? text : [...text.slice(0, 2 * MAX_SHOWN_LENGTH)].slice(0, MAX_SHOWN_LENGTH).join('')

const LIMITS = { maxItems: 500, maxWrites: 1, maxWaiting: 10_000 }

/** Notes what policies refuse. Those that come while a write is under way are written together. */
export class PolicyRefusals {
  readonly #log: Log
  readonly #batcher: Batcher<RecordedRefusal, undefined>

  constructor(db: Database, log: Log) {
    this.#log = log
    this.#batcher = new Batcher(async (refused) => {
      await db.forTeams([...new Set(refused.map(({ team }) => team))])
      const refs = new Map(refused.map(({ team, policyId }) => [policyId, { team, policyId }]))
      await db.transaction(async (trx) => {
        await followRefusals(trx, [...refs.values()])
        await insertRefusals(trx, refused, { isDryRun: false })
      })
      return refused.map(() => undefined)
    }, LIMITS)
  }

  /** Resolves when it is written, or could not be: what is refused stays refused. */
  async note(...refused: readonly RecordedRefusal[]): Promise<void> {
    await Promise.all(refused.map((one) => this.#batcher.add(one))).catch((error) => {
      this.#log[levelOf(error, 'warn')]({ error }, 'policies: recording a refusal failed')
    })
  }

  /** A call that a policy leaves no room for, such as that for another key. */
  noteOperation(ref: PolicyRef, operation: string): Promise<void> {
    const { team, policyId } = ref
    return this.note({
      team,
      policyId,
      refusal: { rule: 'operation' },
      email: { from: '', recipients: [], subject: operation },
    })
  }
}
