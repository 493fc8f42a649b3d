import { expect, test } from 'vitest'
import { startApp } from '../../../../test/harness/app.ts'
import { workBuffers } from '../../../../test/harness/buffers.ts'
import { sql } from '../../../kernel/db/sql.ts'
import { findNames } from './store.ts'

const TEAMS = 300
const MESSAGES = 100

test('the threads of a message are found by the names in it, and not by all that are in the inbox', async () => {
  const { db } = await startApp()
  const [first] = await db.transaction(async (trx) => {
    await trx.query(sql`set local session_replication_role = replica`)
    await trx.query(sql`
      create temporary table filled on commit drop as
      select team, n, md5(team::text || n)::uuid as id from (select gen_random_uuid() as team from generate_series(1, ${TEAMS}::int)) teams,
        generate_series(1, ${MESSAGES}::int) n`)
    await trx.query(sql`
      insert into inbox_references (team_id, inbox_id, name, email_id)
      select team, team, decode(md5(id::text || name), 'hex'), id from filled, generate_series(0, 1) name order by random()`)
    await trx.query(sql`insert into teams (id, name, created_at) select distinct team, team::text, now() from filled`)
    return trx.query<{ team: string; name: string }>(
      sql`select team, md5(id::text || 0) as name from filled where n = 7 limit 1`,
    )
  })
  await db.queryPooled(sql`vacuum analyze inbox_references`)
  const { team, name } = first!
  const names = [name, 'ff'.repeat(16)]

  expect(await findNames(db, { team, inbox: team }, names)).toEqual([{ name, thread: null }])
  expect(await workBuffers(db, (counting) => findNames(counting, { team, inbox: team }, names))).toBeLessThan(30)
})
