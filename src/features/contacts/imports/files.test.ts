import { expect, test } from 'vitest'
import { type Client, startApp } from '../../../../test/harness/app.ts'
import { counts, importFile } from '../../../../test/harness/imports.ts'

// CSV as people have it.

type Listed = { email: string; first_name: string | null }

/** `{"ada@example.com": "Ada"}`: who is there, and by what first name. */
async function people(client: Client): Promise<Record<string, string | null>> {
  const { body } = await client.get('/contacts')
  return Object.fromEntries(body.data.map(({ email, first_name }: Listed) => [email, first_name]))
}

const ADA_AND_BOB = { 'ada@example.com': 'Ada', 'bob@example.com': 'Bob' }

test.each([
  ['lines end as on Windows', 'email,first_name\r\nada@example.com,Ada\r\nbob@example.com,Bob\r\n'],
  ['the last line has no end', 'email,first_name\nada@example.com,Ada\nbob@example.com,Bob'],
  ['there is a byte order mark', '\ufeffemail,first_name\nada@example.com,Ada\nbob@example.com,Bob\n'],
  [
    'the mark stands before a quote',
    '\ufeff"email","first_name"\r\n"ada@example.com","Ada"\r\n"bob@example.com","Bob"',
  ],
  ['semicolons separate', 'email;first_name\nada@example.com;Ada\nbob@example.com;Bob\n'],
  ['tabs separate', 'email\tfirst_name\nada@example.com\tAda\nbob@example.com\tBob\n'],
  ['lines are empty', 'email,first_name\n\nada@example.com,Ada\n\r\n\nbob@example.com,Bob\n\n\n'],
  ['the first line is empty', '\n\nemail;first_name\nada@example.com;Ada\nbob@example.com;Bob\n'],
  ['there is space around', ' email , first_name \n ada@example.com , Ada \n\tbob@example.com,Bob  \n'],
  ['columns are missing or too many', 'first_name,email,x\nAda,ada@example.com\nBob,bob@example.com,1,2,3\n'],
])('a file is understood when %s', async (_what, file) => {
  const app = await startApp()
  const acme = await app.as('acme')

  const done = await importFile(app, acme, file)

  expect(done).toMatchObject({ status: 'completed', counts: counts({ total: 2, created: 2 }) })
  expect(await people(acme)).toEqual(ADA_AND_BOB)
})

test('quotes hold separators, line ends and quotes', async () => {
  const app = await startApp()
  const acme = await app.as('acme')

  await importFile(
    app,
    acme,
    'email,first_name\nada@example.com,"Ada, ""Countess""\r\nof Lovelace"\nbob@example.com,O"Bob\n',
  )

  expect(await people(acme)).toEqual({
    'ada@example.com': 'Ada, "Countess"\r\nof Lovelace',
    'bob@example.com': 'O"Bob',
  })
})

test('a quote that is never closed costs one row', async () => {
  const app = await startApp()
  const acme = await app.as('acme')

  const done = await importFile(
    app,
    acme,
    'email,first_name\nada@example.com,Ada\neve@example.com,"Eve\nbob@example.com,Bob\n',
  )

  expect(done).toMatchObject({ status: 'completed', counts: counts({ total: 3, created: 2, failed: 1 }) })
  expect(await people(acme)).toEqual(ADA_AND_BOB)
})

test('a quote that is never closed costs one row of a long file, too', async () => {
  const app = await startApp()
  const acme = await app.as('acme')
  const lines = Array.from({ length: 5_000 }, (_, n) => `user${n}@example.com,Name ${n}`)
  lines[1_234] = 'user1234@example.com,"Broken'

  const done = await importFile(app, acme, `email,first_name\n${lines.join('\n')}\n`)

  expect(done).toMatchObject({ status: 'completed', counts: counts({ total: 5_000, created: 4_999, failed: 1 }) })
  expect(Object.keys(await people(acme))).not.toContain('user1234@example.com')
})

