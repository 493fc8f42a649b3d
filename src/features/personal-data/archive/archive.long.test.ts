import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { expect, test } from 'vitest'
import { type App, type Client, type Seams, startApp } from '../../../../test/harness/app.ts'
import { arrive, receivingTeam, submit, written } from '../../../../test/harness/arriving.ts'
import { sendEmail } from '../../../../test/harness/emails.ts'
import { passDays } from '../../../../test/harness/filled-periods.ts'
import { temporaryFolder } from '../../../../test/harness/installation.ts'
import type { BlobStore } from '../../../adapters/blobs/blob-store.ts'
import { SYSTEM } from '../../../kernel/audit/record.ts'
import { sql } from '../../../kernel/db/sql.ts'
import { corpus } from '../../../mail/parse/golden/corpus.ts'
import { dropOldPeriods } from '../../retention/jobs.ts'
import { begin, type Performance, perform } from '../perform.ts'

// Mail of all kinds, past its time and in the archive; then one of the people is erased.

const DAY = 86_400
const ADA = 'ada@example.com'
const BOB = 'bob@others.example'

let passed = 0

const drop = (app: App) => dropOldPeriods.run({}, { ...app.services, signal: new AbortController().signal })

/** Every odd mail of the corpus, and mail to her, to her and others, to others, through the service and past its time. */
async function archived(seams: Seams = {}, mails = corpus) {
  const settings = Object.fromEntries(
    ['EMAILS', 'RECEIVED', 'EVENTS', 'LOGS'].map((of) => [`POSTWREN_RETENTION_${of}`, '7d']),
  )
  const app = await startApp(
    { ...settings, POSTWREN_RETENTION_ARCHIVE: 'parquet', POSTWREN_DATA_DIR: temporaryFolder() },
    seams,
  )
  // One database for all tests of this file: a period that one of them drops is missing for the next.
  app.clock.advance(passed * DAY)
  await passDays(app, 1)
  const { client: acme, domain } = await receivingTeam(app, 'acme')
  for (const { raw } of mails) await arrive(app, raw, { to: [`desk@${domain}`], from: 'grace@example.net' })
  await app.runDueJobs()
  await sendEmail(acme, { to: ADA, subject: 'Hers', text: 'what only she may read' })
  await sendEmail(acme, { to: [`Ada <${ADA.toUpperCase()}>`, BOB], subject: 'Both', html: '<p>for two</p>' })
  await sendEmail(acme, {
    to: BOB,
    subject: 'His',
    html: `<a href="https://x.example/?e=${encodeURIComponent(ADA)}">x</a>`,
  })
  const others = await sendEmail(acme, { to: `n${ADA}`, subject: 'Nada', text: 'another person' })
  await submit(app, acme, written({ from: 'me@example.com', to: ADA, subject: 'By SMTP' }), [ADA])
  await acme.post('/contacts', { email: ADA })
  await app.deliverDue()
  await app.flush()
  const count = await countOf(app, acme)
  await passDays(app, 25)
  passed += 26
  return { app, acme, others, count }
}

const countOf = async (app: App, { team }: Client) =>
  (
    await app.db.query(sql`
      select (select count(*)::int from emails where team_id = ${team}) as emails,
        (select count(*)::int from received_emails where team_id = ${team}) as received_emails,
        (select count(*)::int from received_raws where team_id = ${team}) as received_raws`)
  )[0] as Record<string, number>

/** All rows of the archive as JSON, by table: read by somebody else's connection. */
async function rowsOf(app: App, { team }: Client): Promise<Record<string, string[]>> {
  const connection = await (await DuckDBInstance.create()).connect()
  const rows: Record<string, string[]> = {}
  for (const table of readdirSync(join(app.folder, 'archive'))) {
    const names = readdirSync(join(app.folder, 'archive', table), { recursive: true }) as string[]
    if (!names.some((name) => name.endsWith('.parquet'))) continue
    const files = `read_parquet('${join(app.folder, 'archive', table, '*', '*.parquet')}', union_by_name = true)`
    const described = (await connection.runAndReadAll(`describe select * from ${files}`)).getRowObjectsJson()
    const where = described.some(({ column_name }) => column_name === 'team_id') ? `where team_id = '${team}'` : ''
    const read = await connection.runAndReadAll(`select * from ${files} ${where}`)
    rows[table.replaceAll('-', '_')] = read
      .getRowObjectsJson()
      .map((row) => JSON.stringify(row))
      .sort()
  }
  connection.closeSync()
  return rows
}

/** Her address, and nobody's that ends like it. */
const naming = (rows: Record<string, string[]>) =>
  Object.entries(rows).flatMap(([table, some]) =>
    some
      .filter((row) =>
        /(?<![a-z0-9.+-])ada(\+\w+)?(@|%40|&#64;)example\.com(?![a-z0-9-]|\.[a-z])/i.test(
          row.replace(/\\+x[0-9a-f]{2}/gi, ' '),
        ),
      )
      .map(() => table),
  )

