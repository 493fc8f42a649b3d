import { expect, test } from 'vitest'
import { emailSearch } from '../src/features/emails/search.ts'
import { raw, sql } from '../src/kernel/db/sql.ts'
import { indexBelow } from '../src/kernel/search/catch-up.ts'
import { indexJob } from '../src/kernel/search/job.ts'
import { firstIdAt } from '../src/platform/ids.ts'
import { type App, type Client, startApp } from './harness/app.ts'
import { sendEmail } from './harness/emails.ts'

// Emails that were there before anybody searched, enough for each way of looking: along the list, by the index, and by the index in slices of time.

const EMAILS = 6_000
const DAY_MS = 86_400_000

/** One every 20 minutes, the last one a day ago: number 1 is the oldest. */
async function makeEmails(app: App, { team }: Client, subject: (n: string) => string) {
  const begin = app.clock.now().getTime() - DAY_MS - EMAILS * 1_200_000
  await app.db.queryPooled(sql`
    insert into emails (team_id, id, message_id, "from", "to", subject, last_event, created_at)
    select ${team}, (lpad(to_hex(${begin}::bigint + n::bigint * 1200000), 12, '0') || '7000' || '8' || substr(md5(n::text), 1, 15))::uuid,
      'm' || n, 'shop@acme.test', jsonb_build_array('person' || n || '@example.com'), ${raw(subject('n'))},
      case when n % 1500 = 0 then 'bounced' else 'delivered' end, to_timestamp((${begin}::bigint + n::bigint * 1200000) / 1000.0)
    from generate_series(1, ${EMAILS}::int) n`)
}

/** A search that has to build too much of the index at once says so. It goes on where it ended. */
async function indexed(client: Client, path: string) {
  let reply = await client.get(path)
  while (reply.status === 503) reply = await client.get(path)
  expect([path, reply.status]).toEqual([path, 200])
  return reply
}

/** All that a search finds, page by page, and what is done after each. */
async function pagesOf(client: Client, q: string, { limit = 100, between = async () => {} } = {}): Promise<string[]> {
  const subjects: string[] = []
  for (let after = ''; ; ) {
    const { body } = await indexed(client, `/emails?q=${encodeURIComponent(q)}&limit=${limit}${after}`)
    subjects.push(...body.data.map(({ subject }: { subject: string }) => subject))
    if (!body.has_more) return subjects
    after = `&after=${body.data.at(-1).id}`
    await between()
  }
}

const numbers = (from: number, to: number, step = 1) =>
  Array.from({ length: Math.floor((from - to) / step) + 1 }, (_, at) => `${from - at * step}`)

test('what was there before is found, rare or frequent, now or long ago, and each once', async () => {
  const app = await startApp()
  const acme = await app.as('acme')
  await makeEmails(
    app,
    acme,
    (n) =>
      `concat(case when ${n} <= 2500 then 'christmas ' end, case when ${n} % 100 = 0 then 'hundred ' end, 'mail ', ${n})`,
  )
  const numbersOf = async (q: string, limit = 100) =>
    (await pagesOf(acme, q, { limit })).map((subject) => subject.replace(/\D/g, ''))

  // The first search begins with the newest: what is frequent needs no more of it.
  expect((await acme.get('/emails?q=mail&limit=3')).body.data).toHaveLength(3)
  expect(await numbersOf('christmas "mail 7"')).toEqual(['7'])
  expect(await numbersOf('person5998@example.com')).toEqual(['5998'])
  expect(await numbersOf('hundred')).toEqual(numbers(6_000, 100, 100))
  expect(await numbersOf('christmas')).toEqual(numbers(2_500, 1))
  expect(await numbersOf('hundred -christmas', 7)).toEqual(numbers(6_000, 2_600, 100))
  expect(await numbersOf('status:bounced mail')).toEqual(numbers(6_000, 1_500, 1_500))
  expect(await numbersOf('mail nothing')).toEqual([])

  // Towards newer ones.
  const oldest = (await acme.get(`/emails?q=${encodeURIComponent('"mail 1"')}`)).body.data[0].id
  const newer = (await acme.get(`/emails?q=christmas&limit=2&before=${oldest}`)).body
  expect(newer).toMatchObject({
    has_more: true,
    data: [{ subject: 'christmas mail 3' }, { subject: 'christmas mail 2' }],
  })
  const hundreds = (await acme.get(`/emails?q=hundred%20-christmas&limit=2&before=${oldest}`)).body
  expect(hundreds.data.map(({ subject }: { subject: string }) => subject)).toEqual([
    'hundred mail 2700',
    'hundred mail 2600',
  ])
}, 60_000)

test('indexing that ends in the middle loses nothing, and the job carries on with it', async () => {
  const app = await startApp()
  const acme = await app.as('acme')
  await makeEmails(app, acme, (n) => `concat('mail ', ${n})`)
  const progress = async () =>
    (
      await app.db.query<{ low: string }>(
        sql`select low from search_progress where team_id = ${acme.team} and kind = 'email'`,
      )
    )[0]?.low
  await acme.get('/emails?q=mail&limit=1')
  const before = await progress()
  const failing = { ...emailSearch.source, read: () => Promise.reject(new Error('gone')) }
  await expect(indexBelow(app.db, acme.team, failing, 500)).rejects.toThrow('gone')
  expect(await progress()).toBe(before)

  // Ends after its second batch.
  let batches = 0
  const stopping = new AbortController()
  const ending = {
    ...emailSearch.source,
    read: (...given: Parameters<typeof emailSearch.source.read>) => {
      if (++batches === 2) stopping.abort(new Error('stopped'))
      return emailSearch.source.read(...given)
    },
  }
  const teams = sql`(select id from teams)`
  await expect(indexJob(ending, teams).run({}, { db: app.db, signal: stopping.signal })).rejects.toThrow('stopped')
  const { signal } = new AbortController()
  await indexJob(emailSearch.source, teams).run({}, { db: app.db, signal })

  expect(await progress()).toBe('00000000-0000-0000-0000-000000000000')
  const [{ count }] = (await app.db.query(
    sql`select count(*)::int from search_documents where team_id = ${acme.team} and kind = 'email'`,
  )) as [{ count: number }]
  expect(count).toBe(EMAILS)
  expect(await pagesOf(acme, '"mail 1"')).toEqual(['mail 1'])
}, 60_000)

test('who pages through a search sees each item once while others come and go, and what came late is found', async () => {
  const app = await startApp()
  const acme = await app.as('acme')
  for (let at = 0; at < 30; at++) await sendEmail(acme, { subject: `Parade ${at}` })
  let added = 0
  const between = async () => {
    await sendEmail(acme, { subject: `Parade late ${added++}` })
  }
  expect(await pagesOf(acme, 'parade -late', { limit: 7, between })).toEqual(numbers(29, 0).map((n) => `Parade ${n}`))

  // Its id was made a minute ago, and it commits now, behind others that were indexed.
  await app.db.query(sql`
    insert into emails (team_id, id, message_id, "from", "to", subject, last_event, created_at)
    select team_id, ${firstIdAt(new Date(app.clock.now().getTime() - 60_000))}, 'm', "from", "to", 'Straggler', 'delivered', created_at
    from emails where team_id = ${acme.team} limit 1`)
  expect(await pagesOf(acme, 'straggler')).toEqual(['Straggler'])
})
