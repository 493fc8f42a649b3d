import { expect, test } from 'vitest'
import { Room } from './quota.ts'
import { NO_LIMITS } from './team-limits.ts'

const used = (daily: number, monthly: number, received = 0) => ({
  daily: { sent: daily - received, received },
  monthly: { sent: monthly - received, received },
})

test('room is taken until it is used up, for the day and for the month', () => {
  const room = new Room({ ...NO_LIMITS, emailsPerDay: 10, emailsPerMonth: 100 }, used(7, 50))

  expect(room.recipients).toBe(3)
  expect(room.take(4)).toMatchObject({ period: 'day', limit: 10 })
  expect(room.take(3)).toBeNull()
  expect(room.take(1)).toMatchObject({ period: 'day' })
})

test('a month that is over its quota is told before the day', () => {
  const room = new Room({ ...NO_LIMITS, emailsPerDay: 10, emailsPerMonth: 50 }, used(10, 50))

  expect(room.take(1)).toMatchObject({
    period: 'month',
    message:
      'You have reached your monthly email quota of 50 recipients. It begins anew at midnight UTC on the first of the month.',
  })
})

test('a limit of nothing lets nothing through, and no limit everything', () => {
  expect(new Room({ ...NO_LIMITS, emailsPerDay: 0 }, used(0, 0)).take(1)).toMatchObject({ period: 'day', limit: 0 })
  expect(new Room(NO_LIMITS, used(1e9, 1e9)).take(1_000)).toBeNull()
  expect(new Room(NO_LIMITS, used(0, 0)).recipients).toBe(Number.POSITIVE_INFINITY)
})

test('what was received counts as mail, and has a limit of its own', () => {
  const room = new Room({ ...NO_LIMITS, emailsPerDay: 3, receivedPerDay: 2 }, used(2, 2, 1))

  expect([room.takeReceived(), room.takeReceived()]).toEqual([true, false])
  expect(room.take(1)).toMatchObject({ period: 'day' })
})

test('a limit that was lowered below what is used leaves no room', () => {
  expect(new Room({ ...NO_LIMITS, emailsPerDay: 1 }, used(5, 5)).recipients).toBe(0)
})
