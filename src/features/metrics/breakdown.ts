import Type from 'typebox'
import type { Database } from '../../kernel/db/database.ts'
import { join, raw, type Sql, sql } from '../../kernel/db/sql.ts'
import { oneOf } from '../../kernel/http/shapes.ts'
import { MAILBOX_DOMAINS } from '../../mail/mailbox-domains.ts'
import { firstIdAt } from '../../platform/ids.ts'
import { endpoint } from '../definitions.ts'
import { emailsOf, recipientsOf } from '../emails/reads.ts'
import { foldEvents } from './fold.ts'
import { type Count, metricsOf } from './names.ts'
import { readDates } from './question.ts'

/** What emails are grouped by that counters do not know: they are read one by one, so only so many of the newest. */
export const MAX_EMAILS = 20_000
const MAX_GROUPS = 100
const MAX_UNCOUNTED_EVENTS = 10_000

const GROUPS = ['tag', 'recipient_domain', 'provider'] as const

const SHOWN = [
  ...(['sent', 'delivered', 'bounced', 'complained', 'unique_opened', 'unique_clicked'] as const),
  ...(['delivery_rate', 'bounce_rate', 'complaint_rate', 'open_rate', 'click_rate'] as const),
]
const SUMMED = ['sent', 'delivered', 'bounced', 'complained', 'unique_opened', 'unique_clicked'] as const

const Breakdown = Type.Object(
  {
    object: Type.Literal('metrics_breakdown'),
    start_date: Type.String(),
    end_date: Type.String(),
    by: oneOf(GROUPS),
    is_complete: Type.Boolean({
      description: `False: the range has more than ${MAX_EMAILS} emails, and these are the newest of them.`,
    }),
    data: Type.Array(
      Type.Object({
        value: Type.String({ examples: ['category=welcome', 'example.com', 'gmail'] }),
        ...Object.fromEntries(SHOWN.map((name) => [name, Type.Number()])),
      } as { value: ReturnType<typeof Type.String> } & Record<(typeof SHOWN)[number], ReturnType<typeof Type.Number>>),
    ),
  },
  { title: 'MetricsBreakdown' },
)

export const breakdownEndpoint = endpoint({
  id: 'emails.metrics.breakdown',
  route: 'GET /emails/metrics/breakdown',
  summary: 'Retrieve email metrics by tag, recipient domain or provider',
  description:
    'Emails that were accepted within the range, by what they are tagged with or where they went to: the domain, or the provider of its mailboxes where that is a large one.',
  query: Type.Object({
    by: oneOf(GROUPS),
    start_date: Type.Optional(Type.String()),
    end_date: Type.Optional(Type.String()),
  }),
  reply: Breakdown,
  async run({ query, services: { db, clock }, actor: { team } }) {
    const { start, end } = readDates(query, clock.of(team).now())
    await foldEvents(db, team, MAX_UNCOUNTED_EVENTS)
    const { size, groups } = await readGroups(db, { team, by: query.by, start, end })
    return {
      object: 'metrics_breakdown' as const,
      start_date: start.toISOString(),
      end_date: end.toISOString(),
      by: query.by,
      is_complete: size <= MAX_EMAILS,
      data: groups.map(({ value, ...counts }) => ({
        value,
        ...(metricsOf(counts, SHOWN) as Record<(typeof SHOWN)[number], number>),
      })),
    }
  },
})

interface BreakdownRange {
  readonly team: string
  readonly by: (typeof GROUPS)[number]
  readonly start: Date
  readonly end: Date
}

type Group = { readonly value: string } & Readonly<Partial<Record<Count, number>>>

/** Ids are in the order of time. What happened to an email is looked up by its key. */
async function readGroups(db: Database, { team, by, start, end }: BreakdownRange) {
  const inRange = sql`e.id >= ${firstIdAt(start, team)} and e.id < ${firstIdAt(new Date(end.getTime() + 1), team)}`
  const [found] = await db.search<{ size: number; groups: Group[] | null }>(sql`
    with chosen as materialized (
      select e.team_id, e.id, e.tags from ${emailsOf(team)} and ${inRange} order by e.id desc limit ${raw(String(MAX_EMAILS + 1))}),
    grouped as (
      select ${VALUES[by].value} as value, ${join(
        SUMMED.map((name) => raw(`sum((f.metric = '${name}')::int)::int as ${name}`)),
        ', ',
      )}
      from (select * from chosen limit ${raw(String(MAX_EMAILS))}) e ${VALUES[by].from}
      join metric_facts f on f.team_id = e.team_id and f.email_id = e.id and f.metric = any (${SUMMED}::metric[])
      group by 1 order by sent desc, value limit ${MAX_GROUPS})
    select (select count(*)::int from chosen) as size, (select json_agg(grouped) from grouped) as groups`)
  return { size: found!.size, groups: found!.groups ?? [] }
}

const DOMAIN = sql`lower(split_part(d.recipient, '@', 2))`

const PROVIDER = sql`case ${join(
  Object.entries(MAILBOX_DOMAINS).map(([name, pattern]) => sql`when ${DOMAIN} ~ ${pattern} then ${name}`),
  ' ',
)} else ${DOMAIN} end`

function wentTo(place: Sql): Sql {
  return sql`cross join lateral (
    select distinct ${place} as place from ${recipientsOf({ team: sql`e.team_id`, id: sql`e.id` })}) went`
}

/** An email counts once for each of its tags, and once for each domain or provider that it went to. */
const VALUES: Record<(typeof GROUPS)[number], { readonly value: Sql; readonly from: Sql }> = {
  tag: {
    value: sql`(tagged.tag ->> 'name') || '=' || (tagged.tag ->> 'value')`,
    from: sql`cross join lateral (select e.team_id, tag from jsonb_array_elements(e.tags) tag) tagged`,
  },
  recipient_domain: { value: sql`went.place`, from: wentTo(DOMAIN) },
  provider: { value: sql`went.place`, from: wentTo(PROVIDER) },
}
