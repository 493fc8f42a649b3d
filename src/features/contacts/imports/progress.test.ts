import { expect, test } from 'vitest'
import { type App, type Client, startApp } from '../../../../test/harness/app.ts'
import { counts, leftovers, runNow, upload } from '../../../../test/harness/imports.ts'
import { raw, sql } from '../../../kernel/db/sql.ts'
import { ensureRecurring } from '../../../kernel/jobs/queries.ts'
import { sweepUploads } from './jobs.ts'

// An import is written in batches of 2,000 rows; what happens to it between two of them.

const fileOf = (count: number) =>
  `email,first_name\n${Array.from({ length: count }, (_, n) => `user${n}@example.com,Name ${n}\n`).join('')}`

const progress = async (client: Client, id: string) => (await client.get(`/contacts/imports/${id}`)).body
const contactsOf = async (client: Client) => (await client.get('/usage')).body.contacts.used

/** From now on the database refuses to let the import pass so many rows, as if it had gone away. Undone by the function returned. */
async function breakAt(app: App, { team }: Client, rows: number) {
  const name = raw(`broken_${team.replaceAll('-', '_')}`)
  await app.db.query(sql`
    create function ${name}() returns trigger language plpgsql as $$
    begin raise exception 'the disk is full'; end $$`)
  await app.db.query(sql`
    create trigger ${name} before update on contact_imports for each row
    when (new.team_id = ${raw(`'${team}'`)} and new.total > ${raw(String(rows))}) execute function ${name}()`)
  return () => app.db.query(sql`drop function ${name} cascade`)
}

test('an import that breaks off goes on exactly where it was', async () => {
  const app = await startApp()
  const acme = await app.as('acme')
  const { body } = await upload(acme, { file: fileOf(5_000) })
  const mend = await breakAt(app, acme, 2_000)

  await runNow(app)
  expect(await progress(acme, body.id)).toMatchObject({
    status: 'in_progress',
    completed_at: null,
    counts: counts({ total: 2_000, created: 2_000 }),
  })
  expect(await contactsOf(acme)).toBe(2_000)

  await mend()
  await runNow(app)
  expect(await progress(acme, body.id)).toMatchObject({
    status: 'completed',
    counts: counts({ total: 5_000, created: 5_000 }),
  })
  expect(await contactsOf(acme)).toBe(5_000)
  expect(await leftovers(app, acme)).toMatchObject({ pieces: 0 })
})

test('an import that goes on counts a broken row once, though it starts in the middle of the file', async () => {
  const app = await startApp()
  const acme = await app.as('acme')
  const lines = fileOf(4_500).split('\n')
  lines[10] = 'broken@example.com,"'
  lines[2_100] = 'nobody'
  lines[4_400] = 'broken@example.com,"'
  const { body } = await upload(acme, { file: `\ufeff${lines.join('\r\n')}` })
  const mend = await breakAt(app, acme, 2_000)

  await runNow(app)
  await mend()
  await runNow(app)

  const { status, counts: counted } = await progress(acme, body.id)
  expect(status).toBe('completed')
  expect(counted.total).toBe(counted.created + counted.updated + counted.failed)
  expect(counted.created).toBe(await contactsOf(acme))
})

test('two workers with one import count each row once', async () => {
  const [one, other] = [await startApp(), await startApp()]
  const acme = await one.as('acme')
  const { body } = await upload(acme, { file: fileOf(9_000) })
  const holder = async () =>
    (
      await one.db.query<{ holder: number | null }>(
        sql`select holder from jobs where payload ->> 'importId' = ${body.id}`,
      )
    )[0]?.holder

  const first = runNow(one)
  await one.until(async () => expect(await holder()).not.toBeNull())
  await one.db.query(sql`update jobs set run_at = now() - interval '1 hour' where payload ->> 'importId' = ${body.id}`)
  await Promise.all([first, runNow(other)])
  await runNow(one)
  await runNow(other)

  expect(await progress(acme, body.id)).toMatchObject({
    status: 'completed',
    counts: counts({ total: 9_000, created: 9_000 }),
  })
  expect(await contactsOf(acme)).toBe(9_000)
})

test('an import that never works is given up, and says so', async () => {
  const app = await startApp()
  const acme = await app.as('acme')
  const { body } = await upload(acme, { file: fileOf(2_500) })
  await breakAt(app, acme, 2_000)

  for (let attempt = 1; attempt <= 6; attempt++) {
    app.clock.advance(3_600)
    await app.runDueJobs()
  }

  expect(await progress(acme, body.id)).toMatchObject({
    status: 'failed',
    completed_at: expect.any(String),
    counts: counts({ total: 2_000, created: 2_000 }),
  })
  expect(await leftovers(app, acme)).toEqual({ imports: 1, pieces: 0 })
})

test('an import that was finished is not done again', async () => {
  const app = await startApp()
  const acme = await app.as('acme')
  const { body } = await upload(acme, { file: fileOf(3) })
  const payload = { team: acme.team, importId: body.id }
  await runNow(app)

  await app.db.query(sql`
    insert into jobs (id, name, payload, run_at, created_at)
    values (gen_random_uuid(), 'contacts.import', ${payload}, now(), now())`)
  await runNow(app)

  expect((await progress(acme, body.id)).counts).toEqual(counts({ total: 3, created: 3 }))
})

test('the pieces of an upload that never became an import are swept after a day', async () => {
  const app = await startApp()
  const acme = await app.as('acme')
  await upload(acme, { file: fileOf(3) })
  await app.db.query(sql`
    insert into contact_import_pieces (team_id, import_id, position, content, created_at)
    values (${acme.team}, gen_random_uuid(), 0, 'email', now())`)
  await ensureRecurring(app.db, [sweepUploads])
  await app.db.query(sql`update jobs set run_at = now() + interval '1 year' where name = 'contacts.import'`)

  app.clock.advance(23 * 3_600)
  await app.runDueJobs()
  expect(await leftovers(app, acme)).toMatchObject({ pieces: 2 })

  app.clock.advance(2 * 3_600)
  await app.runDueJobs()
  expect(await leftovers(app, acme)).toMatchObject({ pieces: 1 })
})
