import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { cellsFor, type EmailCost, type Habits, loadOn, type Machine, needsOf } from '../bench/capacity.ts'
import { costTable, HABITS, loadTable, MACHINE, MEASURED, needsTable, SIZES } from '../bench/capacity-page.ts'
import { ROLES } from '../src/platform/settings/config.ts'
import { connectionBudget } from '../src/platform/settings/connection-budget.ts'

const page = readFileSync('docs/operations/capacity.md', 'utf8')

const COST: EmailCost = {
  ...{ serviceMs: 1, postgresMs: 0.5, walBytes: 8_000, transactionIds: 0.5, mailBytes: 4_000, eventBytes: 2_000 },
}
const EVEN: Habits = { peakFactor: 2, utilisation: 0.5, mailDays: 100, eventDays: 10, connections: 16 }

test('what a day of mail needs', () => {
  const needs = needsOf(86_400_000, COST, EVEN)

  expect(needs).toMatchObject({ perSecond: 1_000, peakPerSecond: 2_000, processes: 4, postgresCores: 2 })
  expect(needs).toMatchObject({ connections: 64, flushesPerSecond: 1_000, coreHoursPerDay: 36 })
  expect(needs.walMegabytesPerSecond).toBeCloseTo(16)
  expect(needs.walGigabytesPerDay).toBeCloseTo(691.2)
  expect(needs.diskTerabytes).toBeCloseTo((86.4e6 * 420_000) / 1e12)
  expect(needs.daysToFreeze).toBeCloseTo(200 / 43.2)
})

test('one process is never enough: another has to be there when it dies', () => {
  expect(needsOf(1, COST, EVEN).processes).toBe(2)
})

test('what is scarcest says how many cells there are', () => {
  const machine: Machine = {
    ...{ cores: 2, connections: 1_000, walMegabytesPerSecond: 8, diskTerabytes: 1_000, transactionIdsPerDay: 1e9 },
  }
  const needs = needsOf(86_400_000, COST, EVEN)

  expect(loadOn(machine, needs)[0]).toEqual({ what: 'WAL', share: 2 })
  expect(cellsFor(machine, needs)).toBe(2)
  expect(cellsFor(machine, needsOf(1_000, COST, EVEN))).toBe(1)
})

test('the page shows what the model says', () => {
  expect(page).toContain(costTable())
  expect(page).toContain(needsTable())
  expect(page).toContain(loadTable())
})

test('the page says what the model assumes', () => {
  expect(HABITS.connections).toBe(connectionBudget({ ROLES, DATABASE_URL: 'postgres://' }).max)
  for (const text of [
    `${HABITS.peakFactor} times the average`,
    `${HABITS.utilisation * 100} % busy`,
    `${HABITS.mailDays} days of mail`,
    `${HABITS.eventDays} days of events and logs`,
    `${MACHINE.cores} cores`,
    `${MACHINE.connections} connections`,
    `${MACHINE.walMegabytesPerSecond} MB of WAL a second`,
    `${MACHINE.diskTerabytes} TB`,
    `${MACHINE.transactionIdsPerDay / 1e6} million transaction ids a day`,
  ])
    expect(page).toContain(text)
  expect(Object.values(MEASURED).every((figure) => figure > 0)).toBe(true)
  expect(SIZES).toEqual([1e6, 1e7, 1e8])
})
