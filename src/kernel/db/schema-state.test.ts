import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { freshDatabase } from '../../../test/harness/database.ts'
import { systemClock } from '../../platform/clock.ts'
import { migrate } from './migrate.ts'
import { objectionTo, schemaState } from './schema-state.ts'

const known = ['0001_a.sql', '0002_b.sql', '0003_c.sql'].map((name) => ({ name, text: name, checksum: `of ${name}` }))

test('tells which migrations are missing, unknown and changed', () => {
  const applied = [
    { name: '0001_a.sql', checksum: 'of 0001_a.sql' },
    { name: '0002_b.sql', checksum: 'of something else' },
    { name: '0004_d.sql', checksum: 'of 0004_d.sql' },
  ]

  const { missing, unknown, changed } = schemaState(applied, known)

  expect(missing.map(({ name }) => name)).toEqual(['0003_c.sql'])
  expect(unknown).toEqual(['0004_d.sql'])
  expect(changed).toEqual(['0002_b.sql'])
})

test('an older schema is no objection: it is migrated', () => {
  expect(objectionTo(schemaState([], known))).toBeNull()
})

test('a database that a newer program has migrated is refused in one line, and left as it is', async () => {
  const connection = await freshDatabase()
  const client = new pg.Client(connection)
  await client.connect()
  onTestFinished(() => client.end())
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
