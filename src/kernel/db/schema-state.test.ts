import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { freshDatabase } from '../../../test/harness/database.ts'
import { systemClock } from '../../platform/clock.ts'
import { migrate } from './migrate.ts'
import { findApplied, isContraction, newerSchema, objectionTo, schemaState } from './schema-state.ts'

const known = ['0001_a.sql', '0002_b.sql', '0003_c.sql'].map((name) => ({ name, text: name, checksum: `of ${name}` }))

test('tells which migrations are missing, unknown and changed', () => {
  const applied = [
    { name: '0001_a.sql', checksum: 'of 0001_a.sql' },
    { name: '0002_b.sql', checksum: 'of something else' },
    { name: '0004_d.sql', checksum: 'of 0004_d.sql' },
  ]

  const { missing, unknown, contractions, changed } = schemaState(applied, known)

  expect(missing.map(({ name }) => name)).toEqual(['0003_c.sql'])
  expect(unknown).toEqual(['0004_d.sql'])
  expect(contractions).toEqual(['0004_d.sql'])
  expect(changed).toEqual(['0002_b.sql'])
})

test('an older schema is no objection: it is migrated', () => {
  expect(objectionTo(schemaState([], known))).toBeNull()
})

test('of what a newer program has migrated only contractions are an objection', () => {
  const expansion = { name: '0004_d.sql', checksum: 'x', isContraction: false }
  const contraction = { name: '0005_e.sql', checksum: 'x', isContraction: true }

  expect(objectionTo(schemaState([expansion], known))).toBeNull()
  expect(newerSchema(schemaState([expansion], known))).toMatch(/newer Postwren \(0004_d\.sql\)/)
  expect(objectionTo(schemaState([expansion, contraction], known))?.message).toMatch(/newer Postwren \(0005_e\.sql\)/)
  expect(newerSchema(schemaState([], known))).toBeNull()
})

test('a first line says that older programs cannot work any more, and the list of the database keeps it', async () => {
  const connection = await freshDatabase()
  const client = await connected(connection)

  const { rows } = await client.query('select name from schema_migrations where is_contraction')

  const contractions = schemaState([]).missing.filter(isContraction)
  expect(rows.map(({ name }) => name).sort()).toEqual(contractions.map(({ name }) => name))
})

test('a program that a newer one has left expansions for starts, says so, and migrates nothing', async () => {
  const connection = await freshDatabase()
  const client = await connected(connection)
  await client.query(
    `insert into schema_migrations (name, checksum, applied_at, is_contraction) values ('9998_more.sql', 'x', now(), false)`,
  )
  onTestFinished(() => client.query(`delete from schema_migrations where name = '9998_more.sql'`).then(() => {}))
  const warnings: string[] = []

  const migrated = await migrate(connection, systemClock, { warn: (message) => warnings.push(message) })

  expect(migrated).toEqual([])
  expect(warnings).toEqual([
    expect.stringMatching(/^The database was migrated by a newer Postwren \(9998_more\.sql\)\./),
  ])
})

test('a list of migrations from before there was that column is read, and gets it with the next migration', async () => {
  const connection = await freshDatabase()
  const client = await connected(connection)
  await client.query('alter table schema_migrations drop column is_contraction')
  await client.query(`delete from schema_migrations where name = '0098_old_rows_are_within_bounds.sql'`)
  const before = await findApplied(client)

  await migrate(connection, systemClock)

  expect(before!.every((one) => one.isContraction)).toBe(true)
  const { rows } = await client.query(`select is_contraction from schema_migrations where name like '0098%'`)
  expect(rows).toEqual([{ is_contraction: false }])
})

async function connected(connection: pg.ClientConfig) {
  const client = new pg.Client(connection)
  await client.connect()
  onTestFinished(() => client.end())
  return client
}

test('a database that a newer program has migrated is refused in one line, and left as it is', async () => {
  const connection = await freshDatabase()
  const client = await connected(connection)
  await client.query(
    `insert into schema_migrations (name, checksum, applied_at) values ('9999_future.sql', 'x', now())`,
  )
  await client.query(`delete from schema_migrations where name = '0027_loose_blobs.sql'`)

  await expect(migrate(connection, systemClock)).rejects.toThrow(
    /^The database was migrated by a newer Postwren \(9999_future\.sql\)/,
  )

  const { rows } = await client.query(`select 1 from schema_migrations where name = '0027_loose_blobs.sql'`)
  expect(rows).toEqual([])
})
