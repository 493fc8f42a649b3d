import type { HttpOutcome } from '../../../adapters/outgoing-http/outgoing-http.ts'
import type { Database } from '../../../kernel/db/database.ts'
import { sql } from '../../../kernel/db/sql.ts'
import { eventsOf } from '../../../kernel/outbox/events.ts'
import { isSandbox } from '../../../platform/ids.ts'
import { TIMEOUT_MS, type WebhookFaults } from '../../webhooks/delivery/attempt.ts'
import type { Claimed } from '../../webhooks/delivery/queries.ts'
import { chanceOf, occurs } from './chance.ts'
import { isWithin } from './rules.ts'
import type { WebhookRule } from './scenario.ts'
import type { Scenarios } from './scenarios.ts'

type Row = Pick<Claimed, 'team' | 'eventId' | 'type' | 'endpoint' | 'failures'>

/** What keeps events of a sandbox from their endpoints. Nothing is posted then, and nobody waits for an answer that does not come. */
export function webhookFaults(db: Database, scenarios: Pick<Scenarios, 'of'>): WebhookFaults {
  const ofSandbox = async (row: Row) => {
    const scenario = await scenarios.of(row.team)
    const attempt = row.failures + 1
    for (const [place, rule] of (scenario?.webhooks ?? []).entries()) {
      if (!fits(rule, row)) continue
      const { probability } = rule.match ?? {}
      const isOpen = probability !== undefined && probability > 0 && probability < 1
      const number = isOpen ? await numberOf(db, row) : 0
      const chance = () => chanceOf(scenario!.seed, 'webhook', place, row.type, number, attempt)
      if (occurs(probability, chance)) return faultOf(rule)
    }
    return null
  }
  return { of: (row) => (isSandbox(row.team) ? ofSandbox(row) : null) }
}

export function fits({ match = {}, outcome }: WebhookRule, { endpoint, type, failures }: Row): boolean {
  const attempt = failures + 1
  return (
    (match.endpoint === undefined || endpoint.includes(match.endpoint)) &&
    (match.event === undefined || match.event === type) &&
    isWithin(match.attempt, attempt) &&
    attempt <= (outcome.times ?? Number.POSITIVE_INFINITY)
  )
}

function faultOf({ outcome }: WebhookRule): { outcome: HttpOutcome; durationMs: number } {
  if (outcome.times_out)
    return {
      outcome: { kind: 'timed_out', reason: `no answer within ${TIMEOUT_MS} ms` },
      durationMs: TIMEOUT_MS,
    }
  if (outcome.connection_lost)
    return { outcome: { kind: 'failed', reason: 'the connection was closed (scenario)' }, durationMs: 0 }
  return { outcome: { kind: 'answered', status: outcome.status!, headers: {}, body: Buffer.alloc(0) }, durationMs: 0 }
}

/** Which of its type an event is, in the sandbox: ids differ from story to story. */
async function numberOf(db: Database, { team, type, eventId }: Row): Promise<number> {
  const [row] = await db.queryPooled<{ number: number }>(sql`
    select count(*)::int as number from ${eventsOf(team)} and o.type = ${type} and o.id <= ${eventId}`)
  return row!.number
}
