import { cellsFor, type EmailCost, type Habits, loadOn, type Machine, type Needs, needsOf } from './capacity.ts'

// The tables of docs/operations/capacity.md.

/** An email of 2 kB to one recipient, in a crowd, with one webhook: `npm run bench -- depth bytes deliver`, two cores, November 2026. */
export const MEASURED: EmailCost = {
  serviceMs: 1.15,
  postgresMs: 1.3,
  walBytes: 9_000,
  transactionIds: 0.35,
  mailBytes: 2_720,
  eventBytes: 1_100,
}

export const HABITS: Habits = { peakFactor: 4, utilisation: 0.5, mailDays: 90, eventDays: 30, connections: 14 }

export const MACHINE: Machine = {
  cores: 16,
  connections: 400,
  walMegabytesPerSecond: 50,
  diskTerabytes: 8,
  transactionIdsPerDay: 100_000_000,
}

export const SIZES = [1_000_000, 10_000_000, 100_000_000]

const LINES: readonly (readonly [string, (needs: Needs) => string])[] = [
  [
    'emails a second, on average · in the busiest seconds',
    (n) => `${number(n.perSecond)} · ${number(n.peakPerSecond)}`,
  ],
  ['processes of Postwren, a core each', (n) => number(n.processes)],
  ['cores of PostgreSQL', (n) => number(n.postgresCores)],
  ['connections', (n) => number(n.connections)],
  [
    'WAL a day · in the busiest seconds',
    (n) => `${number(n.walGigabytesPerDay)} GB · ${number(n.walMegabytesPerSecond)} MB/s`,
  ],
  ['flushes of WAL a second, in the busiest seconds', (n) => number(n.flushesPerSecond)],
  ['disk', (n) => `${number(n.diskTerabytes)} TB`],
  ['transaction ids a day', (n) => `${number(n.transactionIdsPerDay / 1e6)} million`],
  ['days until autovacuum freezes', (n) => number(n.daysToFreeze)],
  ['days until wraparound, if nobody vacuums', (n) => number(n.daysToWraparound)],
  ['core-hours a day', (n) => number(n.coreHoursPerDay)],
]

/** Two digits are what such a model knows. */
function number(value: number): string {
  if (value === 0) return '0'
  const step = 10 ** (Math.floor(Math.log10(Math.abs(value))) - 1)
  const rounded = Math.round(value / step) * step
  return Number.isInteger(value) && value < 1_000
    ? String(value)
    : rounded.toLocaleString('en', { maximumFractionDigits: step < 1 ? Math.ceil(-Math.log10(step)) : 0 })
}

const row = (cells: readonly string[]) => `| ${cells.join(' | ')} |`

/** What an installation needs at each size. */
export function needsTable(): string {
  const needs = SIZES.map((size) => needsOf(size, MEASURED, HABITS))
  return LINES.map(([what, written]) => row([what, ...needs.map(written)])).join('\n')
}

/** How much of one machine that is, and into how many cells it goes. */
export function loadTable(): string {
  return SIZES.map((size) => {
    const needs = needsOf(size, MEASURED, HABITS)
    const shares = loadOn(MACHINE, needs).map(({ what, share }) => `${what} ${Math.round(share * 100)} %`)
    return row([`${size / 1_000_000} million`, shares.join(', '), String(cellsFor(MACHINE, needs))])
  }).join('\n')
}

export function costTable(): string {
  return [
    row(['CPU of Postwren', `${MEASURED.serviceMs.toFixed(2)} ms`]),
    row(['CPU of PostgreSQL', `${MEASURED.postgresMs.toFixed(2)} ms`]),
    row(['WAL', `${(MEASURED.walBytes / 1_000).toFixed(1)} kB`]),
    row(['transaction ids', MEASURED.transactionIds.toFixed(2)]),
    row(['disk, as long as the email is kept', `${(MEASURED.mailBytes / 1_000).toFixed(1)} kB`]),
    row(['disk, as long as events and logs are kept', `${(MEASURED.eventBytes / 1_000).toFixed(1)} kB`]),
  ].join('\n')
}
