import type { Static } from 'typebox'
import type { Queryable } from '../../kernel/db/database.ts'
import { rowsOf } from '../../kernel/db/rows.ts'
import { sql } from '../../kernel/db/sql.ts'
import type { PolicyHolder } from '../../kernel/http/policy-page.ts'
import { firstIdAt } from '../../platform/ids.ts'
import { joinEmail } from '../emails/reads.ts'
import { hintFor } from './hint.ts'
import { currentMinute, type PolicyRef, readPolicies, readUses } from './queries.ts'
import { PolicyActivity, RECORDED_RULES } from './schema.ts'
import { DAY_MINUTES, HOUR_MINUTES } from './timeline.ts'

type Activity = Static<typeof PolicyActivity>

const SHOWN_DAYS = 30
const MAX_SHOWN = 100
const DAY_MS = 86_400_000

/** What changes it. */
export const ACTIVITY_EVENTS = /^(?:email\.(?:sent|scheduled)|approval\..*|policy\.refused)$/

/** What a request is asked, of whatever endpoint it is. */
interface ActivityRequest<Params> {
  readonly params: Params
  readonly services: { readonly db: Queryable }
  readonly actor: { readonly team: string }
}

/** What the endpoints have in common that tell what a key, an app or an inbox's agent did. `findId` gives the id of whoever it is, if there is one. */
export const activityOf = <Params>(
  holder: PolicyHolder,
  findId: (db: Queryable, team: string, params: Params) => Promise<string>,
) => ({
  description: `Emails, recipients and refusals of the last ${SHOWN_DAYS} days; the newest emails and refusals.`,
  reply: PolicyActivity,
  run: async ({ params, services: { db }, actor: { team } }: ActivityRequest<Params>) =>
    readActivity(db, { team, policyId: await findId(db, team, params), holder }),
})

/** What was done under a policy. Of one that is gone, what is kept of it. */
async function readActivity(db: Queryable, ref: PolicyRef & { readonly holder: PolicyHolder }): Promise<Activity> {
  const [stored] = await readPolicies(db, [ref])
  const minute = currentMinute(db, ref.team)
  const counted = {
    team: ref.team,
    policyId: ref.policyId,
    person: null,
    from: minute - DAY_MINUTES,
    to: minute + DAY_MINUTES,
  }
  const used = (await readUses(db, [counted]))[0]!.timeline
  return {
    object: 'policy_activity',
    id: ref.policyId,
    holder: ref.holder,
    policy: stored?.policy ?? null,
    hint: await hintFor(db, ref.team, stored?.policy),
    used: {
      emails_last_hour: used.fullest([minute], HOUR_MINUTES),
      emails_last_day: used.fullest([minute], DAY_MINUTES),
    },
    data: await readDays(db, ref),
    refusals: await readRefusals(db, ref),
    emails: await readEmails(db, ref),
  }
}

/** A range of ids for each day: when an email was accepted is in its id. */
function readDays(db: Queryable, { team, policyId }: PolicyRef): Promise<Activity['data']> {
  const today = Math.floor(db.clock.of(team).now().getTime() / DAY_MS)
  const days = Array.from({ length: SHOWN_DAYS }, (_, back) => {
    const [from, to] = [today - back, today - back + 1].map((day) => new Date(day * DAY_MS)) as [Date, Date]
    const ids = { firstId: firstIdAt(from, team), endId: firstIdAt(to, team) }
    return { date: from.toISOString().slice(0, 10), from, to, ...ids }
  })
  const columns = { date: 'text', from: 'timestamptz', to: 'timestamptz', firstId: 'uuid', endId: 'uuid' } as const
  return db.query(sql`
    select day.date, sent.emails, sent.recipients, refused.refusals, sent.held
    from ${rowsOf(days, columns, 'day')}
    cross join lateral (
      select count(*)::float8 as emails, coalesce(sum(e.recipients), 0)::float8 as recipients,
        count(*) filter (where e.is_held)::float8 as held
      from policy_emails e where e.team_id = ${team} and e.policy_id = ${policyId} and e.recipients > 0
        and e.email_id >= day."firstId" and e.email_id < day."endId") sent
    cross join lateral (
      select coalesce(sum(r.emails), 0)::float8 as refusals from policy_refusals r
      where r.team_id = ${team} and r.policy_id = ${policyId} and r.rule = any (${[...RECORDED_RULES]}::text[])
        and r.minute >= day."from" and r.minute < day."to" and not r.is_dry_run) refused
    order by day.date`)
}

/** The newest of each rule, by the key, and of these the newest. */
const readRefusals = (db: Queryable, { team, policyId }: PolicyRef): Promise<Activity['refusals']> =>
  db.query(sql`
    select newest.rule, newest.emails, newest.is_dry_run, wire_time(newest.minute) as last_at,
      newest.last_from as "from", newest.last_recipients as recipients, newest.last_subject as subject,
      newest.samples
    from unnest(${[...RECORDED_RULES]}::text[]) as one (rule)
    cross join lateral (
      select r.* from policy_refusals r where r.team_id = ${team} and r.policy_id = ${policyId} and r.rule = one.rule
      order by r.minute desc limit ${MAX_SHOWN}) newest
    order by newest.minute desc, newest.rule limit ${MAX_SHOWN}`)

const readEmails = (db: Queryable, { team, policyId }: PolicyRef): Promise<Activity['emails']> =>
  db.query(sql`
    select e.id, e."to", e.subject, e.last_event, wire_time(e.created_at) as created_at
    from (
      select p.email_id from policy_emails p where p.team_id = ${team} and p.policy_id = ${policyId} and p.recipients > 0
      order by p.email_id desc limit ${MAX_SHOWN}) newest
    ${joinEmail({ team: sql`${team}::uuid`, id: sql`newest.email_id` })}
    order by e.id desc`)
