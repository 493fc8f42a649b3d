import { createWriteStream, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { type App, type Client, startApp } from '../../../../../test/harness/app.ts'
import { runCommand, teamNameOf } from '../../../../../test/harness/commands.ts'
import { importList } from '../commands.ts'
import { JsonSplitter } from './json-records.ts'

const SETTINGS = { POSTWREN_SECRET_KEY: Buffer.alloc(32, 'secret').toString('hex') }
const FIXTURES = 'test/fixtures/import'

type Flags = Record<string, string | boolean>

const run = async (app: App, to: Client, file: string, flags: Flags) =>
  runCommand(importList, [file], { team: await teamNameOf(app, to), ...flags }, SETTINGS)

const runJson = async (app: App, to: Client, file: string, flags: Flags) =>
  JSON.parse(await run(app, to, file, { ...flags, json: true }))

function fileWith(content: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'postwren-list-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  writeFileSync(join(folder, 'list'), content)
  return join(folder, 'list')
}

const NEW_YEAR = '2026-01-01 00:00:00.0+00'
const SECOND = '2026-01-02 03:04:05.0+00'
const AFTER_NOON = '2026-01-02 08:04:05.0+00'

/** What becomes of each file: the suppressions as `email origin created_at`, and what is left. */
const SUPPRESSIONS = [
  [
    'ses-suppressions.json',
    'ses',
    ['ada bounce 2026-03-04 05:06:07.89+00', `bob complaint ${NEW_YEAR.replace('.0+', '.123+')}`],
    { bad: 1 },
  ],
  ['ses-suppressions.csv', 'ses', ['ada bounce', 'bob complaint'], {}],
  ['sendgrid-bounces.csv', 'sendgrid', [`ada bounce ${NEW_YEAR}`], { skipped: 1 }],
  ['sendgrid-bounces.json', 'sendgrid', [`ada bounce ${NEW_YEAR}`, `bob bounce 2026-01-01 00:00:01.0+00`], {}],
  ['sendgrid-spam-reports.csv', 'sendgrid', [`ada complaint ${NEW_YEAR}`], {}],
  ['sendgrid-unsubscribes.csv', 'sendgrid', [`ada manual ${NEW_YEAR}`], {}],
  ['sendgrid-invalid-emails.json', 'sendgrid', [`ada bounce ${NEW_YEAR}`], {}],
  ['mailgun-bounces.json', 'mailgun', [`ada bounce ${SECOND}`], {}],
  ['mailgun-complaints.json', 'mailgun', [`ada complaint ${SECOND}`], {}],
  ['mailgun-unsubscribes.csv', 'mailgun', [`ada manual ${SECOND}`], { skipped: 1 }],
  [
    'postmark-suppressions.json',
    'postmark',
    [`ada bounce ${AFTER_NOON}`, `bob complaint ${AFTER_NOON}`, `eve manual ${AFTER_NOON}`],
    {},
  ],
  ['postmark-bounces.csv', 'postmark', [`ada bounce ${SECOND}`], { skipped: 1 }],
  [
    'postwren-suppressions.csv',
    'csv',
    ['ada bounce 2025-10-01 18:13:22.752+00', `bob complaint ${SECOND}`, 'eve manual'],
    { bad: 1 },
  ],
] as const

test.each(SUPPRESSIONS)('suppressions of %s are known as those of %s', async (file, provider, expected, left) => {
  const app = await startApp()
  const acme = await app.as(file)

  const flags = { kind: 'suppressions', ...(file === 'ses-suppressions.csv' && { from: 'ses' }) }
  const first = await runJson(app, acme, `${FIXTURES}/${file}`, flags)
  const second = await runJson(app, acme, `${FIXTURES}/${file}`, flags)

  const { data } = (await acme.get('/suppressions')).body
  const found = data
    .map((one: Record<string, string>) => `${one.email!.split('@')[0]} ${one.origin} ${one.created_at}`)
    .sort()
  for (const [index, text] of expected.entries()) expect(found[index]).toContain(text)
  expect(found).toHaveLength(expected.length)
  expect(first).toMatchObject({ from: provider, counts: { created: expected.length, ...left } })
  expect(second.counts).toMatchObject({ created: 0, unchanged: expected.length, ...left })
  expect(await acme.events()).toEqual([])
})

test('contacts of others come with names, topics, and the rest as properties', async () => {
  const app = await startApp()
  const acme = await app.as('acme')
  const news = (await acme.post('/topics', { name: 'News', default_subscription: 'opt_in' })).body.id
  const contact = async (email: string) => (await acme.get(`/contacts/${email}`)).body
  const value = (text: string | number) => ({ type: typeof text, value: text })

  const ses = await runJson(app, acme, `${FIXTURES}/ses-contacts.json`, { kind: 'contacts' })
  expect(ses.counts).toMatchObject({ created: 2, bad: 0 })
  expect(await contact('ada@example.com')).toMatchObject({ properties: { plan: value('pro'), seats: value(3) } })
  expect((await acme.get('/contacts/ada@example.com/topics')).body.data).toMatchObject([
    { id: news, subscription: 'opt_out' },
  ])
  expect(await contact('bob@example.com')).toMatchObject({ unsubscribed: true })

  const sendgrid = await runJson(app, acme, `${FIXTURES}/sendgrid-contacts.csv`, { kind: 'contacts' })
  expect(sendgrid).toMatchObject({ from: 'sendgrid', counts: { updated: 1 } })
  expect(await contact('ada@example.com')).toMatchObject({
    first_name: 'Ada',
    last_name: 'Lovelace',
    properties: { plan: value('pro'), country: value('GB'), shoe_size: value('38') },
  })

  const globex = await app.as('globex')
  const mailgun = await runJson(app, globex, `${FIXTURES}/mailgun-members.json`, { kind: 'contacts' })
  expect(mailgun).toMatchObject({ from: 'mailgun', counts: { created: 2 } })
  expect((await globex.get('/contacts/ada@example.com')).body).toMatchObject({
    first_name: 'Ada',
    last_name: 'King Lovelace',
  })
  expect((await globex.get('/contacts/bob@example.com')).body).toMatchObject({ unsubscribed: true })
})

test('a file of ours keeps ids, times, segments and topics of each row', async () => {
  const app = await startApp()
  const acme = await app.as('acme')
  await acme.post('/topics', { name: 'News', default_subscription: 'opt_in' })
  for (const name of ['Readers', 'VIP']) await acme.post('/segments', { name })

  const report = await runJson(app, acme, `${FIXTURES}/postwren-contacts.csv`, { kind: 'contacts' })

  expect(report.counts).toMatchObject({ created: 1, bad: 1 })
  expect(report.bad).toEqual([{ line: 3, reason: 'There is no segment Nobody' }])
  const { data } = (await acme.get('/contacts?include=properties,segments,topics')).body
  expect(data).toMatchObject([
    {
      ...{ id: '0199a000-0000-7000-8000-000000000001', email: 'ada@example.com', unsubscribed: true },
      ...{ created_at: '2025-10-01 18:13:22.752+00', properties: { plan: { value: 'pro' } } },
      ...{ segments: [{ name: 'Readers' }, { name: 'VIP' }], topics: [{ name: 'News', subscription: 'opt_out' }] },
    },
  ])
})

test('bad rows are counted, and the first are shown with their lines', async () => {
  const app = await startApp()
  const acme = await app.as('acme')
  const rows = Array.from({ length: 30 }, (_, index) => (index === 3 ? 'ok@example.com' : `bad ${index}`)).join('\n')

  const told = await run(app, acme, fileWith(`email\n\n${rows}\n`), { kind: 'suppressions' })

  expect(told.split('\n')[0]).toBe('30 suppressions (csv): 1 created, 29 bad.')
  expect(told).toContain('  line 3: ')
  expect(told).toContain('  … and 9 more bad rows')
})

test('a dry run writes nothing', async () => {
  const app = await startApp()
  const acme = await app.as('acme')

  const told = await run(app, acme, `${FIXTURES}/postmark-suppressions.json`, { kind: 'suppressions', 'dry-run': true })

  expect(told).toBe('Nothing was written. Of 3 suppressions (postmark): 3 created.')
  expect((await acme.get('/suppressions')).body.data).toEqual([])
})

test.each([
  [{}, 'x', '--kind must be one of suppressions, contacts.'],
  [{ kind: 'suppressions', from: 'others' }, 'x', '--from must be one of ses,'],
  [{ kind: 'suppressions' }, '/nowhere/list.csv', 'The file cannot be read'],
  [{ kind: 'contacts' }, '', 'The file is empty.'],
  [{ kind: 'contacts' }, 'name,age\nAda,36\n', 'no known form: it has name, age'],
  [{ kind: 'contacts' }, '{"items": []}', 'The file has no rows.'],
  [{ kind: 'contacts', origin: 'bounce' }, 'x', '--origin is for suppressions.'],
])('mistakes are one line: %j', async (flags, content, told) => {
  const app = await startApp()
  const acme = await app.as('acme')
  const file = content.startsWith('/') ? content : fileWith(content)

  await expect(run(app, acme, file, flags as Flags)).rejects.toThrow(told)
})

test('whoever says what a list is decides', async () => {
  const app = await startApp()
  const acme = await app.as('acme')

  const report = await runJson(app, acme, `${FIXTURES}/sendgrid-bounces.csv`, {
    kind: 'suppressions',
    origin: 'complaint',
  })

  expect(report.counts).toMatchObject({ created: 2, skipped: 0 })
  expect((await acme.get('/suppressions?origin=complaint')).body.data).toHaveLength(2)
})

test('JSON is split at any byte, whatever its texts contain', () => {
  const text =
    '{"items":[{"address":"a\\"]}{[","x":{"y":[1,{"z":2}]}},\n{"address":"é"}],"p":{"q":[]}}\n{"email":"line","tags":["a"]}\n{"email":'
  const bytes = Buffer.from(text)
  const whole = [...read([bytes])]
  for (let at = 1; at < bytes.length; at++)
    expect([...read([bytes.subarray(0, at), bytes.subarray(at)])]).toEqual(whole)

  expect(whole).toEqual([
    { line: 1, fields: { address: 'a"]}{[', x: { y: [1, { z: 2 }] } } },
    { line: 2, fields: { address: 'é' } },
    { line: 3, fields: { email: 'line', tags: ['a'] } },
    { line: 4, fields: null },
  ])
})

function* read(pieces: Buffer[]) {
  const splitter = new JsonSplitter()
  for (const piece of pieces) yield* splitter.push(piece)
  yield* splitter.end()
}

test('a long file is read in pieces', async () => {
  const app = await startApp()
  const acme = await app.as('acme')
  const file = fileWith('')
  const stream = createWriteStream(file)
  stream.write('[')
  for (let n = 0; n < 3_000; n++)
    stream.write(`${n > 0 ? ',' : ''}{"email":"s${n}@example.com","created":1767225600,"reason":"${'x'.repeat(500)}"}`)
  await new Promise((resolve) => stream.end(']', () => resolve(null)))

  const report = await runJson(app, acme, file, { kind: 'suppressions' })

  expect(report.counts).toMatchObject({ read: 3_000, created: 3_000 })
})
