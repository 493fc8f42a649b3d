import { expect, onTestFinished, test } from 'vitest'
import { startApp } from '../../../test/harness/app.ts'
import { readBuffers } from '../../../test/harness/buffers.ts'
import { limit, suspend } from '../../../test/harness/operators.ts'
import { sql } from '../../kernel/db/sql.ts'
import { NO_LIMITS } from './team-limits.ts'
import { SUMMARY, TeamStates } from './team-states.ts'

test('another process notices at once what somebody has announced', async () => {
  const app = await startApp()
  const acme = await app.as('acme')
  const other = new TeamStates(app.db)
  onTestFinished(other.follow())
  await other.load()
  const before = [other.suspensionOf(acme.team), other.limitsOf(acme.team)]

  await suspend(app, acme, 'Spam')
  await limit(app, acme, { contacts: 5 })

  expect(before).toEqual([null, NO_LIMITS])
  await expect
    .poll(() => [other.suspensionOf(acme.team), other.limitsOf(acme.team).contacts])
    .toEqual([{ kind: 'suspended', reason: 'Spam' }, 5])
})

test('what nobody has announced is noticed with the next beat', async () => {
  const app = await startApp()
  const { team } = await app.as('acme')
  const other = new TeamStates(app.db)
  onTestFinished(other.follow())
  await other.load()

  await app.db.query(sql`update teams set delete_at = ${app.clock.now()} where id = ${team}`)

  await expect.poll(() => other.suspensionOf(team)).toEqual({ kind: 'to_be_deleted', reason: null })
  await app.db.query(sql`update teams set delete_at = null where id = ${team}`)
})

test('what is asked with every beat costs the same with thousands of teams that have limits, and a limit that goes is noticed', async () => {
  const app = await startApp()
  const { team } = await app.as('acme')
  const states = new TeamStates(app.db)
  await states.load()
  await app.db.query(sql`
    with made as (
      insert into teams (id, name, created_at)
      select gen_random_uuid(), 'Limited ' || gen_random_uuid(), now() from generate_series(1, 3000) returning id)
    insert into team_limits (team_id, contacts, updated_at) select id, 7, now() from made union all select ${team}::uuid, 9, now()`)
  await app.db.query(sql`analyze teams`)
  await states.refresh()
  expect(states.limitsOf(team).contacts).toBe(9)
  expect(await readBuffers(app.db, SUMMARY)).toBeLessThan(30)

  await app.db.query(sql`delete from team_limits`)
  await states.refresh()
  expect(states.limitsOf(team)).toEqual(NO_LIMITS)
})
