import { describe, expect, test } from 'vitest'
import { neededRecords, type Purpose } from './records.ts'
import type { RecordStatus } from './schema.ts'
import { begin, type Checks, type Finding, hasChanged, judge, learn, nextCheckAt } from './status.ts'

const NOW = new Date('2026-11-15T12:00:00Z')
const hours = (count: number) => new Date(NOW.getTime() + count * 3_600_000)
const minutes = (count: number) => hours(count / 60)

const installation = { mailHost: 'mx.postwren.test', webHost: 'post.test', spf: 'a:mx.postwren.test' }
const records = neededRecords(
  {
    id: '01890000-0000-7000-8000-000000000001',
    name: 'example.com',
    return_path: 'send',
    tracking_subdomain: 'links',
    sending: true,
    receiving: true,
    receiving_proof: 'dkim',
    keys: [{ selector: 'postwren', public_record: 'v=DKIM1; k=rsa; p=abc', state: 'active' }],
  },
  installation,
)

/** Every record of a purpose has this status. */
const checksOf = (statuses: Partial<Record<Purpose, RecordStatus>>): Checks =>
  Object.fromEntries(
    records.flatMap(({ key, purpose }) => {
      const status = statuses[purpose]
      return status ? [[key, { status, since: NOW.toISOString() }]] : []
    }),
  )

describe('a domain', () => {
  test.each([
    ['not_started', {}],
    ['pending', { sending: 'pending', receiving: 'pending' }],
    ['pending', { sending: 'pending', receiving: 'failed' }],
    ['verified', { sending: 'verified', receiving: 'verified' }],
    ['verified', { sending: 'verified', receiving: 'temporary_failure' }],
    ['verified', { sending: 'verified', receiving: 'verified', tracking: 'failed' }],
    ['partially_verified', { sending: 'verified', receiving: 'pending' }],
    ['partially_verified', { sending: 'verified' }],
    // The key is the proof for receiving too.
    ['failed', { sending: 'failed', receiving: 'verified' }],
    ['pending', { sending: 'pending', receiving: 'verified' }],
    ['partially_failed', { sending: 'verified', receiving: 'failed' }],
    ['failed', { sending: 'failed', receiving: 'failed' }],
    ['failed', { sending: 'failed' }],
  ] as const)('is %s with %j', (status, statuses) => {
    expect(judge(checksOf(statuses), records).status).toBe(status)
  })

  test('is not verified while one of its records is not', () => {
    const checks = { ...checksOf({ sending: 'verified', receiving: 'verified' }) }
    checks['SPF TXT'] = { status: 'pending', since: NOW.toISOString() }

    expect(judge(checks, records)).toEqual({
      status: 'partially_verified',
      is_sending_verified: false,
      is_tracking_verified: false,
      is_receiving_proven: true,
    })
  })

  test('that only receives is judged by that alone', () => {
    const receiving = records.filter(({ purpose }) => purpose === 'receiving')

    expect(judge(checksOf({ receiving: 'verified' }), receiving)).toMatchObject({
      status: 'verified',
      is_sending_verified: false,
    })
  })
})

describe('a record', () => {
  const [record] = records
  const step = (status: RecordStatus, finding: Finding, now: Date) =>
    learn({ [record!.key]: { status, since: NOW.toISOString() } }, [record!], new Map([[record!.key, finding]]), now)[
      record!.key
    ]!.status

  test.each([
    ['pending', 'right', 1, 'verified'],
    ['pending', 'wrong', 71, 'pending'],
    ['pending', 'wrong', 72, 'failed'],
    ['pending', 'unknown', 72, 'failed'],
    ['verified', 'right', 1000, 'verified'],
    ['verified', 'wrong', 1000, 'temporary_failure'],
    ['verified', 'unknown', 1000, 'verified'],
    ['temporary_failure', 'right', 71, 'verified'],
    ['temporary_failure', 'wrong', 71, 'temporary_failure'],
    ['temporary_failure', 'wrong', 72, 'failed'],
    ['temporary_failure', 'unknown', 100, 'temporary_failure'],
    ['failed', 'wrong', 100, 'failed'],
    ['failed', 'right', 100, 'verified'],
  ] as const)('that is %s and found %s after %i hours is then %s', (before, finding, after, expected) => {
    expect(step(before, finding, hours(after))).toBe(expected)
  })

  test('keeps the time since when it is what it is', () => {
    const before = checksOf({ sending: 'pending' })

    const after = learn(before, records, new Map([['SPF MX', 'wrong']]), hours(5))

    expect(after).toEqual(before)
    expect(hasChanged(before, after)).toBe(false)
  })

  test('that is good stays so when verification begins again; the others get all their time anew', () => {
    const before = checksOf({ sending: 'verified', receiving: 'failed' })

    const after = begin(before, records, hours(5))

    expect(after['SPF MX']).toEqual(before['SPF MX'])
    expect(after['Receiving MX']).toEqual({ status: 'pending', since: hours(5).toISOString() })
    expect(after['Tracking CNAME']).toEqual({ status: 'pending', since: hours(5).toISOString() })
  })
})

describe('the next look', () => {
  test('comes soon at first, and later and later', () => {
    const checks = checksOf({ sending: 'pending' })

    expect(nextCheckAt(checks, NOW)).toEqual(minutes(1))
    expect(nextCheckAt(checks, minutes(10))).toEqual(minutes(15))
    expect(nextCheckAt(checks, hours(2))).toEqual(hours(2.5))
    expect(nextCheckAt(checks, hours(50))).toEqual(hours(52))
  })

  test('comes once a day when all is well, and never when all is lost', () => {
    expect(nextCheckAt(checksOf({ sending: 'verified', receiving: 'failed' }), NOW)).toEqual(hours(24))
    expect(nextCheckAt(checksOf({ sending: 'failed' }), NOW)).toBeNull()
    expect(nextCheckAt({}, NOW)).toBeNull()
  })
})
