import fc from 'fast-check'
import { expect, test } from 'vitest'
import { addVerifiedDomain, sendEmail, startAcme } from '../../../test/harness/emails.ts'
import { newId } from '../../../test/harness/ids.ts'
import { raw, sql } from '../../kernel/db/sql.ts'
import { foldEvents } from './fold.ts'
import type { Count } from './names.ts'

// The answers of the database beside a count that is slow and obviously right.

const TYPES = [
  'email.sent',
  'email.delivered',
  'email.bounced',
  'email.failed',
  'email.delivery_delayed',
  'email.opened',
  'email.clicked',
  'email.scheduled',
] as const
const BROADCASTS = [newId(), newId(), null, null] as const
/** Both changes of the clocks of the year, an offset of half an hour, one of three quarters, and none. */
const ZONES = ['UTC', 'Europe/Berlin', 'America/New_York', 'Asia/Kolkata', 'Australia/Lord_Howe', 'Asia/Kathmandu']
const FROM = Date.parse('2025-03-01T00:00:00Z')
const TO = Date.parse('2025-12-01T00:00:00Z')
const HOUR = 3_600_000

interface CountedEvent {
  readonly type: (typeof TYPES)[number]
  /** Which of four emails. */
  readonly email: number
  readonly at: number
  readonly bounce: 'Permanent' | 'Transient' | 'Undetermined'
  readonly isByPerson: boolean
  /** Everything before it is counted before it happens. */
  readonly isLate: boolean
}

const countedEvent: fc.Arbitrary<CountedEvent> = fc.record({
  type: fc.constantFrom(...TYPES),
  email: fc.nat(BROADCASTS.length - 1),
  // Near the changes of the clocks in Berlin and New York more often than not.
  at: fc.oneof(
    fc.integer({ min: FROM, max: TO }),
    fc.integer({ min: Date.parse('2025-03-29T20:00Z'), max: Date.parse('2025-03-30T08:00Z') }),
    fc.integer({ min: Date.parse('2025-10-25T20:00Z'), max: Date.parse('2025-10-26T08:00Z') }),
    fc.integer({ min: Date.parse('2025-11-01T22:00Z'), max: Date.parse('2025-11-02T10:00Z') }),
  ),
  bounce: fc.constantFrom('Permanent', 'Transient', 'Undetermined'),
  isByPerson: fc.boolean(),
  isLate: fc.boolean(),
})

/** What the clock on the wall says there, as if it were UTC. */
function wallClock(at: number, timeZone: string): Date {
  const parts = new Intl.DateTimeFormat('en-US', {
    timeZone,
    hourCycle: 'h23',
    ...{ year: 'numeric', month: 'numeric', day: 'numeric', hour: 'numeric', minute: 'numeric', second: 'numeric' },
  } as Intl.DateTimeFormatOptions).formatToParts(at)
  const [year, month, day, hour, minute, second] = ['year', 'month', 'day', 'hour', 'minute', 'second'].map((type) =>
    Number(parts.find((part) => part.type === type)!.value),
  ) as [number, number, number, number, number, number]
  return new Date(Date.UTC(year, month - 1, day, hour, minute, second, at % 1_000))
}

/** The name of the period that a moment is in: its first day there, or the moment at which its hour began. */
function periodOf(at: number, granularity: string, timeZone: string): string {
  const wall = wallClock(at, timeZone)
  if (granularity === 'hourly') return new Date(at - (wall.getTime() % HOUR)).toISOString()
  const day = new Date(Date.UTC(wall.getUTCFullYear(), wall.getUTCMonth(), wall.getUTCDate()))
  if (granularity === 'weekly') day.setUTCDate(day.getUTCDate() - ((day.getUTCDay() + 6) % 7))
  if (granularity === 'monthly') day.setUTCDate(1)
  return day.toISOString().slice(0, 10)
}

/** Something that counts, at its moment. */
interface Counted {
  readonly metric: Count
  readonly email: number
  readonly at: number
}

function metricsOf({ type, bounce, isByPerson }: CountedEvent): Count[] {
  switch (type) {
    case 'email.bounced':
      return ['bounced', `bounced_${bounce.toLowerCase()}` as Count]
    case 'email.opened':
      return isByPerson ? ['opened', 'unique_opened'] : []
    case 'email.clicked':
      return isByPerson ? ['clicked', 'unique_clicked'] : []
    case 'email.scheduled':
      return []
    default:
      return [type.slice('email.'.length) as Count]
  }
}

/** Opens and clicks each time, everything else when it happened to the email first. */
function countSlowly(events: readonly CountedEvent[]): Counted[] {
  const all = events.flatMap((one) => metricsOf(one).map((metric) => ({ metric, email: one.email, at: one.at })))
  const isFirst = (one: Counted, index: number) =>
    !all.some(
      ({ metric, email, at }, other) =>
        metric === one.metric && email === one.email && (at < one.at || (at === one.at && other < index)),
    )
  return all.filter((one, index) => one.metric === 'opened' || one.metric === 'clicked' || isFirst(one, index))
}

