import { generateKeyPairSync } from 'node:crypto'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { TLSSocket } from 'node:tls'
import pg from 'pg'
import { beforeAll, expect, onTestFinished, test } from 'vitest'
import { freshDatabase } from '../../../test/harness/database.ts'
import { selfSigned } from '../../adapters/tls/self-signed.ts'
import { systemClock } from '../../platform/clock.ts'
import { Database } from './database.ts'
import type { JsonRows } from './json-rows.ts'
import { type Sql, sql } from './sql.ts'

let config: Awaited<ReturnType<typeof freshDatabase>>

beforeAll(async () => {
  config = await freshDatabase()
})

function openDatabase(given = config) {
  const db = Database.connect(given, { clock: systemClock })
  onTestFinished(() => db.close())
  return db
}

const AS_IT_IS = { omitsNulls: false }

async function jsonOf(db: Database, statement: Sql, options = AS_IT_IS): Promise<JsonRows> {
  const [rows] = await db.query<JsonRows>(statement.asJson(options))
  return rows!
}

/** What PostgreSQL makes of the same rows. */
async function expectedOf(db: Database, statement: Sql): Promise<string[]> {
  const rows = await db.query<{ item: string }>(sql`select row_to_json(one)::text as item from (${statement}) one`)
  return rows.map(({ item }) => item)
}

const TEXTS = [
  ...[
    '',
    'plain',
    'a "quoted" text',
    'C:\\temp',
    'two\nlines\tand\u0001\u001f\u007f',
    '\b\f\r',
    'Grüße',
    '日本語',
    '🐦',
    'null',
    '{}',
  ],
  ...['</script>', '\u2028', 'x'.repeat(40_000), `${'ü'.repeat(20_000)}"`],
]

test('rows are written as row_to_json writes them, whatever is in them', async () => {
  const db = openDatabase()
  const statement = sql`
    select number, text, nullif(text, 'plain') as "or null", number % 2 = 0 as "is even",
      number::int8 * -1 as "long", number / 3::float8 as "part", (number || '.50')::numeric as "exact",
      gen_random_uuid() is null as "no id", '00000000-0000-4000-8000-000000000000'::uuid as "id",
      json_build_object('text', text, 'none', null) as "json", jsonb_build_object('text', text, 'list', array[1, 2]) as "jsonb",
      array[]::text[] as "nothing", array[text, 'b', null, 'a "b", {c}', 'NULL', E'\\\\', ' '] as "texts",
      array['00000000-0000-4000-8000-000000000000'::uuid] as "ids", '10.0.0.1'::inet as "inet", 'x'::varchar as "varchar"
    from unnest(${TEXTS}::text[]) with ordinality as given (text, number)`

  const rows = await jsonOf(db, statement)

  const expected = await expectedOf(db, statement)
  expect(rows.texts()).toEqual(expected)
  expect(rows.bytes.toString()).toBe(expected.join(','))
  expect(rows.textOfFirst(3)).toBe(expected.slice(0, 3).join(','))
  expect(rows.textOfFirst(1_000)).toBe(expected.join(','))
  expect(rows.last()).toEqual(JSON.parse(expected.at(-1)!))
})

test('numbers that JSON does not know are texts', async () => {
  const db = openDatabase()
  const statement = sql`
    select 'NaN'::float8 as a, 'Infinity'::float8 as b, '-Infinity'::numeric as c, -1.5e300::float8 as d, 1e-7::float8 as e`

  expect((await jsonOf(db, statement)).texts()).toEqual(await expectedOf(db, statement))
})

test('a value that is null is left out where that is asked for, also when it is the first', async () => {
  const db = openDatabase()
  const statement = sql`select null::text as a, 1 as b, null::int as c, 'x'::text as d`

  expect((await jsonOf(db, statement, { omitsNulls: true })).texts()).toEqual(['{"b":1,"d":"x"}'])
  expect((await jsonOf(db, statement)).texts()).toEqual(['{"a":null,"b":1,"c":null,"d":"x"}'])
})

test('no rows are no items', async () => {
  const rows = await jsonOf(openDatabase(), sql`select 1 as a where false`)

  expect(rows.count).toBe(0)
  expect(rows.texts()).toEqual([])
  expect(rows.textOfFirst(20)).toBe('')
  expect(rows.bytes).toHaveLength(0)
})

