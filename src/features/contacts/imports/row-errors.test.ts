import { expect, test } from 'vitest'
import { type Client, startApp } from '../../../../test/harness/app.ts'
import { importFile } from '../../../../test/harness/imports.ts'
import { sql } from '../../../kernel/db/sql.ts'
import { ensureRecurring } from '../../../kernel/jobs/queries.ts'
import { sweepRowErrors } from './jobs.ts'
import { MAX_KEPT_ERRORS, MAX_RECORD_CHARACTERS } from './row-errors.ts'

const errorsOf = async (client: Client, id: string, query = '') =>
  (await client.get(`/contacts/imports/${id}/errors${query}`)).body

test('an import says which rows failed, where, and why', async () => {
  const app = await startApp()
  const acme = await app.as('acme')
  await acme.post('/contact-properties', { key: 'size', type: 'number' })
  const file = [
    'Mail,Name,out,Size',
    'ada@example.com,Ada,no,38',
    'not an address,Bob,no,40',
    '',
    ',Nobody,no,1',
    `${'x'.repeat(300)}@example.com,Cleo,no,2`,
    'dora@example.com,Dora,perhaps,3',
    'emma@example.com,Emma,no,large',
    'zero@example.com,Ze\0ro,no,4',
  ].join('\n')
  const column_map = {
    ...{ email: 'Mail', first_name: 'Name', unsubscribed: 'out' },
    properties: { size: { column: 'Size', type: 'number' } },
  }

  const { id, counts } = await importFile(app, acme, file, { column_map })

  expect(counts).toMatchObject({ total: 7, created: 1, failed: 6 })
  const { data, has_more } = await errorsOf(acme, id)
  expect(has_more).toBe(false)
  expect(data.map(({ row, column, reason }: Record<string, unknown>) => [row, column, reason])).toEqual([
    [3, 'Mail', 'Not a valid email address.'],
    [4, 'Mail', 'The email address is missing.'],
    [5, 'Mail', 'Not a valid email address.'],
    [6, 'out', 'Must be true or false.'],
    [7, 'Size', 'Not a number.'],
    [8, 'Name', 'The value contains a null character.'],
  ])
  expect(data[0]).toEqual({
    ...{ id: expect.any(String), row: 3, column: 'Mail', value: 'not an address', reason: expect.any(String) },
    record: { Mail: 'not an address', Name: 'Bob', out: 'no', Size: '40' },
  })
  expect(data[2].value).toHaveLength(200)
  expect(data[4]).toMatchObject({ value: 'large', record: { Mail: 'emma@example.com', Size: 'large' } })
  expect((await errorsOf(acme, id, '?limit=2')).data.map(({ row }: { row: number }) => row)).toEqual([3, 4])
  const [, second] = data
  const rest = await errorsOf(acme, id, `?limit=2&after=${second.id}`)
  expect(rest.data.map(({ row }: { row: number }) => row)).toEqual([5, 6])
})

test('rows beyond the contact limit of the team are named', async () => {
  const app = await startApp()
  const acme = await app.as('acme')
  await app.db.query(sql`insert into team_limits (team_id, contacts, updated_at) values (${acme.team}, 1, now())`)

  const { id } = await importFile(app, acme, 'email\nada@example.com\nbob@example.com\n')

  expect((await errorsOf(acme, id)).data).toMatchObject([
    { row: 3, column: null, value: null, reason: 'The contact limit of the team is reached.' },
  ])
})

test('of many failed rows the first are kept, over all batches, each in part', async () => {
  const app = await startApp()
  const acme = await app.as('acme')
  const long = 'y'.repeat(5_000)
  const rows = Array.from({ length: 2 * MAX_KEPT_ERRORS + 500 }, (_, row) =>
    row === 0 ? `nobody,${long}` : `nobody${row},`,
  )

  const { id, counts } = await importFile(app, acme, `email,note\n${rows.join('\n')}\n`)

  expect(counts.failed).toBe(rows.length)
  const [kept] = await app.db.query<{ count: number; last: number }>(sql`
    select count(*)::int as count, max(row_number)::int as last from contact_import_errors where import_id = ${id}`)
  expect(kept).toEqual({ count: MAX_KEPT_ERRORS, last: MAX_KEPT_ERRORS + 1 })
  const [first] = (await errorsOf(acme, id, '?limit=1')).data
  expect(`${first.record.email}${first.record.note}`).toHaveLength(MAX_RECORD_CHARACTERS)
})

test('the rows of an import are for its team alone, and go after 30 days', async () => {
  const app = await startApp()
  const [acme, globex] = [await app.as('acme'), await app.as('globex')]
  const { id } = await importFile(app, acme, 'email\nnobody\n')

  expect((await globex.get(`/contacts/imports/${id}/errors`)).status).toBe(404)
  expect((await errorsOf(acme, id)).data).toHaveLength(1)
  app.clock.advance(31 * 86_400)
  await ensureRecurring(app.db, [sweepRowErrors])
  await app.runDueJobs()

  expect((await errorsOf(acme, id)).data).toEqual([])
})