function numbersOf(counted: readonly Counted[]) {
  const of = (metric: Count) => counted.filter((one) => one.metric === metric).length
  const rate = (part: number, whole: number) => (whole === 0 ? 0 : Math.round((part / whole) * 10_000) / 100)
  return {
    sent: of('sent'),
    delivered: of('delivered'),
    bounced: of('bounced'),
    bounced_permanent: of('bounced_permanent'),
    bounced_transient: of('bounced_transient'),
    bounced_undetermined: of('bounced_undetermined'),
    failed: of('failed'),
    delivery_delayed: of('delivery_delayed'),
    opened: of('opened'),
    unique_opened: of('unique_opened'),
    clicked: of('clicked'),
    unique_clicked: of('unique_clicked'),
    delivery_rate: rate(of('delivered'), of('sent')),
    bounce_rate: rate(of('bounced'), of('sent')),
    open_rate: rate(of('unique_opened'), of('delivered')),
    click_rate: rate(of('unique_clicked'), of('delivered')),
  }
}

const METRICS = Object.keys(numbersOf([])).join()
const DIMENSIONS = [
  'period',
  'period,domain',
  'email,period',
  'broadcast',
  'domain,broadcast,period',
  'domain',
] as const

test('totals and rows are those of a slow count, in every time zone and granularity, however late events come', async () => {
  const { app, acme } = await startAcme()
  const domains = [await addVerifiedDomain(app, acme, 'one.dev'), await addVerifiedDomain(app, acme, 'two.dev'), null]
  const senders = ['one.dev', 'two.dev', 'one.dev', 'nobody.dev']
  const emails = await Promise.all(senders.map((name) => sendEmail(acme, { from: `a@${name}` })))
  const domainOf = (email: number) => [domains[0], domains[1], domains[0], null][email] ?? null

  const write = ({ type, email, at, bounce, isByPerson }: CountedEvent) =>
    app.db.query(sql`
      insert into outbox (team_id, id, type, data, about, created_at)
      values (${acme.team}, ${newId()}, ${type}, ${JSON.stringify({
        bounce: { type: bounce },
        verdict: { is_counted: isByPerson },
        ...(BROADCASTS[email] && { broadcast_id: BROADCASTS[email] }),
      })}, ${emails[email]}, ${new Date(at)})`)

  const happen = async (events: readonly CountedEvent[]) => {
    for (const table of ['outbox', 'uncounted_batches', 'metric_facts', 'metric_counts', 'metric_sums'])
      await app.db.query(sql`delete from ${raw(table)} where team_id = ${acme.team}`)
    for (const one of events) {
      if (one.isLate) await foldEvents(app.db, acme.team, 1_000)
      await write(one)
    }
  }

  const property = fc.asyncProperty(
    fc.array(countedEvent, { maxLength: 40 }),
    fc.constantFrom(...ZONES),
    fc.constantFrom('hourly', 'daily', 'weekly', 'monthly'),
    fc.tuple(fc.integer({ min: FROM, max: TO }), fc.integer({ min: FROM, max: TO })),
    fc.constantFrom(...DIMENSIONS),
    async (events, zone, granularity, moments, dimensions) => {
      const [start, end] = moments.sort((a, b) => a - b)
      await happen(events)
      const query = new URLSearchParams({
        start_date: new Date(start).toISOString(),
        end_date: new Date(end).toISOString(),
        timezone: zone,
        granularity,
        metrics: METRICS,
        dimensions,
      })

      const { body } = await acme.get(`/emails/metrics?${query}`)

      const within = countSlowly(events).filter(({ at }) => at >= start && at <= end)
      const has = (name: string) => dimensions.split(',').includes(name)
      const groups = new Map<string, Counted[]>()
      for (const one of within) {
        const name = [
          has('period') && periodOf(one.at, granularity, zone),
          has('email') && emails[one.email],
          has('domain') && domainOf(one.email),
          has('broadcast') && BROADCASTS[one.email],
        ].join(' ')
        groups.set(name, [...(groups.get(name) ?? []), one])
      }
      const answered = body.data.map(
        ({ period, email_id, domain_id, domain_name, broadcast_id, broadcast_name, ...numbers }: Row) => [
          [
            has('period') && periodOf(Date.parse(period!), granularity, zone),
            has('email') && email_id,
            has('domain') && domain_id,
            has('broadcast') && broadcast_id,
          ].join(' '),
          numbers,
        ],
      )
      expect(body.totals).toEqual(numbersOf(within))
      expect(Object.fromEntries(answered)).toEqual(
        Object.fromEntries([...groups].map(([name, group]) => [name, numbersOf(group)])),
      )
      expect(answered).toHaveLength(groups.size)
      for (const { period } of has('period') ? (body.data as { period: string }[]) : [])
        expect(periodOf(Date.parse(period) - 1, granularity, zone)).not.toBe(
          periodOf(Date.parse(period), granularity, zone),
        )
    },
  )
  await fc.assert(property, { numRuns: 60 })
})

type Row = Record<string, string>