test('answers of one connection stay apart: rows as JSON, rows as objects, errors', async () => {
  const db = openDatabase()
  // In one turn, so that they are pipelined; of all sizes, so that they are cut anywhere.
  const answers = Array.from({ length: 300 }, (_, index) => {
    const size = (index * 7_919) % 5_000
    const rows = sql`select number, repeat('ä', ${size}::int) as text from generate_series(1, ${index % 5}::int) as number`
    if (index % 7 === 0)
      return db.query(sql`select 1 / (${index}::int - ${index}::int) as a`).catch((error) => error.code)
    if (index % 11 === 0)
      return db
        .query<JsonRows>(sql`select 1 / (number - 3) as a from generate_series(1, 5) as number`.asJson(AS_IT_IS))
        .catch((error) => error.code)
    return index % 2 === 0
      ? jsonOf(db, rows).then((json) => json.texts().map((text) => JSON.parse(text)))
      : db.query(rows)
  })

  for (const [index, answer] of (await Promise.all(answers)).entries()) {
    if (index % 7 === 0 || index % 11 === 0) expect(answer).toBe('22012')
    else {
      const text = 'ä'.repeat((index * 7_919) % 5_000)
      expect(answer).toEqual(Array.from({ length: index % 5 }, (_, number) => ({ number: number + 1, text })))
    }
  }
})

test('a type that is not known in JSON fails its statement, and no other', async () => {
  const db = openDatabase()
  const [failed, fine] = await Promise.allSettled([
    jsonOf(db, sql`select now() as a, 1 as b from generate_series(1, 3)`),
    jsonOf(db, sql`select 1 as b`),
  ])

  expect(failed).toMatchObject({
    status: 'rejected',
    reason: { message: expect.stringContaining('The column a is of the type 1184') },
  })
  expect(fine.status).toBe('fulfilled')
  expect((await jsonOf(db, sql`select 2 as b`)).texts()).toEqual(['{"b":2}'])
})

test('a long list of long rows is read in a transaction as well', async () => {
  const db = openDatabase()
  const statement = sql`select number as id, repeat(chr(65 + number % 26), 1 + number % 9000) as text from generate_series(1, 1000) as number`

  const rows = await db.transaction(async (trx) => (await trx.query<JsonRows>(statement.asJson(AS_IT_IS)))[0]!)

  expect(rows.count).toBe(1_000)
  expect(JSON.parse(`[${rows.bytes}]`)).toEqual(
    Array.from({ length: 1_000 }, (_, index) => ({
      id: index + 1,
      text: String.fromCharCode(65 + ((index + 1) % 26)).repeat(1 + ((index + 1) % 9_000)),
    })),
  )
})

/** What PostgreSQL would be with a certificate. */
async function overTls(): Promise<pg.ClientConfig> {
  const keys = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const [from, until] = [new Date(Date.now() - 1_000), new Date(Date.now() + 60_000)]
  const cert = selfSigned({ host: 'localhost', ...keys, from, until })
  const key = keys.privateKey.export({ type: 'pkcs8', format: 'pem' })
  const { host, port } = new pg.Client(config)
  const sockets: Socket[] = []
  const server = createServer(async (socket) => {
    const plain = host.startsWith('/') ? connect(`${host}/.s.PGSQL.${port}`) : connect(port, host)
    sockets.push(socket, plain)
    await once(socket, 'data') // asks for it
    socket.write('S')
    const encrypted = new TLSSocket(socket, { isServer: true, key, cert })
    for (const end of [socket, plain, encrypted]) end.on('error', () => {})
    encrypted.pipe(plain).pipe(encrypted)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return {
    ...config,
    host: '127.0.0.1',
    port: (server.address() as AddressInfo).port,
    ssl: { rejectUnauthorized: false },
  }
}

test('rows come over TLS, too', async () => {
  const db = openDatabase(await overTls())

  const rows = await jsonOf(
    db,
    sql`select number as id, repeat('ü', 500) as text from generate_series(1, 500) as number`,
  )

  expect(rows.count).toBe(500)
  expect(rows.last()).toEqual({ id: 500, text: 'ü'.repeat(500) })
})
