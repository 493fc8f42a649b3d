import { expect, test } from 'vitest'
import { startStage } from '../../../../test/harness/staged.ts'
import { sql } from '../../../kernel/db/sql.ts'
import { keyOf } from './numbering.ts'
import { saveScenario } from './scenario-store.ts'
import { Scenarios } from './scenarios.ts'

const reply = (text: string) => ({ rules: [{ outcome: { reply: `250 ${text}` } }] })

test('a change counts for all that is asked after it, in every process, and is read once', async () => {
  const { app, acme, sandbox } = await startStage()
  const box = await sandbox('seven')
  const [here, elsewhere] = [new Scenarios(app.db), new Scenarios(app.db)]
  expect(await here.of(box.team)).toBeNull()
  await saveScenario(app.db, box.team, reply('one'))
  const first = await here.of(box.team)
  expect(first).toMatchObject({ ...reply('one'), seed: 'seven', version: 1 })
  expect(await here.of(box.team)).toBe(first)

  await saveScenario(app.db, box.team, reply('two'))

  expect(await here.of(box.team)).toMatchObject({ ...reply('two'), version: 2 })
  expect(await elsewhere.of(box.team)).toMatchObject({ ...reply('two'), version: 2 })
  expect(await here.of(acme.team)).toBeNull()
})

test('recipients are numbered in the order of acceptance, whichever is asked for first', async () => {
  const { app, sandbox } = await startStage()
  const box = await sandbox()
  const rules = [{ match: { domain: 'example.com', nth: 2 }, outcome: { greylisted: 1 } }]
  await saveScenario(app.db, box.team, { rules })
  const ids = [await box.mail(), await box.mail({ to: ['a@example.org', 'b@example.com'] }), await box.mail()]
  const numbersOf = async (index: number) => {
    const staged = await new Scenarios(app.db).ofEmail({ team: box.team, id: ids[index]! })
    return [0, 1].flatMap((position) => staged!.numbers.get(keyOf(ids[index]!, position)) ?? [])
  }
  const setState = (index: number, state: string) =>
    app.db.query(sql`
      update deliveries set state = ${state}, settled_at = case when ${state} = 'failed' then ${app.clock.now()}::timestamptz end
      where team_id = ${box.team} and email_id = ${ids[index]}`)

  // It is still on its way into the database.
  await setState(0, 'failed')
  expect(await numbersOf(2)).toMatchObject([{ number: 3, hits: [0] }])
  expect(await numbersOf(1)).toMatchObject([
    { number: 1, hits: [] },
    { number: 2, hits: [] },
  ])
  await setState(0, 'waiting')

  expect(await numbersOf(0)).toMatchObject([{ number: 4, hits: [] }])
  expect(await numbersOf(2)).toMatchObject([{ number: 3, hits: [0] }])
})
