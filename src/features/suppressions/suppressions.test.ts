import { expect, test } from 'vitest'
import { startApp } from '../../../test/harness/app.ts'
import { newId } from '../../../test/harness/ids.ts'
import { sql } from '../../kernel/db/sql.ts'

test('an address is suppressed, shown by id and by address, and released', async () => {
  const app = await startApp()
  const acme = await app.as('acme')

  const added = await acme.post('/suppressions', { email: 'ada+news@example.com' })
  const { id } = added.body
  const item = { id, email: 'ada+news@example.com', origin: 'manual', source_id: null, created_at: expect.any(String) }
  expect(added.body).toEqual({ object: 'suppression', id: expect.any(String) })
  for (const name of [id, 'ada+news@example.com', 'ada%2Bnews%40example.com', 'ADA%2BNEWS%40EXAMPLE.COM'])
    expect((await acme.get(`/suppressions/${name}`)).body).toEqual({ object: 'suppression', ...item })
  expect((await acme.get('/suppressions')).body.data).toEqual([item])

  const path = '/suppressions/ada%2Bnews%40example.com'
  expect((await acme.delete(path)).body).toEqual({ object: 'suppression', id, deleted: true })
  expect((await acme.delete(path)).body.message).toBe('Suppression not found')
})

test('an address that is suppressed already keeps its id', async () => {
  const app = await startApp()
  const acme = await app.as('acme')

  const first = await acme.post('/suppressions', { email: 'ada@example.com' })
  const again = await acme.post('/suppressions', { email: 'ADA@example.com' })

  expect(again.status).toBe(201)
  expect(again.body).toEqual(first.body)
  expect((await acme.get('/suppressions')).body.data).toHaveLength(1)
})

test('a batch answers with one id for each address, in the order given', async () => {
  const app = await startApp()
  const acme = await app.as('acme')
  const { body: known } = await acme.post('/suppressions', { email: 'bob@example.com' })

  const { status, body } = await acme.post('/suppressions/batch/add', {
    emails: ['ada@example.com', 'BOB@example.com', 'Ada@example.com', 'cy@example.com'],
  })

  expect(status).toBe(201)
  expect(Object.keys(body)).toEqual(['data'])
  const [ada, bob, adaAgain, cy] = body.data
  expect(bob).toEqual(known)
  expect(adaAgain).toEqual(ada)
  expect((await acme.get('/suppressions/cy@example.com')).body.id).toBe(cy.id)
  expect((await acme.get('/suppressions')).body.data).toHaveLength(3)
})

test('a batch is removed by addresses or by ids', async () => {
  const app = await startApp()
  const acme = await app.as('acme')
  const emails = ['ada@example.com', 'bob@example.com', 'cy@example.com']
  const { body: added } = await acme.post('/suppressions/batch/add', { emails })
  const [ada, bob, cy] = added.data

  const byAddress = await acme.post('/suppressions/batch/remove', { emails: ['ADA@example.com', 'nobody@example.com'] })
  const byId = await acme.post('/suppressions/batch/remove', { ids: [bob.id, newId(), bob.id] })

  expect(byAddress.body).toEqual({ data: [{ ...ada, deleted: true }] })
  expect(byId.body).toEqual({ data: [{ ...bob, deleted: true }] })
  expect((await acme.get('/suppressions')).body.data).toMatchObject([{ id: cy.id }])
})

test.each([
  ['batch/add', {}],
  ['batch/add', { emails: [] }],
  ['batch/add', { emails: Array.from({ length: 101 }, (_, n) => `user${n}@example.com`) }],
  ['batch/add', { emails: ['ada@example.com', 'nobody'] }],
  ['batch/remove', {}],
  ['batch/remove', { emails: [], ids: [] }],
  ['batch/remove', { emails: ['ada@example.com'], ids: [newId()] }],
  ['batch/remove', { ids: ['1'] }],
  ['batch/remove', { ids: Array.from({ length: 101 }, () => newId()) }],
])('%s refuses %j as a whole', async (path, body) => {
  const app = await startApp()
  const acme = await app.as('acme')
  await acme.post('/suppressions', { email: 'bob@example.com' })

  const reply = await acme.post(`/suppressions/${path}`, body)

  expect(reply.status).toBe(422)
  expect((await acme.get('/suppressions')).body.data).toHaveLength(1)
})

