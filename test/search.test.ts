import { expect, test } from 'vitest'
import { sql } from '../src/kernel/db/sql.ts'
import { type Client, startApp } from './harness/app.ts'
import { arrive, receivingDomain, written } from './harness/arriving.ts'
import { SIMPLE } from './harness/emails.ts'

const search = (client: Client, path: string, q: string, more = '') =>
  client.get(`${path}?q=${encodeURIComponent(q)}${more}`)

const idsOf = async (client: Client, path: string, q: string, more = '') => {
  const { body } = await search(client, path, q, more)
  expect(body, `${path} ${q}`).toMatchObject({ object: 'list' })
  return body.data.map(({ id }: { id: string }) => id) as string[]
}

/** What each search finds, by the names of the ids. */
async function findings(
  client: Client,
  path: string,
  expected: Readonly<Record<string, unknown>>,
  names: Readonly<Record<string, string>>,
) {
  const nameOf = new Map(Object.entries(names).map(([name, id]) => [id, name]))
  const find = async (q: string) => [q, (await idsOf(client, path, q)).map((id) => nameOf.get(id) ?? id).join(' ')]
  return Object.fromEntries(await Promise.all(Object.keys(expected).map(find)))
}

test('sent emails are found by words of subjects, parts of addresses and names, and operators', async () => {
  const app = await startApp()
  const acme = await app.as('acme')
  const send = async (email: object) => (await acme.post('/emails', { ...SIMPLE, ...email })).body.id as string
  const invoice = await send({
    from: 'Billing Desk <billing@acme.test>',
    to: 'Anna Müller <anna.mueller@north-wind.example>',
    subject: 'Invoice 4711 for October',
    text: 'secret-word',
  })
  const copy = await send({
    to: 'bob@example.com',
    cc: 'mary.anna@north-wind.example',
    subject: 'Re: annual report, 100%_off',
    tags: [{ name: 'plan', value: 'pro' }],
  })
  const file = await send({
    to: 'Zoë <zoe@example.com>',
    subject: 'October report: annual',
    attachments: [{ filename: 'a.txt', content: Buffer.from('a').toString('base64') }],
  })
  const later = await send({ to: 'eve@example.com', subject: 'Invoice draft', scheduled_at: 'in 1 hour' })
  const names = { invoice, copy, file, later }

  const expected = {
    invoice: 'later invoice',
    INVO: 'later invoice',
    nvoice: '',
    'october annual': 'file',
    '"annual report"': 'copy',
    '"report annual"': 'file',
    '"annual rep"': '',
    'invoice -draft': 'invoice',
    '-invoice': 'file copy',
    '-"annual report" report': 'file',
    muller: 'invoice',
    Müller: 'invoice',
    zoe: 'file',
    wind: 'copy invoice',
    'north-wind.exam': 'copy invoice',
    anna: 'copy invoice',
    'anna.mueller@north': 'invoice',
    'to:anna@north-wind.example': '',
    'to:mary.anna@north-wind.example': 'copy',
    'to:anna': 'copy invoice',
    'to:@example.com': 'later file copy',
    'from:billing': 'invoice',
    'to:billing': '',
    '-from:billing october': 'file',
    'subject:anna': '',
    'subject:"annual report"': 'copy',
    '100%_off': 'copy',
    'secret-word': '',
    'tag:plan': 'copy',
    'tag:plan=pro': 'copy',
    'tag:plan:pro': 'copy',
    'tag:plan=free': '',
    'has:attachment': 'file',
    '-has:attachment october': 'invoice',
    'status:scheduled': 'later',
    'status:scheduled invoice': 'later',
    '-status:scheduled invoice': 'invoice',
    'status:bounced invoice': '',
    'after:2001-01-01 invoice': 'later invoice',
    'before:2001-01-01 invoice': '',
    '-before:2001-01-01 invoice': 'later invoice',
    'before:2001-01-01': '',
    'after:2001-01-01T10:00:00+02:00 status:scheduled': 'later',
    '': 'later file copy invoice',
    '" - "': 'later file copy invoice',
    'nothing-like-this': '',
  }
  expect(await findings(acme, '/emails', expected, names)).toEqual(expected)

  const byText = {
    'secret-word': 'invoice',
    invoice: 'invoice',
    'status:sent october': 'file invoice',
    'tag:plan=pro has:attachment': '',
    '-secret october': 'file',
  }
  expect(await findings(acme, '/messages', byText, names)).toEqual(byText)
  expect(await idsOf(acme, '/messages', 'october', '&direction=received')).toEqual([])
  expect(await idsOf(acme, '/messages', 'october', '&to=zoe@example.com')).toEqual([file])

  // Other filters narrow it.
  expect(await idsOf(acme, '/emails', 'invoice', '&status=scheduled')).toEqual([later])
  expect(await idsOf(acme, '/emails', 'status:sent', '&status=scheduled')).toEqual([])
  expect(await idsOf(acme, '/emails', 'october', '&to=zoe')).toEqual([file])
  expect(await idsOf(acme, '/emails', 'report', '&tag=plan:pro')).toEqual([copy])
  expect(await idsOf(acme, '/emails', 'report', '&created_before=2001-01-01')).toEqual([])

  // It pages as the list does.
  expect(await idsOf(acme, '/emails', 'invoice', `&limit=1&after=${later}`)).toEqual([invoice])
  expect(await idsOf(acme, '/emails', 'invoice', `&limit=1&before=${invoice}`)).toEqual([later])
  expect((await search(acme, '/emails', 'invoice', '&limit=1')).body).toMatchObject({
    has_more: true,
    data: [{ id: later }],
  })
  expect((await search(acme, '/emails', 'invoice', '&limit=2')).body.has_more).toBe(false)

  const globex = await app.as('globex')
  for (const path of ['/emails', '/messages']) expect(await idsOf(globex, path, 'invoice')).toEqual([])
})

