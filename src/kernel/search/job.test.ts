import { expect, test } from 'vitest'
import { type App, startApp } from '../../../test/harness/app.ts'
import { readBuffers } from '../../../test/harness/buffers.ts'
import { emailSearch } from '../../features/emails/search.ts'
import { mailingTeams } from '../../features/limits/reads.ts'
import { logSearch } from '../../features/logs/search.ts'
import { TEAM_IDS } from '../../features/teams/reads.ts'
import { sql } from '../db/sql.ts'
import { indexAbove } from './catch-up.ts'
import { indexJob, teamsQuery } from './job.ts'
import { FIRST_ID } from './ranges.ts'

const TEAMS = 5_000
const EMAILS = 600
const MAILING = { all: TEAM_IDS, active: mailingTeams }

const addTeams = ({ db }: App) =>
  db.query(sql`
    insert into teams (id, name, created_at) select gen_random_uuid(), 'Quiet ' || gen_random_uuid(), now() from generate_series(1, ${TEAMS}::int)`)

/** So many that somebody who searches should not have to wait for them. Mail that came otherwise than through the service is not counted. */
async function addEmails({ db, clock }: App, team: string, { areCounted }: { areCounted: boolean }) {
  await db.query(sql`
    insert into emails (team_id, id, message_id, "from", "to", subject, last_event, created_at)
    select ${team}, uuidv7(), 'id-' || n, 'a@example.com', '["b@example.com"]', 'Mail ' || n, 'sent', now() from generate_series(1, ${EMAILS}::int) n`)
  if (areCounted)
    await db.query(
      sql`insert into team_usage (team_id, day, slot, sent) values (${team}, ${clock.now()}::date, 0, ${EMAILS}::int)`,
    )
}

const documents = async ({ db }: App, team: string) =>
  (await db.query(sql`select from email_documents where team_id = ${team}`)).length

test('teams whose mail has no documents are found without a look at those that have sent nothing', async () => {
  const app = await startApp()
  const { db, clock } = app
  const acme = await app.as('acme')
  await addTeams(app)
  await addEmails(app, acme.team, { areCounted: true })
  await db.query(sql`analyze teams, team_usage, search_progress`)
  const look = teamsQuery(emailSearch.source, { some: [], teams: MAILING, now: clock.now() })

  expect(await db.query(look)).toEqual([{ team: acme.team }])
  // Up to 500 items of the team that is active, each with its row.
  expect(await readBuffers(db, look)).toBeLessThan(700)
  const others = teamsQuery(logSearch.source, { some: [], teams: undefined, now: clock.now() })
  expect(await readBuffers(db, others)).toBeLessThan(10)
})

test('mail that nobody has counted gets its documents when its team has its turn', async () => {
  const app = await startApp()
  const acme = await app.as('acme')
  await addTeams(app)
  await addEmails(app, acme.team, { areCounted: false })
  const job = indexJob(emailSearch.source, { teams: MAILING })
  const { signal } = new AbortController()
  const [{ runs }] = (await app.db.query(sql`select ceil((count(*) + 1) / 1000.0)::int as runs from teams`)) as [
    { runs: number },
  ]
  for (let run = 0; run < runs; run++) await job.run({}, { db: app.db, signal })

  expect(await documents(app, acme.team)).toBe(EMAILS)
})

test('of an item that is deleted between reading and writing there is no document', async () => {
  const app = await startApp()
  const { team } = await app.as('acme')
  await addEmails(app, team, { areCounted: false })
  const read: typeof emailSearch.source.read = async (db, of, ids) => {
    const found = await emailSearch.source.read(db, of, ids)
    await app.db.query(sql`delete from emails where team_id = ${team} and id <> ${ids[0]!}`)
    return found
  }

  await indexAbove(app.db, team, { ...emailSearch.source, read }, { high: FIRST_ID, limit: EMAILS })

  expect(await documents(app, team)).toBe(1)
})
