import fc from 'fast-check'
import { expect, test } from 'vitest'
import { LAST_EVENTS, type LastEvent, replaces } from './last-event.ts'

const after = (status: LastEvent, ...events: LastEvent[]) =>
  events.reduce((last, event) => (replaces(last, event) ? event : last), status)

// A line for each event: the statuses that it replaces.
test.each<[LastEvent, string]>([
  ['queued', ''],
  ['scheduled', 'queued'],
  ['sent', 'queued scheduled'],
  ['delivery_delayed', 'queued scheduled sent'],
  ['delivered', 'bounced canceled delivery_delayed failed queued scheduled sent suppressed'],
  ['bounced', 'canceled delivered delivery_delayed failed queued scheduled sent suppressed'],
  ['failed', 'bounced canceled delivered delivery_delayed queued scheduled sent suppressed'],
  ['suppressed', 'bounced canceled delivered delivery_delayed failed queued scheduled sent'],
  ['canceled', 'bounced delivered delivery_delayed failed queued scheduled sent suppressed'],
  ['opened', 'delivered delivery_delayed queued scheduled sent'],
  ['clicked', 'delivered delivery_delayed opened queued scheduled sent'],
  ['complained', 'bounced canceled clicked delivered delivery_delayed failed opened queued scheduled sent suppressed'],
])('%s replaces: %s', (event, statuses) => {
  expect(LAST_EVENTS.filter((status) => replaces(status, event)).join(' ')).toBe(statuses)
})

// What happens to several recipients of one email, in the order in which it happens.
test.each<[string, LastEvent[], LastEvent]>([
  ['one has opened it, and another gets it', ['delivered', 'opened', 'delivered'], 'opened'],
  ['one has clicked, and another opens it', ['delivered', 'clicked', 'opened'], 'clicked'],
  ['one has opened it, another bounces, a third gets it', ['opened', 'bounced', 'delivered'], 'opened'],
  ['one has it, and another has to wait', ['delivered', 'delivery_delayed'], 'delivered'],
  ['one bounced, and another has to wait', ['bounced', 'delivery_delayed'], 'bounced'],
  ['one bounced, and another gets it', ['bounced', 'delivered'], 'delivered'],
  ['one has it, and another bounces', ['delivered', 'bounced'], 'bounced'],
  ['one has clicked, and then complains', ['delivered', 'clicked', 'complained'], 'complained'],
  ['one has complained, and another gets it', ['complained', 'delivered'], 'complained'],
  ['its only recipient does not exist, and something opens it', ['bounced', 'opened'], 'bounced'],
])('%s', (_story, events, status) => {
  expect(after('sent', ...events)).toBe(status)
})

const anyStatus = fc.constantFrom(...LAST_EVENTS)
const isVisit = (event: LastEvent) => event === 'opened' || event === 'clicked'
const sending = fc.array(fc.constantFrom(...LAST_EVENTS.filter((event) => !isVisit(event))), { minLength: 1 })
const visiting = fc.array(fc.constantFrom<LastEvent>('opened', 'clicked'), { minLength: 1 })

test('events that are told together come to the same as one after another', () => {
  fc.assert(
    fc.property(anyStatus, fc.oneof(sending, visiting), (status, events) => {
      const [first, ...others] = events

      expect(after(status, after(first!, ...others))).toBe(after(status, ...events))
    }),
  )
})

test('whatever happens, an email that was opened does not look unopened until somebody complains', () => {
  fc.assert(
    fc.property(fc.array(anyStatus), (events) => {
      expect(['opened', 'clicked', 'complained']).toContain(after('opened', ...events))
    }),
  )
})
