import { expect, test } from 'vitest'
import { type Client, startApp } from '../../../../test/harness/app.ts'
import { counts, importFile, leftovers, runNow, upload } from '../../../../test/harness/imports.ts'

const make = async (client: Client, path: string, body: object): Promise<string> =>
  (await client.post(path, body)).body.id
const contact = async (client: Client, email: string) => (await client.get(`/contacts/${email}`)).body

test('an import is queued, then done, and its contacts are there', async () => {
  const app = await startApp()
  const acme = await app.as('acme')

  const created = await upload(acme, { file: 'email,first_name\nada@example.com,Ada\nbob@example.com,Bob\n' })
  const { id } = created.body
  const item = { object: 'contact_import', id, created_at: expect.any(String) }
  expect(created.status).toBe(201)
  expect(created.body).toEqual({ object: 'contact_import', id })
  expect((await acme.get(`/contacts/imports/${id}`)).body).toEqual({
    ...item,
    status: 'queued',
    completed_at: null,
    counts: counts({}),
  })

  await runNow(app)
  const done = {
    ...item,
    status: 'completed',
    completed_at: expect.any(String),
    counts: counts({ total: 2, created: 2 }),
  }
  expect((await acme.get(`/contacts/imports/${id}`)).body).toEqual(done)
  expect((await acme.get('/contacts/imports')).body.data).toEqual([done])
  expect((await acme.get('/contacts/imports?status=queued')).body.data).toEqual([])
  expect((await acme.get('/contacts/imports?status=completed')).body.data).toEqual([done])
  expect(await contact(acme, 'bob@example.com')).toMatchObject({ first_name: 'Bob', unsubscribed: false })
  expect(await leftovers(app, acme)).toEqual({ imports: 1, pieces: 0 })
})

test('the columns are found by their names, letter by letter', async () => {
  const app = await startApp()
  const acme = await app.as('acme')

  await importFile(app, acme, 'First_name,last_name,unsubscribed,email,shoe\nAda,Lovelace,yes,ada@example.com,38\n')

  expect(await contact(acme, 'ada@example.com')).toMatchObject({
    first_name: null,
    last_name: 'Lovelace',
    unsubscribed: true,
    properties: {},
  })
})

test('a column map says which column is what, and makes the properties that it names', async () => {
  const app = await startApp()
  const acme = await app.as('acme')
  await acme.post('/contact-properties', { key: 'size', type: 'number' })
  const column_map = {
    email: 'Mail',
    first_name: 'Given name',
    properties: {
      plan: { column: 'Plan' },
      age: { column: 'Age', type: 'number' },
      vip: { column: 'VIP', type: 'boolean' },
      size: { column: 'Size', type: 'string' },
    },
  }

  const done = await importFile(
    app,
    acme,
    'Mail,Given name,Plan,Age,VIP,Size\nada@example.com,Ada,free,36,true,38.5\n',
    {
      column_map,
    },
  )

  expect(done.counts).toEqual(counts({ total: 1, created: 1 }))
  expect(await contact(acme, 'ada@example.com')).toMatchObject({
    first_name: 'Ada',
    properties: {
      plan: { type: 'string', value: 'free' },
      age: { type: 'number', value: 36 },
      vip: { type: 'string', value: 'true' },
      size: { type: 'number', value: 38.5 },
    },
  })
})

test('what is known already is updated, and what the file leaves empty stays', async () => {
  const app = await startApp()
  const acme = await app.as('acme')
  await acme.post('/contact-properties', { key: 'plan', type: 'string' })
  const known = { email: 'Ada@example.com', first_name: 'Ada', unsubscribed: true, properties: { plan: 'free' } }
  const id = await make(acme, '/contacts', known)

  const done = await importFile(
    app,
    acme,
    'email,first_name,last_name,unsubscribed\nADA@example.com,,Lovelace,\nbob@example.com,,,\n',
  )

  expect(done.counts).toEqual(counts({ total: 2, created: 1, updated: 1 }))
  expect(await contact(acme, id)).toMatchObject({
    email: 'Ada@example.com',
    first_name: 'Ada',
    last_name: 'Lovelace',
    unsubscribed: true,
    properties: { plan: { value: 'free' } },
  })
})

test('with skip, what is known already stays as it is', async () => {
  const app = await startApp()
  const acme = await app.as('acme')
  const segment = await make(acme, '/segments', { name: 'Imported' })
  await acme.post('/contacts', { email: 'ada@example.com', first_name: 'Ada' })

  const done = await importFile(
    app,
    acme,
    'email,first_name,unsubscribed\nADA@example.com,Eve,true\nbob@example.com,Bob,\n',
    {
      on_conflict: 'skip',
      segments: [segment],
    },
  )

  expect(done.counts).toEqual(counts({ total: 2, created: 1, skipped: 1 }))
  expect(await contact(acme, 'ada@example.com')).toMatchObject({ first_name: 'Ada', unsubscribed: false })
  expect((await acme.get(`/segments/${segment}/contacts`)).body.data).toMatchObject([{ email: 'bob@example.com' }])
})

