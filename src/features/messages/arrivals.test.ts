import { expect, test } from 'vitest'
import { startApp } from '../../../test/harness/app.ts'
import { readBuffers } from '../../../test/harness/buffers.ts'
import { sendEmail } from '../../../test/harness/emails.ts'
import type { Queryable } from '../../kernel/db/database.ts'
import { currentSnapshot } from '../../kernel/db/snapshots.ts'
import { raw, type Sql, sql } from '../../kernel/db/sql.ts'
import { cursorAt, readArrivals, readBehind } from './arrivals.ts'

test('what has come is found without reading what came before, of whichever team', async () => {
  const app = await startApp()
  const { db } = app
  const [acme, globex] = [await app.as('acme'), await app.as('globex')]
  for (const { team } of [acme, globex])
    await db.queryPooled(sql`
      insert into outbox (team_id, id, type, data, created_at, about)
      select ${team}, gen_random_uuid(), 'email.sent', '{}', now(), gen_random_uuid() from generate_series(1, 5000)`)
  await db.query(raw('vacuum analyze outbox'))
  const first = await sendEmail(acme)
  await app.deliverDue()
  const since = await currentSnapshot(db)
  const sent = [await sendEmail(acme), await sendEmail(globex), await sendEmail(acme)]
  await app.deliverDue()
  const statements: Sql[] = []
  const noting: Queryable = {
    clock: db.clock,
    query: (statement) => {
      statements.push(statement)
      return db.query(statement)
    },
  }

  const { arrivals } = await readArrivals(noting, [acme.team, globex.team], since)
  const cursor = (await cursorAt(db, acme.team, first))!
  const behind = await readBehind(noting, acme.team, cursor, { last: null, size: 100 })

  expect(arrivals.map(({ id }) => id).sort()).toEqual([...sent].sort())
  expect(behind.map(({ id }) => id).sort()).toEqual([sent[0], sent[2]].sort())
  for (const statement of statements) expect(await readBuffers(db, statement)).toBeLessThan(100)
})
