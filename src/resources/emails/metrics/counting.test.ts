import fc from 'fast-check'
import { expect, test } from 'vitest'
import { startAcme } from '../../../../test/harness/emails.ts'
import { sql } from '../../../platform/db/sql.ts'
import { newId } from '../../../platform/ids.ts'

// The answers of the database beside a count that is slow and obviously right.

const TYPES = ['email.sent', 'email.delivered', 'email.bounced', 'email.failed', 'email.delivery_delayed'] as const
const EMAILS = Array.from({ length: 4 }, newId)
/** Both changes of the clocks of the year, an offset of half an hour, one of three quarters, and none. */
const ZONES = ['UTC', 'Europe/Berlin', 'America/New_York', 'Asia/Kolkata', 'Australia/Lord_Howe', 'Asia/Kathmandu']
const FROM = Date.parse('2025-03-01T00:00:00Z')
const TO = Date.parse('2025-12-01T00:00:00Z')
const HOUR = 3_600_000

interface Happening {
  readonly type: (typeof TYPES)[number]
  readonly email: string
  readonly at: number
  readonly bounce: 'Permanent' | 'Transient' | 'Undetermined'
}

const happening: fc.Arbitrary<Happening> = fc.record({
  type: fc.constantFrom(...TYPES),
  email: fc.constantFrom(...EMAILS),
  // Near the changes of the clocks in Berlin and New York more often than not.
  at: fc.oneof(
    fc.integer({ min: FROM, max: TO }),
    fc.integer({ min: Date.parse('2025-03-29T20:00Z'), max: Date.parse('2025-03-30T08:00Z') }),
    fc.integer({ min: Date.parse('2025-10-25T20:00Z'), max: Date.parse('2025-10-26T08:00Z') }),
    fc.integer({ min: Date.parse('2025-11-01T22:00Z'), max: Date.parse('2025-11-02T10:00Z') }),
  ),
  bounce: fc.constantFrom('Permanent', 'Transient', 'Undetermined'),
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

function countSlowly(happenings: readonly Happening[]) {
  const emailsWith = (is: (one: Happening) => boolean) => new Set(happenings.filter(is).map(({ email }) => email)).size
  const bounced = (type: string) => emailsWith((one) => one.type === 'email.bounced' && one.bounce === type)
  const of = (type: string) => emailsWith((one) => one.type === type)
  const rate = (part: number, whole: number) => (whole === 0 ? 0 : Math.round((part / whole) * 10_000) / 100)
  return {
    sent: of('email.sent'),
    delivered: of('email.delivered'),
    bounced: of('email.bounced'),
    bounced_permanent: bounced('Permanent'),
    bounced_transient: bounced('Transient'),
    bounced_undetermined: bounced('Undetermined'),
    failed: of('email.failed'),
    delivery_delayed: of('email.delivery_delayed'),
    delivery_rate: rate(of('email.delivered'), of('email.sent')),
    bounce_rate: rate(of('email.bounced'), of('email.sent')),
  }
}

const METRICS = Object.keys(countSlowly([])).join()

test('totals and rows are those of a slow count, in every time zone and granularity', async () => {
  const { app, acme } = await startAcme()
  const happen = async (happenings: readonly Happening[]) => {
    await app.db.query(sql`delete from outbox where team_id = ${acme.team}`)
    await app.db.query(sql`
      insert into outbox (team_id, id, type, data, about, created_at)
      select ${acme.team}, id, type, json_build_object('bounce', json_build_object('type', bounce)), email, at
      from unnest(${happenings.map(() => newId())}::uuid[], ${happenings.map(({ type }) => type)}::text[],
        ${happenings.map(({ bounce }) => bounce)}::text[], ${happenings.map(({ email }) => email)}::uuid[],
        ${happenings.map(({ at }) => new Date(at))}::timestamptz[]) as given (id, type, bounce, email, at)`)
  }

  const property = fc.asyncProperty(
    fc.array(happening, { maxLength: 40 }),
    fc.constantFrom(...ZONES),
    fc.constantFrom('hourly', 'daily', 'weekly', 'monthly'),
    fc.tuple(fc.integer({ min: FROM, max: TO }), fc.integer({ min: FROM, max: TO })),
    fc.boolean(),
    async (happenings, zone, granularity, moments, isByEmail) => {
      const [start, end] = moments.sort((a, b) => a - b)
      await happen(happenings)
      const query = new URLSearchParams({
        start_date: new Date(start).toISOString(),
        end_date: new Date(end).toISOString(),
        timezone: zone,
        granularity,
        metrics: METRICS,
        dimensions: isByEmail ? 'period,email' : 'period',
      })

      const { body } = await acme.get(`/emails/metrics?${query}`)

      const within = happenings.filter(({ at }) => at >= start && at <= end)
      const groups = new Map<string, Happening[]>()
      for (const one of within) {
        const name = `${periodOf(one.at, granularity, zone)} ${isByEmail ? one.email : ''}`
        groups.set(name, [...(groups.get(name) ?? []), one])
      }
      const answered = body.data.map(({ period, email_id, ...numbers }: Record<string, string>) => [
        `${periodOf(Date.parse(period!), granularity, zone)} ${email_id ?? ''}`,
        numbers,
      ])
      expect(body.totals).toEqual(countSlowly(within))
      expect(Object.fromEntries(answered)).toEqual(
        Object.fromEntries([...groups].map(([name, group]) => [name, countSlowly(group)])),
      )
      expect(answered).toHaveLength(groups.size)
      for (const { period } of body.data as { period: string }[])
        expect(periodOf(Date.parse(period) - 1, granularity, zone)).not.toBe(
          periodOf(Date.parse(period), granularity, zone),
        )
    },
  )
  await fc.assert(property, { numRuns: 60 })
})