test('the contacts of a file join segments and topics', async () => {
  const app = await startApp()
  const acme = await app.as('acme')
  const [one, two] = [await make(acme, '/segments', { name: 'One' }), await make(acme, '/segments', { name: 'Two' })]
  const topic = await make(acme, '/topics', { name: 'News', default_subscription: 'opt_in' })
  await acme.post('/contacts', { email: 'ada@example.com' })

  await importFile(app, acme, 'email\nada@example.com\nbob@example.com\n', {
    segments: [{ id: one }, two],
    topics: [{ id: topic, subscription: 'opt_out' }],
  })

  for (const segment of [one, two]) expect((await acme.get(`/segments/${segment}/contacts`)).body.data).toHaveLength(2)
  for (const email of ['ada@example.com', 'bob@example.com'])
    expect((await acme.get(`/contacts/${email}/topics`)).body.data).toMatchObject([{ subscription: 'opt_out' }])
})

test('imported contacts are no events: a file of a million must not be a million webhooks', async () => {
  const app = await startApp()
  const acme = await app.as('acme')

  await importFile(app, acme, 'email\nada@example.com\n')

  expect(await acme.events()).toEqual([])
})

test('an import of one team is none of another', async () => {
  const app = await startApp()
  const [acme, globex] = [await app.as('acme'), await app.as('globex')]
  const segment = await make(globex, '/segments', { name: 'Theirs' })
  const { id } = await importFile(app, acme, 'email\nada@example.com\n')

  expect((await globex.get(`/contacts/imports/${id}`)).body.message).toBe('Contact import not found')
  expect((await globex.get('/contacts/imports')).body.data).toEqual([])
  expect((await globex.get('/contacts')).body.data).toEqual([])
  expect((await upload(acme, { segments: JSON.stringify([segment]), file: 'email\n' })).status).toBe(404)
})

test('each row can name its segments, its topics and when it was created', async () => {
  const app = await startApp()
  const acme = await app.as('acme')
  const news = await make(acme, '/topics', { name: 'News', default_subscription: 'opt_in' })
  const readers = await make(acme, '/segments', { name: 'Readers' })
  const customers = await make(acme, '/segments', { name: 'Customers' })
  const file = [
    'email,segments,topics,created_at',
    `ada@example.com,Readers; ${customers},News=opt_out,2024-05-06T07:08:09Z`,
    'bob@example.com,Readers,,',
    'eve@example.com,Nobody,,',
    'joe@example.com,,Nothing=opt_in,',
    'kim@example.com,,,yesterday',
    'bob@example.com,Customers,News,',
  ].join('\n')

  const silent = await importFile(app, acme, file)
  const before = (await acme.get('/contacts?include=segments,topics')).body.data
  const column_map = { segments: 'segments', topics: 'topics', created_at: 'created_at' }
  const { id } = (await upload(acme, { file, column_map: JSON.stringify(column_map) })).body
  await runNow(app)

  expect(silent).toBeDefined()
  expect(before.flatMap(({ segments, topics }: { segments: []; topics: [] }) => [...segments, ...topics])).toEqual([])
  expect((await acme.get(`/contacts/imports/${id}`)).body.counts).toEqual(
    counts({ total: 6, created: 0, updated: 3, failed: 3 }),
  )
  const errors = (await acme.get(`/contacts/imports/${id}/errors`)).body.data
  expect(errors.map(({ row, column, reason }: Record<string, unknown>) => [row, column, reason])).toEqual([
    [4, 'segments', 'There is no segment Nobody.'],
    [5, 'topics', 'There is no topic Nothing.'],
    [6, 'created_at', 'Not a date.'],
  ])
  const { data } = (await acme.get('/contacts?include=segments,topics&email=b')).body
  const ofBob = data.find(({ email }: { email: string }) => email === 'bob@example.com')
  expect(ofBob.segments.map((one: { id: string }) => one.id).sort()).toEqual([readers, customers].sort())
  expect(ofBob.topics).toMatchObject([{ id: news, subscription: 'opt_in' }])
})

test('a contact that is new in a file can be as old as the file says', async () => {
  const app = await startApp()
  const acme = await app.as('acme')
  const file = 'email,since\nada@example.com,2024-05-06T07:08:09Z\nbob@example.com,2999-01-01T00:00:00Z\n'

  await upload(acme, { file, column_map: JSON.stringify({ created_at: 'since' }) })
  await runNow(app)

  expect((await contact(acme, 'ada@example.com')).created_at).toBe('2024-05-06 07:08:09.0+00')
  expect(new Date((await contact(acme, 'bob@example.com')).created_at).getTime()).toBeLessThan(
    app.clock.now().getTime() + 1,
  )
  const listed = (await acme.get('/contacts')).body.data.map(({ email }: { email: string }) => email)
  expect(listed).toEqual(['bob@example.com', 'ada@example.com'])
})
