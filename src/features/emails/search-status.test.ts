import { expect, test } from 'vitest'
import { type App, startApp } from '../../../test/harness/app.ts'
import { searchBuffers } from '../../../test/harness/buffers.ts'
import { raw, sql } from '../../kernel/db/sql.ts'
import { FoundItems } from '../../kernel/http/list.ts'
import { indexAbove } from '../../kernel/search/catch-up.ts'
import { indexJob } from '../../kernel/search/job.ts'
import { FIRST_ID } from '../../kernel/search/ranges.ts'
import { LAST_EVENTS } from '../../mail/last-event.ts'
import { mailingTeams } from '../limits/reads.ts'
import { TEAM_IDS } from '../teams/reads.ts'
import { findEmails } from './combined-filter.ts'
import { emailSearch, isIndexed } from './search.ts'

const NEWEST = { limit: 20, cursor: null, direction: 'older' } as const

/** Of the last seconds. One of four is `odd`, one `even`; none has ended yet. */
async function fill({ db, clock }: App, team: string, emails: number) {
  const begin = clock.now().getTime() - emails
  await db.queryPooled(sql`
    insert into emails (team_id, id, message_id, "from", "to", subject, last_event, created_at)
    select ${team}, (lpad(to_hex(${begin}::bigint + n), 12, '0') || '70008' || substr(md5(n::text), 1, 15))::uuid, 'm', 'shop@acme.test',
      '["person@example.com"]', (array['even', 'odd', 'other', 'other'])[n % 4 + 1] || ' ' || n, 'delivered', now()
    from generate_series(1, ${emails}::int) n`)
}

const end = ({ db }: App, team: string, { status, which }: { status: string; which: string }) =>
  db.queryPooled(
    sql`update emails set last_event = ${status} where team_id = ${team} and split_part(subject, ' ', 1) = ${which}`,
  )

async function find({ db }: App, team: string, q: string) {
  const rows = await findEmails(db, team, { q }, NEWEST)
  if (rows instanceof FoundItems) throw new Error('not a search')
  const found = await db.search<{ subject: string }>(
    sql`select subject from ${rows.from} where ${rows.where} order by ${rows.id} desc`,
  )
  return found.map(({ subject }) => subject)
}

async function indexAll({ db }: App) {
  const { signal } = new AbortController()
  await indexJob(emailSearch.source, { teams: { all: TEAM_IDS, active: mailingTeams } }).run({}, { db, signal })
}

const notes = async ({ db }: App, team: string) =>
  (await db.query(sql`select from search_changes where team_id = ${team} and kind = 'email'`)).length

test('a status and a word that thousands have and none has both are not compared with each other', async () => {
  const app = await startApp()
  const { team } = await app.as('acme')
  await fill(app, team, 8_400)
  await end(app, team, { status: 'bounced', which: 'even' })
  await find(app, team, 'odd')
  await indexAll(app)
  for (const table of ['emails', 'emails_by_status', 'email_documents'])
    await app.db.query(raw(`vacuum analyze ${table}`))

  const { buffers, result } = await searchBuffers(app.db, (db) => find({ ...app, db }, team, 'status:bounced odd'))

  expect(result).toEqual([])
  // Among 14,000 it is 97, and was 1,674: each with the word was looked up.
  expect(buffers).toBeLessThan(400)
})

test('what has ended otherwise since is found by that, and no longer by what it was', async () => {
  const app = await startApp()
  const { team } = await app.as('acme')
  await fill(app, team, 10)
  await end(app, team, { status: 'bounced', which: 'even' })
  expect(await find(app, team, 'status:bounced even')).toEqual(['even 8', 'even 4'])

  await end(app, team, { status: 'complained', which: 'even' })
  await app.db.query(sql`update emails set last_event = 'opened' where team_id = ${team} and subject = 'even 4'`)

  expect(await find(app, team, 'status:bounced even')).toEqual([])
  expect(await find(app, team, 'status:complained even')).toEqual(['even 8'])
  expect(await find(app, team, 'status:opened even')).toEqual(['even 4'])
  expect(await notes(app, team)).toBe(0)
})

test('while more has changed than a search can wait for, the emails are asked; the job writes it down', async () => {
  const app = await startApp()
  const { team } = await app.as('acme')
  await fill(app, team, 6_000)
  await find(app, team, 'odd')
  await end(app, team, { status: 'failed', which: 'odd' })

  expect(await find(app, team, 'status:failed "odd 5997"')).toEqual(['odd 5997'])
  expect(await notes(app, team)).toBe(500)

  await indexAll(app)
  expect(await notes(app, team)).toBe(0)
  expect(await find(app, team, 'status:failed odd')).toHaveLength(21)
})

test('an email that ends while its first document is written is found by how it ended', async () => {
  const app = await startApp()
  const { team } = await app.as('acme')
  await fill(app, team, 2)
  const read: typeof emailSearch.source.read = async (db, of, ids) => {
    const found = await emailSearch.source.read(db, of, ids)
    await end(app, team, { status: 'bounced', which: 'odd' })
    expect(await find(app, team, 'status:bounced odd')).toEqual(['odd 1'])
    return found
  }

  await indexAbove(app.db, team, { ...emailSearch.source, read }, { high: FIRST_ID, limit: 10 })

  expect(await find(app, team, 'status:bounced odd')).toEqual(['odd 1'])
})

test('the database notes the statuses that documents say, and no others', async () => {
  const { db } = await startApp()

  const rows = await db.query<{ status: string; is_indexed: boolean }>(sql`
    select status, is_status_indexed(status) as is_indexed from unnest(${LAST_EVENTS}::text[]) status`)

  expect(rows).toEqual(LAST_EVENTS.map((status) => ({ status, is_indexed: isIndexed(status) })))
})
