import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { sql } from '../kernel/db/sql.ts'
import { EVENT_TYPES } from '../kernel/outbox/record.ts'
import type { TableTimes } from './feature.ts'
import { ENDPOINTS, PRODUCT } from './index.ts'
import { WEBHOOK_EVENTS } from './webhooks/schema.ts'

const schema = readFileSync('docs/schema.sql', 'utf8')

const named = (kind: Exclude<keyof TableTimes, 'table'>) =>
  PRODUCT.times.flatMap(({ table, [kind]: columns = [] }) => columns.map((column) => `${table}.${column}`))

test('each moment that a team has is of a kind', () => {
  const tables = [...schema.matchAll(/^create table (\w+) \(\n([\s\S]*?)\n\)(.*);$/gm)]
  const whole = tables.filter(([, , , options]) => !options!.includes('partition of'))
  const owned = whole.filter(([, name, text]) => name === 'jobs' || /^ {2}team_id uuid/m.test(text!))
  const moments = owned.flatMap(([, name, text]) =>
    [...text!.matchAll(/^ {2}"?(\w+)"? timestamp with time zone/gm)].map(([, column]) => `${name}.${column}`),
  )

  expect([...named('team'), ...named('due'), ...named('real')].sort()).toEqual(moments.sort())
  expect(moments.length).toBeGreaterThan(90)
})

test('what is due moves with the clock', () => {
  const nothing = sql`now`
  const moves = PRODUCT.dueMoments.flatMap((moments) => [
    ...moments.move(nothing, { from: nothing, to: nothing }, { by: nothing, when: nothing }),
    ...(moments.moveEnds?.(nothing, nothing) ?? []),
  ])
  const texts = moves.map(({ strings }) => strings.join())

  for (const name of named('due')) {
    const [table, column] = name.split('.') as [string, string]
    expect(
      texts.some((text) => text.includes(`update ${table} `) && text.includes(`${column} = `)),
      name,
    ).toBe(true)
  }
})

test('each list of events is declared by the feature that deals with them', () => {
  const followed = [...schema.matchAll(/insert into (\w+) \(team_id, event_id[,)]/g)].map(([, table]) => table!)
  const declared = PRODUCT.subscriptions.map(({ subscription }) => subscription.pending.strings.join())

  expect(declared.sort()).toEqual([...new Set(followed)].sort())
  expect(new Set(declared).size).toBe(PRODUCT.subscriptions.length)
})

test('an open dashboard reads something again after each event, and what it reads are endpoints', () => {
  const beginnings = PRODUCT.liveUpdates.flatMap(({ endpoints }) => endpoints)
  const isEndpoint = (beginning: string) =>
    ENDPOINTS.some(({ id }) => id === beginning || id.startsWith(`${beginning}.`))
  const [webhooks, others] = [true, false].map((isOfWebhooks) =>
    PRODUCT.liveUpdates.filter(({ endpoints }) => endpoints.includes('webhooks') === isOfWebhooks),
  )
  const unheard = (types: readonly string[], updates = PRODUCT.liveUpdates) =>
    types.filter((type) => !updates.some(({ events }) => events.test(type)))

  expect(beginnings.filter((beginning) => !isEndpoint(beginning))).toEqual([])
  expect(unheard(EVENT_TYPES, others)).toEqual([])
  expect(unheard(WEBHOOK_EVENTS, webhooks)).toEqual([])
  // A page reads all of its answers again after an event of a kind that it does not know.
  expect(unheard(['something.new', '*'])).toEqual(['something.new', '*'])
})