/** The manifests say what their files are. */
function checkManifests(app: App) {
  const root = join(app.folder, 'archive')
  const names = readdirSync(root, { recursive: true }) as string[]
  const manifests = names.filter((name) => name.endsWith('manifest.json'))
  for (const name of manifests) {
    const { files, rows } = JSON.parse(readFileSync(join(root, name), 'utf8'))
    expect(rows).toBe(files.reduce((sum: number, file: { rows: number }) => sum + file.rows, 0))
    for (const file of files) {
      const content = readFileSync(join(app.folder, file.key))
      const sha256 = createHash('sha256').update(content).digest('hex')
      expect(file).toEqual({ key: file.key, rows: file.rows, bytes: content.length, sha256 })
    }
  }
  expect(names.filter((name) => name.endsWith('.tmp'))).toEqual([])
  return manifests.length
}

async function ask(app: App, action: 'erase' | 'export', more: Partial<Performance> & { team?: string } = {}) {
  const { team = null, ...rest } = more
  const request = await begin(app.services, { team, action, address: ADA })
  return perform(app.services, request, { address: ADA, actor: SYSTEM, ...rest })
}

test('odd mail is archived row by row, found there, and what names a person goes from it', async () => {
  const { app, acme, others, count } = await archived()
  await drop(app)
  const before = await rowsOf(app, acme)
  const found: string[] = []

  const { counts: exported } = await ask(app, 'export', { each: async (table) => void found.push(table) })
  const { counts, isComplete } = await ask(app, 'erase')

  expect(Object.fromEntries(Object.keys(count).map((table) => [table, before[table]!.length]))).toEqual(count)
  expect(count.received_emails).toBe(corpus.length)
  expect(naming(before).length).toBeGreaterThan(100)
  expect(new Set(found)).toContain('archived_emails')
  expect(exported.archived_emails!.found).toBe(found.filter((table) => table === 'archived_emails').length)
  const after = await rowsOf(app, acme)
  expect([isComplete, naming(after)]).toEqual([true, []])
  expect(counts.archived_emails!.deleted).toBe(3)
  // What it said goes with a mail, though it names nobody.
  expect(JSON.stringify(before.email_bodies)).toContain('what only she may read')
  expect(JSON.stringify(after)).not.toContain('what only she may read')
  expect(JSON.stringify(after.emails)).toContain(others)
  for (const [table, rows] of Object.entries(after)) {
    expect([table, rows.filter((row) => !before[table]!.includes(row))]).toEqual([table, []])
    const gone = before[table]!.length - rows.length
    expect([table, gone]).toEqual([table, counts[`archived_${table}`]?.deleted ?? 0])
  }
  expect(checkManifests(app)).toBeGreaterThan(5)
  expect(readdirSync(join(app.services.config.DATA_DIR, 'tmp'))).toEqual([])
}, 300_000)

test('an erasure that is cut off anywhere in the archive goes on, and every manifest is right', async () => {
  let [puts, dyingAt] = [0, Number.POSITIVE_INFINITY]
  const blobs = (real: BlobStore): BlobStore => ({
    get: (key) => real.get(key),
    open: (key) => real.open(key),
    remove: (key) => real.remove(key),
    archived: () => real.archived(),
    async put(key, content) {
      if (++puts === dyingAt) throw new Error('the process was killed')
      await real.put(key, content)
    },
  })
  const { app, acme } = await archived({ blobs }, corpus.slice(0, 3))
  await drop(app)
  // Before anything is noted; noted and not replaced; replaced and not noted.
  for (const run of [1, 2, 3]) {
    ;[puts, dyingAt] = [0, run]
    await expect(ask(app, 'erase')).rejects.toThrow('the process was killed')
  }
  dyingAt = Number.POSITIVE_INFINITY

  const { isComplete } = await ask(app, 'erase')
  const rows = await rowsOf(app, acme)
  expect([isComplete, naming(rows)]).toEqual([true, []])
  expect(JSON.stringify(rows)).not.toContain('what only she may read')
  checkManifests(app)
}, 300_000)

test('of one team only, nothing without DuckDB, and nobody archives meanwhile', async () => {
  const { app, acme } = await archived({}, [])
  await begin(app.services, { team: null, action: 'erase', address: 'zoe@example.com' })
  await drop(app)
  expect((await countOf(app, acme)).emails).toBeGreaterThan(0)
  await app.db.query(sql`delete from personal_data_requests`)
  await drop(app)
  const before = await rowsOf(app, acme)

  const without = await ask(app, 'erase', { canReadArchive: async () => false })
  const foreign = await ask(app, 'erase', { team: (await app.as('globex')).team })

  expect(without.isComplete).toBe(false)
  expect(without.counts.archive!.pending).toBeGreaterThan(3)
  expect(foreign.isComplete).toBe(true)
  expect(await rowsOf(app, acme)).toEqual(before)
  expect((await ask(app, 'erase', { team: acme.team })).isComplete).toBe(true)
  expect(naming(await rowsOf(app, acme))).toEqual([])
}, 300_000)