test('received emails are found by subject and addresses, and in all mail by their text', async () => {
  const app = await startApp()
  const acme = await app.as('acme')
  const { domain } = await receivingDomain(acme)
  const { message } = await arrive(app, written({ subject: 'Delivery note', body: 'The parcel is late\r\n' }), {
    to: [`desk@${domain}`],
  })

  expect(await idsOf(acme, '/emails/receiving', 'delivery')).toEqual([message])
  expect(await idsOf(acme, '/emails/receiving', 'to:desk from:ada')).toEqual([message])
  expect(await idsOf(acme, '/emails/receiving', 'parcel')).toEqual([])
  expect(await idsOf(acme, '/messages', '"parcel is late"')).toEqual([message])
  expect(await idsOf(acme, '/messages', 'parcel status:sent')).toEqual([])
  expect(await idsOf(acme, '/messages', 'parcel -status:sent')).toEqual([message])
})

test('what changes is found by what it is now', async () => {
  const app = await startApp()
  const acme = await app.as('acme')
  const create = async (path: string, body: object) => (await acme.post(path, body)).body.id as string
  const ann = await create('/contacts', { email: 'ann.lee@north.example', first_name: 'Ann', last_name: 'Lee' })
  const bob = await create('/contacts', { email: 'bob@south.example', unsubscribed: true })
  const segment = await create('/segments', { name: 'All' })
  await acme.post(`/contacts/${bob}/segments/${segment}`)
  const contacts = {
    lee: 'ann',
    'ann@': 'ann',
    example: 'bob ann',
    'example -south': 'ann',
    'status:unsubscribed': 'bob',
    'status:subscribed': 'ann',
    'before:2001-01-01': '',
  }
  expect(await findings(acme, '/contacts', contacts, { ann, bob })).toEqual(contacts)
  expect(await idsOf(acme, '/contacts', 'example', `&segment_id=${segment}`)).toEqual([bob])
  expect(await idsOf(acme, '/contacts', 'example', '&email=ann')).toEqual([ann])
  expect(await idsOf(acme, '/contacts', 'example', `&limit=1&after=${bob}`)).toEqual([ann])

  await acme.patch(`/contacts/${ann}`, { last_name: 'Larsen', unsubscribed: true })
  const changed = { lee: 'ann', larsen: 'ann', 'status:subscribed': '' }
  expect(await findings(acme, '/contacts', changed, { ann, bob })).toEqual(changed)
  await acme.delete(`/contacts/${ann}`)
  expect(await idsOf(acme, '/contacts', 'larsen')).toEqual([])

  const suppressed = await create('/suppressions', { email: 'gone@far.example' })
  expect(await idsOf(acme, '/suppressions', 'far status:manual')).toEqual([suppressed])
  expect(await idsOf(acme, '/suppressions', 'far status:bounce')).toEqual([])
  expect(await idsOf(acme, '/suppressions', 'far', '&origin=bounce')).toEqual([])

  const template = await create('/templates', { name: 'Welcome aboard', html: '<p>Hi</p>', subject: 'Your first day' })
  expect(await idsOf(acme, '/templates', 'welcome status:draft subject:first')).toEqual([template])
  await acme.patch(`/templates/${template}`, { name: 'Goodbye' })
  expect(await idsOf(acme, '/templates', 'welcome')).toEqual([])
  expect(await idsOf(acme, '/templates', 'goodbye')).toEqual([template])

  const broadcast = await create('/broadcasts', {
    ...{
      segment_id: segment,
      from: 'News <news@acme.dev>',
      subject: 'November issue',
      html: '<p>Hi</p>',
      name: 'Monthly',
    },
  })
  expect(await idsOf(acme, '/broadcasts', 'monthly from:news subject:"november issue"')).toEqual([broadcast])
  expect(await idsOf(acme, '/broadcasts', '-status:draft')).toEqual([])
})

