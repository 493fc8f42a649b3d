import { expect, test } from 'vitest'
import { raw, sql } from '../src/kernel/db/sql.ts'
import { findPartitions } from '../src/kernel/partitions/catalog.ts'
import { PARTITIONED_TABLES } from '../src/kernel/partitions/tables.ts'
import { type App, type Client, startApp } from './harness/app.ts'
import { passDays } from './harness/filled-periods.ts'

// Emails of ten weeks, each week in a partition: what is looked for is near, far, in one crowded hour, or everywhere.

const EMAILS = 14_000
const WEEKS = 10
const WEEK_MS = 7 * 86_400_000
const DOCUMENTS = PARTITIONED_TABLES.find(({ name }) => name === 'email_documents')!

const isCrowded = (n: number) => n > 3_000 && n <= 6_000
/** What each word is in, by the number of the email; number 1 is the oldest. */
const WORDS: Readonly<Record<string, (n: number) => boolean>> = {
  everywhere: () => true,
  hundredth: (n) => n % 100 === 0,
  seldom: (n) => n % 700 === 0,
  crowded: isCrowded,
  ancient: (n) => n <= 5,
  newest: (n) => n > EMAILS - 30,
}

async function fill(app: App, { team }: Client) {
  const begin = app.clock.now().getTime() - WEEKS * WEEK_MS
  const step = Math.floor((WEEKS * WEEK_MS) / EMAILS)
  const subject = Object.entries({
    everywhere: 'true',
    hundredth: 'n % 100 = 0',
    seldom: 'n % 700 = 0',
    crowded: 'n > 3000 and n <= 6000',
    ancient: 'n <= 5',
    newest: `n > ${EMAILS - 30}`,
  }).map(([word, condition]) => `case when ${condition} then '${word} ' else '' end`)
  const at = sql`(${begin}::bigint + case when n > 3000 and n <= 6000 then 3000 * ${step}::bigint + n else n * ${step}::bigint end)`
  await app.db.queryPooled(sql`
    insert into emails (team_id, id, message_id, "from", "to", subject, last_event, created_at)
    select ${team}, (lpad(to_hex(${at}), 12, '0') || '70008' || substr(md5(n::text), 1, 15))::uuid, 'm' || n, 'shop@acme.test',
      jsonb_build_array('person' || n || '@example.com'), ${raw(subject.join(' || '))} || n,
      case when n % 50 = 0 then 'bounced' else 'delivered' end, to_timestamp(${at} / 1000.0)
    from generate_series(1, ${EMAILS}::bigint) n`)
}

/** The numbers of all that a search finds, page by page. */
async function numbersOf(client: Client, q: string, direction: 'after' | 'before'): Promise<number[]> {
  const found: number[] = []
  let cursor = direction === 'before' ? '&before=00000000-0000-7000-8000-000000000000' : ''
  for (;;) {
    const { status, body } = await client.get(`/emails?q=${encodeURIComponent(q)}&limit=100${cursor}`)
    if (status === 503) continue
    expect([q, status]).toEqual([q, 200])
    const page = body.data.map(({ subject }: { subject: string }) => Number(/\d+$/.exec(subject)![0]))
    found.push(...(direction === 'before' ? page.reverse() : page))
    if (!body.has_more) return direction === 'before' ? found.reverse() : found
    const edge = direction === 'after' ? body.data.at(-1) : body.data[0]
    cursor = `&${direction}=${edge.id}`
  }
}

test('whatever a search is for, it finds all of it in ten weeks, once, from both ends', async () => {
  const app = await startApp()
  const acme = await app.as('acme')
  await passDays(app, (WEEKS + 2) * 7)
  await fill(app, acme)
  const numbers = Array.from({ length: EMAILS }, (_, index) => EMAILS - index)
  const matching = (fits: (n: number) => boolean) => numbers.filter(fits)
  const searches: Record<string, (n: number) => boolean> = {
    ...WORDS,
    'hundredth seldom': (n) => n % 700 === 0,
    'everywhere seldom': (n) => n % 700 === 0,
    '-everywhere': () => false,
    'hundredth -crowded': (n) => n % 100 === 0 && !isCrowded(n),
    'status:bounced crowded': (n) => n % 50 === 0 && isCrowded(n),
    'status:bounced seldom': (n) => n % 700 === 0,
    'status:delivered ancient': (n) => n <= 5,
    'to:person137': (n) => `${n}`.startsWith('137'),
    nothinglikethis: () => false,
  }

  for (const [q, fits] of Object.entries(searches)) {
    const wanted = matching(fits)
    if (wanted.length < 4_000) expect([q, await numbersOf(acme, q, 'after')]).toEqual([q, wanted])
    if (wanted.length < 500) expect([q, await numbersOf(acme, q, 'before')]).toEqual([q, wanted])
  }
  const partitions = await findPartitions(app.db, DOCUMENTS)
  const filled = await Promise.all(
    partitions.map(async ({ name }) => (await app.db.query(sql`select from ${raw(name)} limit 1`)).length),
  )
  expect(filled.filter((rows) => rows > 0).length).toBeGreaterThanOrEqual(WEEKS)
}, 180_000)
