import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { sql } from '../../../kernel/db/sql.ts'
import { moveEnds } from '../../emails/delivery/due-moments.ts'
import { DUE } from './due.ts'
import { TIMES } from './times.ts'

const named = (kind: keyof typeof TIMES) =>
  Object.entries(TIMES[kind]).flatMap(([table, columns]) => columns.map((column) => `${table}.${column}`))

test('each moment that a team has is of a kind', () => {
  const schema = readFileSync('docs/schema.sql', 'utf8')
  const tables = [...schema.matchAll(/^create table (\w+) \(\n([\s\S]*?)\n\)/gm)]
  const owned = tables.filter(([, name, text]) => name === 'jobs' || /^ {2}team_id uuid/m.test(text!))
  const moments = owned.flatMap(([, name, text]) =>
    [...text!.matchAll(/^ {2}"?(\w+)"? timestamp with time zone/gm)].map(([, column]) => `${name}.${column}`),
  )

  expect([...named('team'), ...named('due'), ...named('real')].sort()).toEqual(moments.sort())
  expect(moments.length).toBeGreaterThan(90)
})

test('what is due moves with the clock', async () => {
  const nothing = sql`now`
  const moves = DUE.flatMap(({ move }) => move(nothing, { from: nothing, to: nothing }, { by: nothing, when: nothing }))
  const ends: string[] = []
  await moveEnds(
    { clock: undefined as never, query: async ({ strings }) => void ends.push(strings.join()) as never },
    nothing,
    nothing,
  )
  const texts = [...moves.map(({ strings }) => strings.join()), ...ends]

  for (const name of named('due')) {
    const [table, column] = name.split('.') as [string, string]
    expect(
      texts.some((text) => text.includes(`update ${table} `) && text.includes(`${column} = `)),
      name,
    ).toBe(true)
  }
})
