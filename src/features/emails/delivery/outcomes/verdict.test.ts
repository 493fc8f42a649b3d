import { describe, expect, test } from 'vitest'
import type { Claimed } from '../ledger/queries.ts'
import { consequenceOf, isTestAddress, testVerdict, untried, type Verdict } from './verdict.ts'

const NOW = new Date('2026-07-01T12:00:00Z')
const in72Hours = new Date(NOW.getTime() + 72 * 3_600_000)

const ROW: Claimed = {
  team: 'team',
  emailId: 'email',
  position: 0,
  recipient: 'ada@example.com',
  attempts: 1,
  isUnanswered: true,
  holder: 1,
  claims: 1,
  dueAt: NOW,
  giveUpAt: in72Hours,
  parkedFor: null,
  destination: null,
}

const judge = (verdict: Verdict, row: Partial<Claimed> = {}) => {
  const { settledRow, events, suppression } = consequenceOf({ ...ROW, ...row }, verdict, { now: NOW })
  return {
    state: settledRow.state,
    dueInSeconds: settledRow.dueAt && (settledRow.dueAt.getTime() - NOW.getTime()) / 1_000,
    reply: settledRow.reply,
    isAttempt: settledRow.isAttempt,
    events: events.map(({ type }) => type),
    extra: events.at(-1)?.extra,
    suppression,
  }
}

const bounce = (type: 'Permanent' | 'Transient' | 'Undetermined'): Verdict => ({
  kind: 'bounced',
  reply: '550 5.1.1 No',
  bounce: { type, subType: 'General' },
})

describe('a verdict', () => {
  test('of delivered ends the row', () => {
    expect(judge({ kind: 'delivered', reply: '250 Ok' })).toMatchObject({
      state: 'delivered',
      dueInSeconds: null,
      reply: '250 Ok',
      isAttempt: true,
      events: ['email.delivered'],
      suppression: null,
    })
  })

  test('of complained was delivered first', () => {
    expect(judge({ kind: 'complained', reply: '250 Ok' })).toMatchObject({
      state: 'delivered',
      events: ['email.delivered', 'email.complained'],
    })
  })

  test('of bounced suppresses the address only when it is the address that is wrong', () => {
    const suppression = { email: 'ada@example.com', origin: 'bounce', sourceId: 'email' }

    expect(judge(bounce('Permanent'))).toMatchObject({ state: 'bounced', events: ['email.bounced'], suppression })
    expect(judge(bounce('Transient')).suppression).toBeNull()
    expect(judge(bounce('Undetermined')).suppression).toBeNull()
    expect(judge(bounce('Permanent'), { recipient: 'bounced+x@resend.dev' }).suppression).toBeNull()
    expect(judge(bounce('Permanent')).extra).toEqual({
      bounce: {
        message: '550 5.1.1 No',
        type: 'Permanent',
        subType: 'General',
        diagnosticCode: ['smtp; 550 5.1.1 No'],
      },
    })
  })

  test('of deferred waits by the retry schedule, and tells the outside the first time', () => {
    const deferred: Verdict = { kind: 'deferred', reply: '450 Later', isThrottled: false }

    expect(judge(deferred)).toMatchObject({
      state: 'waiting',
      dueInSeconds: 60,
      isAttempt: true,
      events: ['email.delivery_delayed'],
    })
    expect(judge(deferred, { attempts: 2, isUnanswered: true }).events).toEqual(['email.delivery_delayed'])
    expect(judge(deferred, { attempts: 3, isUnanswered: false })).toMatchObject({ dueInSeconds: 900, events: [] })
    expect(judge({ ...deferred, retryAfterSeconds: 300 }).dueInSeconds).toBe(300)
  })

  test('of deferred is a bounce when its time is over', () => {
    const deferred: Verdict = { kind: 'deferred', reply: '450 Later', isThrottled: false }

    expect(judge(deferred, { giveUpAt: NOW, attempts: 18, isUnanswered: false })).toMatchObject({
      state: 'bounced',
      dueInSeconds: null,
      events: ['email.bounced'],
      extra: { bounce: { type: 'Transient', message: '450 Later' } },
      suppression: null,
    })
  })

  test('of suppressed says why the address is on the list', () => {
    const reasonOf = (origin: 'bounce' | 'complaint' | 'manual') =>
      (judge({ kind: 'suppressed', origin }).extra as { suppressed: { reason?: string } }).suppressed.reason

    expect(judge({ kind: 'suppressed', origin: 'manual' })).toMatchObject({
      state: 'suppressed',
      events: ['email.suppressed'],
    })
    expect([reasonOf('bounce'), reasonOf('complaint'), reasonOf('manual')]).toEqual([
      'previous_bounce',
      'previous_complaint',
      undefined,
    ])
  })

  test('of failed gives the reason', () => {
    expect(judge({ kind: 'failed', reason: 'no key' })).toMatchObject({
      state: 'failed',
      reply: 'no key',
      events: ['email.failed'],
      extra: { failed: { reason: 'no key' } },
    })
  })

  test('of postponed ends with a bounce when all its time is over', () => {
    expect(judge({ kind: 'postponed', seconds: 42 }, { giveUpAt: NOW })).toMatchObject({
      state: 'bounced',
      events: ['email.bounced'],
      suppression: null,
    })
  })

  test('of postponed is none: nothing is counted and nobody is told', () => {
    expect(judge({ kind: 'postponed', seconds: 42 })).toMatchObject({
      state: 'waiting',
      dueInSeconds: 42,
      isAttempt: false,
      events: [],
      suppression: null,
    })
  })
})

test('a fault of ours is not one of the mail: a service that is away is waited for, anything else is tried by the retry schedule', () => {
  const away = Object.assign(new Error('gone'), { code: 'ECONNREFUSED' })

  expect(untried(away)).toEqual({ kind: 'postponed', seconds: 60 })
  expect(untried(new Error('lost'))).toEqual({
    kind: 'deferred',
    reply: '451 4.3.0 Not tried: lost',
    isThrottled: false,
  })
})

test('test addresses are those of one domain, with any label', () => {
  const kinds = Object.fromEntries(
    ['delivered', 'bounced+a+b', 'Complained+', 'SUPPRESSED', 'other', 'xdelivered'].map((name) => [
      name,
      testVerdict(`${name}@resend.dev`)?.kind ?? null,
    ]),
  )

  expect(kinds).toEqual({
    delivered: 'delivered',
    'bounced+a+b': 'bounced',
    'Complained+': 'complained',
    SUPPRESSED: 'suppressed',
    other: null,
    xdelivered: null,
  })
  for (const address of ['delivered@example.com', 'delivered@resend.dev.example.com', 'delivered+@x@resend.dev'])
    expect(isTestAddress(address), address).toBe(false)
})
