import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import pg from 'pg'
import { beforeAll, describe, expect, test, vi } from 'vitest'
import { startEmbeddedPostgres } from '../../src/adapters/postgres/embedded.ts'
import { postwren } from '../harness/program.ts'
import { call, dataFolder, type Reply, Service } from '../harness/service.ts'

vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 })

// A database that an earlier build has filled (`scripts/make-upgrade-dump.mjs` made the dump), and this program on it.

const FIXTURE = join(import.meta.dirname, '../fixtures/upgrade')
const unpacked = (name: string) => gunzipSync(readFileSync(join(FIXTURE, name))).toString()

interface About {
  readonly token: string
  readonly secretKey: string
  /** The rows of each table. */
  readonly counts: Record<string, number>
  /** What each list of the API showed: the ids, by its path. */
  readonly lists: Record<string, readonly string[]>
  /** The files of the blob store. */
  readonly blobs: Record<string, string>
}

const about = JSON.parse(unpacked('about.json.gz')) as About

/** Written by whoever lists things or starts, before anything is looked at. */
const WRITTEN_BY_EVERY_START = ['request_logs', 'api_key_uses', 'nodes', 'jobs', 'schema_migrations', 'user_sessions']

let service: Service
let counts: Record<string, number>

const read = (path: string): Promise<Reply> => call({ url: service.url, token: about.token }, 'GET', path)
const send = (path: string, body: object) => call({ url: service.url, token: about.token }, 'POST', path, body)

beforeAll(async () => {
  const dataDir = dataFolder({ isMigrated: false, lifetime: 'file' })
  for (const [path, content] of Object.entries(about.blobs)) {
    const file = join(dataDir, 'blobs', path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, Buffer.from(content, 'base64'))
  }
  const server = await startEmbeddedPostgres({ dataDir, log: { info() {}, warn() {} } })
  const client = new pg.Client(server.connection)
  await client.connect()
  await client.query(unpacked('dump.sql.gz'))
  // The dump grows older, and what it holds would end by itself: sandboxes by their time, all else by sweeps, which are jobs.
  await client.query(
    `update sandboxes set expires_at = now() + interval '1 day'; update jobs set run_at = now() + interval '1 year'`,
  )
  const settings = {
    POSTWREN_API_KEY: about.token,
    POSTWREN_SECRET_KEY: about.secretKey,
    POSTWREN_RATE_LIMIT: '0',
    POSTWREN_DNS_SERVERS: '127.0.0.1:1',
    POSTWREN_PRIVATE_ADDRESSES: 'allow',
  }
  const environment = { ...settings, POSTWREN_DATA_DIR: dataDir }
  const { code, complaints } = await postwren(['migrate'], { environment, lifetime: 'file' })
  expect([code, complaints]).toEqual([0, []])
  counts = await countRows(client, Object.keys(about.counts))
  await client.end()
  service = await Service.start({ dataDir, lifetime: 'file', settings })
  await server.stop()
})

async function countRows(client: pg.Client, tables: readonly string[]): Promise<Record<string, number>> {
  const counted: Record<string, number> = {}
  for (const table of tables) {
    const { rows } = await client.query(`
      select to_regclass('public."${table}"') is not null as "isThere"`)
    if (!rows[0].isThere) continue
    const { rows: found } = await client.query(`select count(*)::int as count from "${table}"`)
    counted[table] = found[0].count
  }
  return counted
}

test('migrating loses no row of a table that is still there', () => {
  const before = Object.fromEntries(
    Object.entries(about.counts).filter(([table]) => table in counts && !WRITTEN_BY_EVERY_START.includes(table)),
  )

  expect(counts).toMatchObject(before)
  expect(Object.keys(counts).length).toBeGreaterThan(80)
})

describe('through the API', () => {
  /** Lists that have an item for each day, or for each request. */
  const DATED = /^\/logs|\/uses$/
  const LISTS = Object.keys(about.lists).filter((path) => !DATED.test(path))

  test('the dump has something of everything', () => {
    const filled = LISTS.filter((path) => about.lists[path]!.length > 0)
    for (const path of [
      '/emails',
      '/emails/receiving',
      '/contacts',
      '/broadcasts',
      '/automations',
      '/webhooks',
      '/inboxes',
    ])
      expect(filled).toContain(path)
    expect(filled.length).toBeGreaterThan(20)
  })

  test.each(LISTS)('%s shows what it showed', async (path) => {
    const { status, body } = await read(`${path}?limit=100`)

    expect(status).toBe(200)
    const ids = body.data.map(
      (item: { id?: string; key?: string; name?: string }) => item.id ?? item.key ?? item.name ?? null,
    )
    // What has gone on since, such as mail of an automation, may stand beside it.
    expect(ids).toEqual(expect.arrayContaining([...about.lists[path]!]))
  })

  test('an email has its content, its attachment and its history', async () => {
    const emails = await Promise.all(about.lists['/emails']!.map(async (id) => (await read(`/emails/${id}`)).body))
    const billed = emails.find(({ tags }) => tags?.length > 0)

    expect(billed).toMatchObject({
      subject: 'An invoice for the needle',
      html: '<p>Attached</p>',
      last_event: 'delivered',
    })
    const { body: attachments } = await read(`/emails/${billed.id}/attachments`)
    expect(await (await fetch(attachments.data[0].download_url)).text()).toBe('Total: 42')
  })

  test('an inbox finds its mail by a word', async () => {
    const [inbox] = about.lists['/inboxes']!
    const found = async (word: string) => (await read(`/inboxes/${inbox}/threads/search?query=${word}`)).body

    expect((await found('needle')).data).toMatchObject([{ subject: 'Where is the haystack?' }])
    expect((await found('nothing-like-it')).data).toEqual([])
  })

  test('new mail is sent, an event is recorded for its webhook, and the signing secret can be read', async () => {
    const [webhook] = about.lists['/webhooks']!
    expect((await read(`/webhooks/${webhook}`)).body.signing_secret).toMatch(/^whsec_/)
    const { status, body } = await send('/emails', {
      ...{ from: 'hello@acme.example', to: 'ada@example.com', subject: 'After the upgrade', text: 'Hi' },
    })
    expect(status).toBe(200)

    await service.stored(async () => expect((await read(`/emails/${body.id}`)).body.last_event).toBe('delivered'))
    const events = async () => (await read(`/webhooks/${webhook}/events?limit=100`)).body.data
    const before = about.lists[`/webhooks/${webhook}/events`]!
    await service.stored(async () => expect((await events()).length).toBeGreaterThan(before.length))
  })
})
