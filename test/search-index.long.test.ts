import { expect, test } from 'vitest'
import { emailSearch } from '../src/features/emails/search.ts'
import { mailingTeams } from '../src/features/limits/reads.ts'
import { TEAM_IDS } from '../src/features/teams/reads.ts'
import { raw, sql } from '../src/kernel/db/sql.ts'
import { indexBelow } from '../src/kernel/search/catch-up.ts'
import { indexJob } from '../src/kernel/search/job.ts'
import { FIRST_ID } from '../src/kernel/search/ranges.ts'
import { firstIdAt } from '../src/platform/ids.ts'
import { type App, type Client, startApp } from './harness/app.ts'
import { sendEmail } from './harness/emails.ts'

// Emails that were there before anybody searched, enough for each way of looking: along the list, by the index, and by the index in slices of time.

const EMAILS = 6_000
const DAY_MS = 86_400_000

/** The last one a day ago, number 1 is the oldest; one every 20 minutes, or those of `crowd` a second apart. */
async function makeEmails(app: App, { team }: Client, subject: (n: string) => string, crowd = 0) {
  const begin = app.clock.now().getTime() - DAY_MS - EMAILS * 1_200_000
  const at = sql`(${begin}::bigint + case when n <= ${crowd}::int then n::bigint * 1000 else n::bigint * 1200000 end)`
  await app.db.queryPooled(sql`
    insert into emails (team_id, id, message_id, "from", "to", subject, tags, last_event, created_at)
    select ${team}, (lpad(to_hex(${at}), 12, '0') || '7000' || '8' || substr(md5(n::text), 1, 15))::uuid,
      'm' || n, 'shop@acme.test', jsonb_build_array('person' || n || '@example.com'), ${raw(subject('n'))},
      case when n % 10 = 0 then '[{"name":"plan","value":"free"}]'::jsonb end,
      case when n % 1500 = 0 then 'bounced' else 'delivered' end, to_timestamp(${at} / 1000.0)
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

/** Words of subjects, and of which emails they are. */
const WORDS: Readonly<Record<string, readonly [sql: string, isIn: (n: number) => boolean]>> = {
  old: ['n <= 2800', (n) => n <= 2_800],
  reddish: ['n % 500 = 0', (n) => n % 500 === 0],
  red: ['n % 3 = 0', (n) => n % 3 === 0],
  blue: ['n % 3 = 1', (n) => n % 3 === 1],
  gold: ['n % 7 = 0', (n) => n % 7 === 0],
  seldom: ['n % 300 = 0', (n) => n % 300 === 0],
}

/** Whether a word of the subject begins so. */
const has = (n: number, begin: string) =>
  Object.entries(WORDS).some(([word, [, isIn]]) => word.startsWith(begin) && isIn(n))
const isFree = (n: number) => n % 10 === 0

/** What each search finds, by looking at every email. */
const COMBINED: Readonly<Record<string, (n: number) => boolean>> = {
  old: (n) => has(n, 'old'),
  ol: (n) => has(n, 'old'),
  'old -red': (n) => has(n, 'old') && !has(n, 'red'),
  'red blue': (n) => has(n, 'red') && has(n, 'blue'),
  'gold blue': (n) => has(n, 'gold') && has(n, 'blue'),
  [`red blue${' mail'.repeat(28)}`]: (n) => has(n, 'red') && has(n, 'blue'),
  'blu re': (n) => has(n, 'blu') && has(n, 're'),
  '"blue" "red"': () => false,
  'red gold mail': (n) => has(n, 'red') && has(n, 'gold'),
  'redd red': (n) => has(n, 'redd'),
  'gold seldom': (n) => has(n, 'gold') && has(n, 'seldom'),
  'to:person subject:gold -blue tag:plan=free': (n) => has(n, 'gold') && !has(n, 'blue') && isFree(n),
  'to:person600 subject:red -blue tag:plan=free': (n) => n === 600 || n === 6_000,
  'seldom subject:re -blu tag:plan=free': (n) => has(n, 'seldom') && !has(n, 'blu'),
  'old red tag:plan=free -seldom': (n) => has(n, 'old') && has(n, 'red') && isFree(n) && !has(n, 'seldom'),
  'old "red" "blue" mail': () => false,
  '-red -blue': (n) => !has(n, 'red') && !has(n, 'blue'),
  '-mail': () => false,
  'status:bounced old': (n) => n === 1_500,
  '"red gold"': (n) => n % 21 === 0,
}

test.each(['newest', 'oldest'])(
  'pages are those of a scan, with documents written from the %s on',
  async (first) => {
    const app = await startApp()
    const acme = await app.as('acme')
    const word = (text: string, when: string) => `case when ${when} then '${text} ' end`
    await makeEmails(
      app,
      acme,
      (n) =>
        `concat(${[
          word('old', `${n} <= 2800`),
          word('reddish', `${n} % 500 = 0`),
          word('red', `${n} % 3 = 0`),
          word('blue', `${n} % 3 = 1`),
          word('gold', `${n} % 7 = 0`),
          word('seldom', `${n} % 300 = 0`),
        ].join(', ')}, 'mail ', ${n})`,
      3_000,
    )
    // All of them are above the progress then.
    if (first === 'oldest')
      await app.db.query(sql`
      insert into search_progress (team_id, kind, low, high) values (${acme.team}, 'email_documents', ${FIRST_ID}, ${FIRST_ID})`)
    const all = numbers(EMAILS, 1).map(Number)
    const numberOf = ({ subject }: { subject: string }) => Number(/\d+$/.exec(subject)![0])

    for (const [q, isFound] of Object.entries(COMBINED)) {
      const expected = all.filter(isFound)
      const page = async (more: string) => (await indexed(acme, `/emails?q=${encodeURIComponent(q)}${more}`)).body
      const found = (await pagesOf(acme, q)).map((subject) => numberOf({ subject }))
      expect([q, found]).toEqual([q, expected])
      // In the middle, to either side.
      const { data } = await page('&limit=100')
      const cursor = data[Math.floor(data.length / 2)]
      if (!cursor) continue
      const at = expected.indexOf(numberOf(cursor))
      const older = await page(`&limit=7&after=${cursor.id}`)
      expect([q, older.data.map(numberOf)]).toEqual([q, expected.slice(at + 1, at + 8)])
      const newer = await page(`&limit=7&before=${cursor.id}`)
      expect([q, newer.data.map(numberOf)]).toEqual([q, expected.slice(Math.max(0, at - 7), at)])
      const [last] = (await page(`&limit=1&after=${data.at(-1).id}`)).data
      if (last) expect((await page(`&limit=3&before=${last.id}`)).data.map(numberOf)).toEqual(expected.slice(97, 100))
    }
    // From the end of the list, where the word is not.
    const oldest = (await page1(acme, '"mail 1"')).id
    expect((await indexed(acme, `/emails?q=seldom&limit=2&before=${oldest}`)).body.data.map(numberOf)).toEqual([
      600, 300,
    ])
  },
  120_000,
)

const page1 = async (client: Client, q: string) =>
  (await indexed(client, `/emails?q=${encodeURIComponent(q)}&limit=1`)).body.data[0]

test('indexing that ends in the middle loses nothing, and the job carries on with it', async () => {
  const app = await startApp()
  const acme = await app.as('acme')
  await makeEmails(app, acme, (n) => `concat('mail ', ${n})`)
  const progress = async () =>
    (
      await app.db.query<{ low: string }>(
        sql`select low from search_progress where team_id = ${acme.team} and kind = 'email_documents'`,
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
  const teams = { all: TEAM_IDS, active: mailingTeams }
  await expect(indexJob(ending, { teams }).run({}, { db: app.db, signal: stopping.signal })).rejects.toThrow('stopped')
  const { signal } = new AbortController()
  await indexJob(emailSearch.source, { teams }).run({}, { db: app.db, signal })

  expect(await progress()).toBe('00000000-0000-0000-0000-000000000000')
  const [{ count }] = (await app.db.query(
    sql`select count(*)::int from email_documents where team_id = ${acme.team}`,
  )) as [{ count: number }]
  expect(count).toBe(EMAILS)
  expect(await pagesOf(acme, '"mail 1"')).toEqual(['mail 1'])
}, 60_000)

test('an item that is not ready while others are indexed is found once it is', async () => {
  const app = await startApp()
  const acme = await app.as('acme')
  await makeEmails(app, acme, (n) => `concat('mail ', ${n})`)
  await app.db.query(sql`
    insert into search_progress (team_id, kind, low, high) values (${acme.team}, 'email_documents', ${FIRST_ID}, ${FIRST_ID})`)
  const waiting = { ...emailSearch.source, isReady: () => sql`s.subject <> 'mail 5990'` }
  const { signal } = new AbortController()
  await indexJob(waiting, { teams: { all: TEAM_IDS, active: mailingTeams } }).run({}, { db: app.db, signal })

  expect(await pagesOf(acme, '"mail 5990"')).toEqual(['mail 5990'])
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