test('a hundred addresses are a batch', async () => {
  const app = await startApp()
  const acme = await app.as('acme')
  const emails = Array.from({ length: 100 }, (_, n) => `user${n}@example.com`)

  const added = await acme.post('/suppressions/batch/add', { emails })
  const removed = await acme.post('/suppressions/batch/remove', { emails })

  expect(added.body.data).toHaveLength(100)
  expect(removed.body.data).toHaveLength(100)
})

test('each address of a batch gets its id, also while others add and remove it', async () => {
  const app = await startApp()
  const acme = await app.as('acme')
  const emails = ['ada@example.com', 'bob@example.com']
  const lengths: number[] = []
  const acts = [
    () => acme.post('/suppressions', { email: emails[0] }),
    () => acme.delete(`/suppressions/${emails[0]}`),
    async () => {
      const { status, body } = await acme.post('/suppressions/batch/add', { emails })
      if (status === 201) lengths.push(body.data.length)
    },
    () => acme.post('/suppressions/batch/remove', { emails }),
  ]

  const crowd = Array.from({ length: 8 }, async (_, n) => {
    for (let round = 0; round < 40; round++) await acts[(n + round) % acts.length]!()
  })
  await Promise.all(crowd)

  expect(lengths.filter((length) => length !== 2)).toEqual([])
})

test('the list can be narrowed to an origin', async () => {
  const app = await startApp()
  const acme = await app.as('acme')
  const { body: manual } = await acme.post('/suppressions', { email: 'ada@example.com' })
  const bounced = newId()
  await app.db.query(sql`
    insert into suppressions (team_id, id, email, origin, source_id, created_at)
    values (${acme.team}, ${bounced}, 'bob@example.com', 'bounce', ${newId()}, now())`)

  const ids = async (origin: string) =>
    (await acme.get(`/suppressions?origin=${origin}`)).body.data.map(({ id }: { id: string }) => id)

  expect(await ids('manual')).toEqual([manual.id])
  expect(await ids('bounce')).toEqual([bounced])
  expect(await ids('complaint')).toEqual([])
  expect((await acme.get('/suppressions?origin=spite')).body).toMatchObject({
    statusCode: 422,
    name: 'invalid_parameter',
  })
})

test('what is added and removed is in the outbox, once for each address', async () => {
  const app = await startApp()
  const acme = await app.as('acme')
  const { body: ada } = await acme.post('/suppressions', { email: 'ada@example.com' })

  await acme.post('/suppressions/batch/add', { emails: ['ada@example.com', 'bob@example.com'] })
  await acme.delete('/suppressions/ada@example.com')
  await acme.delete('/suppressions/ada@example.com')

  const event = {
    id: ada.id,
    email: 'ada@example.com',
    origin: 'manual',
    source_id: null,
    created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
  }
  expect(await acme.events()).toEqual([
    { type: 'suppression.added', data: event },
    { type: 'suppression.added', data: { ...event, id: expect.any(String), email: 'bob@example.com' } },
    { type: 'suppression.removed', data: event },
  ])
})

test('one team does not suppress for another', async () => {
  const app = await startApp()
  const [acme, globex] = [await app.as('acme'), await app.as('globex')]
  await acme.post('/suppressions', { email: 'ada@example.com' })

  expect((await globex.get('/suppressions/ada@example.com')).status).toBe(404)
  expect((await globex.delete('/suppressions/ada@example.com')).status).toBe(404)
  expect((await globex.post('/suppressions/batch/remove', { emails: ['ada@example.com'] })).body).toEqual({ data: [] })
  expect((await acme.get('/suppressions')).body.data).toHaveLength(1)
})

test('the list is narrowed to an address, or to a part of one', async () => {
  const acme = await (await startApp()).as('acme')
  for (const email of ['Ada@example.com', 'bob@elsewhere.example']) await acme.post('/suppressions', { email })
  const emails = async (query: string) =>
    (await acme.get(`/suppressions?${query}`)).body.data.map(({ email }: { email: string }) => email)

  expect(await emails('email=ada@EXAMPLE.com')).toEqual(['Ada@example.com'])
  expect(await emails('email=@else&origin=manual')).toEqual(['bob@elsewhere.example'])
  expect(await emails('email=example')).toHaveLength(2)
  expect(await emails('email=ada&origin=bounce')).toEqual([])
})