test('rows that are no contact are counted, and cost nobody else', async () => {
  const app = await startApp()
  const acme = await app.as('acme')
  const bad = [
    ',no,address,1',
    'nobody,false,free,1',
    'a@b,false,free,1',
    'a@example.com b@example.com,false,free,1',
    'eve@example.com,perhaps,free,1',
    'eve@example.com,constructor,free,1',
    'eve@example.com,__proto__,free,1',
    'eve@example.com,false,free,many',
    'eve@example.com,false,free,Infinity',
    'eve@example.com,false,fr\0ee,1',
    '   ',
  ]
  const file = ['email,unsubscribed,plan,size', 'ada@example.com,NO,free,1', ...bad, 'bob@example.com,1,,'].join('\n')

  const done = await importFile(app, acme, file, {
    column_map: { properties: { plan: { column: 'plan' }, size: { column: 'size', type: 'number' } } },
  })

  expect(done).toMatchObject({
    status: 'completed',
    counts: counts({ total: bad.length + 2, created: 2, failed: bad.length }),
  })
  expect((await acme.get('/contacts/ada@example.com')).body.unsubscribed).toBe(false)
  expect((await acme.get('/contacts/bob@example.com')).body).toMatchObject({ unsubscribed: true, properties: {} })
})

test('a file with nothing below its first line is done at once', async () => {
  const app = await startApp()
  const acme = await app.as('acme')

  for (const file of ['email', 'email\n', 'email,first_name\r\n\r\n'])
    expect(await importFile(app, acme, file)).toMatchObject({ status: 'completed', counts: counts({}) })
})

test('an address that stands twice in a file is one contact: the later row adds to the earlier', async () => {
  const app = await startApp()
  const acme = await app.as('acme')

  const done = await importFile(
    app,
    acme,
    'email,first_name,last_name,unsubscribed\nada@example.com,Ada,,true\nADA@example.com,,Lovelace,\nada@example.com,Augusta,,\n',
  )

  expect(done.counts).toEqual(counts({ total: 3, created: 1, updated: 2 }))
  expect((await acme.get('/contacts')).body.data).toMatchObject([
    { email: 'ada@example.com', first_name: 'Augusta', last_name: 'Lovelace', unsubscribed: true },
  ])
})

test('with skip, the first row of an address counts', async () => {
  const app = await startApp()
  const acme = await app.as('acme')

  const done = await importFile(app, acme, 'email,first_name\nada@example.com,Ada\nADA@example.com,Eve\n', {
    on_conflict: 'skip',
  })

  expect(done.counts).toEqual(counts({ total: 2, created: 1, skipped: 1 }))
  expect(await people(acme)).toEqual({ 'ada@example.com': 'Ada' })
})

// JavaScript and PostgreSQL do not agree on what the lower case of İ is.
test('addresses that only the database finds equal are one contact', async () => {
  const app = await startApp()
  const acme = await app.as('acme')
  const { body: segment } = await acme.post('/segments', { name: 'Imported' })
  const { body: topic } = await acme.post('/topics', { name: 'News' })

  const done = await importFile(app, acme, 'email,unsubscribed\nİ@example.com,true\ni@example.com,\nI@example.com,\n', {
    segments: [segment.id],
    topics: [{ id: topic.id, subscription: 'opt_out' }],
  })

  expect(done).toMatchObject({ status: 'completed', counts: { total: 3, failed: 0 } })
  const stored = (await acme.get('/contacts')).body.data.length
  expect(done.counts.created).toBe(stored)
})

test('a long file arrives whole: lines and characters do not break where its pieces do', async () => {
  const app = await startApp()
  const acme = await app.as('acme')
  const names = Array.from({ length: 12_000 }, (_, n) => `Änne 🐦 Ō${'ß'.repeat(n % 50)}tani ${n}`)
  const file = `email,first_name\r\n${names.map((name, n) => `user${n}@example.com,"${name}"\r\n`).join('')}`
  expect(Buffer.byteLength(file)).toBeGreaterThan(2 * 512 * 1024)

  const done = await importFile(app, acme, file)

  expect(done).toMatchObject({ status: 'completed', counts: counts({ total: 12_000, created: 12_000 }) })
  const imported = await people(acme)
  expect(names.filter((name, n) => imported[`user${n}@example.com`] !== name)).toEqual([])
})

test('a file that is not UTF-8 loses its foreign letters, and nothing else', async () => {
  const app = await startApp()
  const acme = await app.as('acme')

  const done = await importFile(app, acme, Buffer.from('email,first_name\nada@example.com,Andr\xe9\n', 'latin1'))

  expect(done.counts).toEqual(counts({ total: 1, created: 1 }))
  expect(await people(acme)).toEqual({ 'ada@example.com': 'Andr\ufffd' })
})