test('logs are found by path, status and who called', async () => {
  const app = await startApp()
  const acme = await app.as('acme')
  await acme.get('/contacts/01932b5c-7d3e-7c46-9a51-6f6f0c1d2e3f')
  await acme.get('/topics')
  const pathsOf = async (q: string) =>
    (await search(acme, '/logs', q)).body.data.map(({ endpoint }: { endpoint: string }) => endpoint)

  await expect.poll(() => pathsOf('topics')).toEqual(['/topics'])
  expect(await pathsOf('status:404')).toEqual(['/contacts/01932b5c-7d3e-7c46-9a51-6f6f0c1d2e3f'])
  expect(await pathsOf('status:4xx get')).toHaveLength(1)
  expect(await pathsOf('status:5xx')).toEqual([])
})

const LISTS = [
  ...['/emails', '/emails/receiving', '/messages', '/contacts'],
  ...['/logs', '/templates', '/broadcasts', '/suppressions'],
]

test('whatever is written into the field is answered, and what a list does not know is named', async () => {
  const app = await startApp()
  const acme = await app.as('acme')
  const refused = {
    'size:12': /unknown operator `size:`\. This list knows .*`before:`/,
    'status:nonsense': /unknown (?:operator )?`status:`/,
    'before:yesterday': /ISO 8601/,
    'after:2026-02-30': /ISO 8601/,
    [Array.from({ length: 31 }, (_, at) => `w${at}`).join(' ')]: /at most 30/,
    ['"'.repeat(10_000)]: /q/,
    ['word '.repeat(1_000)]: /q/,
    'a\0b': /./,
  }
  const answered = [
    ...["'", '\\', '":*', '!&|()<->', "'; drop table emails; --", '%', '_', '.*+?^$ {}()|[]', '- -- ---', '"', '-"'],
    ...[
      'to:',
      ':',
      'https://acme.test/?a=b',
      '日本語',
      'ｆｕｌｌ',
      'ß',
      '\u0301',
      '😀',
      'x'.repeat(999),
      '"'.repeat(1_000),
    ],
    ...['before:0001-01-01', 'after:9999-12-31', '-after:9999-12-31 a', 'a '.repeat(29), 'a.'.repeat(400)],
  ]
  const answers = await Promise.all(
    LISTS.flatMap((path) => [
      ...Object.entries(refused).map(async ([q, message]) => {
        const { status, body } = await search(acme, path, q)
        return status === 422 && message.test(body.message) ? null : [path, q, status, body.message]
      }),
      ...answered.map(async (q) => {
        const { status } = await search(acme, path, q)
        return status === 200 ? null : [path, q, status]
      }),
    ]),
  )
  expect(answers.filter((one) => one !== null)).toEqual([])
}, 20_000)

test('what is deleted is in no index', async () => {
  const app = await startApp()
  const acme = await app.as('acme')
  const { id } = (await acme.post('/emails', { ...SIMPLE, subject: 'Forget me' })).body
  const contact = (await acme.post('/contacts', { email: 'forget@example.com' })).body.id as string
  await Promise.all(['/emails', '/messages', '/contacts'].map((path) => idsOf(acme, path, 'forget')))
  const documents = async (of: readonly string[]) => {
    const rows = await app.db.query<{ kind: string }>(
      sql`
        select kind from search_documents where team_id = ${acme.team} and id = any (${of}::uuid[])
        union all select 'email' from email_documents where team_id = ${acme.team} and id = any (${of}::uuid[]) order by kind`,
    )
    return rows.map(({ kind }) => kind)
  }
  expect(await documents([id, contact])).toEqual(['contact', 'email', 'message'])

  expect((await acme.delete(`/messages/${id}`)).status).toBe(200)
  await acme.delete(`/contacts/${contact}`)

  expect(await documents([id, contact])).toEqual([])
})
