import { beforeEach, describe, expect, test } from 'vitest'
import { type App, type Client, startApp } from '../../../../test/harness/app.ts'
import { arriveAll } from '../../../../test/harness/filed-mail.ts'
import { newId } from '../../../../test/harness/ids.ts'
import { addMail, type MailToFind } from '../../../../test/harness/inbox-mail.ts'
import { type MadeInbox, makeInbox } from '../../../../test/harness/inboxes.ts'
import { sql } from '../../../kernel/db/sql.ts'

let app: App
let acme: Client
let inbox: MadeInbox

beforeEach(async () => {
  app = await startApp()
  acme = await app.as('acme')
  inbox = await makeInbox(acme)
})

const add = (mail: MailToFind) => addMail(app, inbox, mail)

const asked = (parameters: Record<string, string>, { path } = inbox) =>
  acme.get(`${path}/threads/search?${new URLSearchParams(parameters)}`)

interface Item {
  id: string
  subject: string
  matched_email_id: string
  matched_text: string | null
}

async function items(parameters: Record<string, string> | string): Promise<Item[]> {
  const { status, body } = await asked(typeof parameters === 'string' ? { query: parameters } : parameters)
  expect(status).toBe(200)
  return body.data
}

const subjects = async (parameters: Record<string, string> | string) =>
  (await items(parameters)).map(({ subject }) => subject)

describe('words', () => {
  test('all must be there, in whatever order and wherever in the email', async () => {
    await add({ subject: 'Order', text: 'The blue kettle has arrived broken.' })
    await add({ subject: 'Blue', text: 'A teapot.' })

    expect(await subjects('kettle blue')).toEqual(['Order'])
    expect(await subjects('BLUE')).toEqual(['Blue', 'Order'])
    expect(await subjects('blue unicorn')).toEqual([])
    expect(await subjects('kett')).toEqual([])
  })

  test('phrases are found in their order, and not across the parts of an email', async () => {
    await add({ subject: 'One', text: 'to be or not to be' })
    await add({ subject: 'Not to', text: 'be or to' })

    expect(await subjects('"or not to be"')).toEqual(['One'])
    expect(await subjects('"to be')).toEqual(['One'])
    expect(await subjects('"be not"')).toEqual([])
  })

  test('what is excluded is not found, also when nothing else is asked for', async () => {
    await add({ subject: 'Red', text: 'red kettle' })
    await add({ subject: 'Blue', text: 'blue kettle with a lid' })

    expect(await subjects('kettle -red')).toEqual(['Blue'])
    expect(await subjects('-red')).toEqual(['Blue'])
    expect(await subjects('-"with a lid"')).toEqual(['Red'])
    expect(await subjects('red -red')).toEqual([])
    expect(await subjects('')).toEqual(['Blue', 'Red'])
  })

  test('accents, case and width do not matter', async () => {
    await add({ subject: 'Menü', text: 'Crème brûlée, Straße 7, ＡＣＭＥ' })

    for (const query of ['creme brulee', 'CRÈME', 'menu', 'strasse', 'acme', 'MENÜ']) {
      expect(await subjects(query)).toEqual(['Menü'])
    }
  })

  test('languages without spaces are found by any part of a sentence', async () => {
    await add({ subject: '会议', text: '明天的会议在上海举行。' })
    await add({ subject: '議事録', text: '来週のサーバー更新について' })
    await add({ subject: '회의', text: '내일 회의를 합니다' })

    expect(await subjects('会议')).toEqual(['会议'])
    expect(await subjects('上海举行')).toEqual(['会议'])
    expect(await subjects('议会')).toEqual([])
    expect(await subjects('-上海 的会议')).toEqual([])
    expect(await subjects('サーバー')).toEqual(['議事録'])
    expect(await subjects('회의')).toEqual(['회의'])
  })

  test('addresses, names and names of files are found as they are written', async () => {
    await add({ subject: 'One', from: 'Ánna Müller <anna.m@acme.test>', files: ['Report-2026_final.pdf'] })
    await add({ subject: 'Two', from: 'bob@acme.test', cc: ['carol@other.test'], text: 'pdf 2026 report' })

    expect(await subjects('anna.m@acme.test')).toEqual(['One'])
    expect(await subjects('@acme.test')).toEqual(['Two', 'One'])
    expect(await subjects('muller')).toEqual(['One'])
    expect(await subjects('report-2026_final.pdf')).toEqual(['One'])
    expect(await subjects('carol@other.test')).toEqual(['Two'])
  })
})

test('mail that has just arrived is found at once, by its words and by who sent it', async () => {
  const [email] = await arriveAll(app, inbox.address, [{ subject: 'Prüfung', body: 'Der Kessel ist da.\r\n' }])

  expect(await items({ query: 'pruefung kessel' })).toEqual([])
  expect(await items({ query: 'prufung kessel', from: 'ada' })).toMatchObject([
    { matched_email_id: email, matched_text: 'Der \ue000Kessel\ue001 ist da.' },
  ])
})

test.each([
  ['quotes', '"'.repeat(1_000)],
  ['minus signs', '-'.repeat(1_000)],
  ['backslashes', '\\'.repeat(1_000)],
  ['prefixes', ':*'.repeat(500)],
  ['operators', "'|!&<->()".repeat(100)],
  ['open phrases', '"- '.repeat(300)],
  ['one word many times', 'a '.repeat(500)],
  [
    'many words',
    Array.from({ length: 250 }, (_, n) => n.toString(36))
      .join(' ')
      .slice(0, 1_000),
  ],
  [
    'excluded phrases',
    Array.from({ length: 100 }, (_, n) => `-a-${n}`)
      .join(' ')
      .slice(0, 1_000),
  ],
  ['a percent sign', '%'],
  ['marks of ours', '0:deadbeef | 1:* & !4:f:a'],
  ['SQL', "'; drop table inbox_messages; --"],
  ['characters that nobody sees', '\u202e\u2028\ufffd\ue000'],
])('whatever somebody types is a query: %s', async (_, query) => {
  await add({ subject: 'Here', text: 'nothing' })

  const { status } = await asked({ query })

  expect(status).toBe(200)
})

test('half of a character, or what cannot be decoded, finds nothing or is refused, and is no defect', async () => {
  await add({ subject: 'Here', text: 'nothing' })

  for (const name of ['query', 'from', 'start_date'])
    for (const text of ['%ff', '%ED%A0%80', '%00', '%E0%A4%A', '%zz'])
      expect([200, 422]).toContain((await acme.get(`${inbox.path}/threads/search?${name}=${text}`)).status)
  expect((await asked({ query: 'a'.repeat(1_001) })).status).toBe(422)
  expect((await asked({ from: 'a%b' })).status).toBe(422)
  expect((await asked({ from: Array(21).fill('a').join(',') })).status).toBe(422)
})

describe('filters', () => {
  test('people are found by parts of their address or name, one of several, in their role', async () => {
    await add({ subject: 'One', from: 'Ánna Müller <am@acme.test>', to: ['bob@x.test'], bcc: ['dan@x.test'] })
    await add({ subject: 'Two', from: 'bob@x.test', to: ['am@acme.test'], cc: ['Cai Guo 蔡国 <c@y.test>'] })

    expect(await subjects({ from: 'anna mu' })).toEqual(['One'])
    expect(await subjects({ from: 'AM@ACME' })).toEqual(['One'])
    expect(await subjects({ from: 'bob, acme' })).toEqual(['Two', 'One'])
    expect(await subjects({ to: 'acme' })).toEqual(['Two'])
    expect(await subjects({ cc: '国' })).toEqual(['Two'])
    expect(await subjects({ bcc: 'dan' })).toEqual(['One'])
    expect(await subjects({ from: 'acme', to: 'bob', query: 'one' })).toEqual(['One'])
    for (const part of ['nobody', '%25', '\\', '_', '.*', 'a\0'])
      expect(await subjects({ from: part }).catch(() => [])).toEqual([])
  })

  test('a part that very many people have is looked for in the emails', async () => {
    await add({ subject: 'One', from: 'Zoë <zoe@firm.test>', to: ['x@firm.test'] })
    await add({ subject: 'Two', from: 'x@other.test', to: ['a+b@firm.test'] })
    await app.db.query(sql`
      insert into inbox_people (team_id, inbox_id, address, folded)
      select ${acme.team}, ${inbox.id}, n || '@firm.test', n || '@firm.test zoe a+b' from generate_series(1, 1200) n`)

    expect(await subjects({ from: 'firm.test' })).toEqual(['One'])
    expect(await subjects({ from: 'zoe' })).toEqual(['One'])
    expect(await subjects({ to: 'firm' })).toEqual(['Two', 'One'])
    expect(await subjects({ to: 'a+b' })).toEqual(['Two'])
    expect(await subjects({ from: '1199@firm' })).toEqual([])
    expect(await subjects({ from: 'x@oth' })).toEqual(['Two'])
  })

  test('attachments are asked for, or their absence', async () => {
    await add({ subject: 'With', files: ['a.pdf'] })
    await add({ subject: 'Without' })

    expect(await subjects({ has_attachment: 'true' })).toEqual(['With'])
    expect(await subjects({ has_attachment: 'false' })).toEqual(['Without'])
    expect((await asked({ has_attachment: 'yes' })).status).toBe(422)
  })

  test('dates are days as a whole, or moments', async () => {
    const at = (day: string, subject: string) => {
      const createdAt = new Date(day)
      const time = createdAt.getTime().toString(16).padStart(12, '0')
      return add({ id: `${time.slice(0, 8)}-${time.slice(8)}${newId().slice(13)}`, createdAt, subject })
    }
    await at('2026-03-01T00:00:00.000Z', 'first')
    await at('2026-03-02T23:59:59.999Z', 'second')
    await at('2026-03-03T00:00:00.000Z', 'third')

    expect(await subjects({ start_date: '2026-03-02' })).toEqual(['third', 'second'])
    expect(await subjects({ end_date: '2026-03-02' })).toEqual(['second', 'first'])
    expect(await subjects({ start_date: '2026-03-02', end_date: '2026-03-02' })).toEqual(['second'])
    expect(await subjects({ start_date: '2026-03-02T23:59:59.999' })).toEqual(['third', 'second'])
    expect(await subjects({ end_date: '2026-03-01T01:00:00+01:00' })).toEqual(['first'])
    expect((await asked({ start_date: '2026-03-03', end_date: '2026-03-01' })).body).toMatchObject({
      statusCode: 422,
      name: 'invalid_parameter',
      message: 'The `start_date` must not be after `end_date`.',
    })
    expect(await subjects({ start_date: '0000-01-01', end_date: '9999-12-31' })).toHaveLength(3)
    for (const date of ['2026-02-30', '2026-13-01', 'yesterday', '', '2026-03-01T99', '20260301']) {
      expect((await asked({ start_date: date })).status, date).toBe(422)
      expect((await asked({ end_date: date })).status, date).toBe(422)
    }
  })

  test('junk is found when it is asked for', async () => {
    await add({ subject: 'Here', text: 'kettle' })
    await add({ subject: 'Kept', text: 'kettle', folder: 'archive' })
    await add({ subject: 'Gone', text: 'kettle', folder: 'trash' })
    await add({ subject: 'Junk', text: 'kettle', folder: 'spam' })

    expect(await subjects('kettle')).toEqual(['Kept', 'Here'])
    expect(await subjects({ query: 'kettle', folders: 'trash,spam' })).toEqual(['Junk', 'Gone'])
    expect((await asked({ query: 'kettle', folders: 'attic' })).status).toBe(422)
  })

  test('threads with a label, read or unread', async () => {
    const { thread } = await add({ subject: 'One', text: 'kettle' })
    await add({ subject: 'Two', text: 'kettle' })
    const { body: label } = await acme.post(`${inbox.path}/labels`, { name: 'Urgent' })
    await acme.post(`${inbox.path}/threads/${thread}/labels`, { labels: [label.id] })
    await acme.patch(`${inbox.path}/threads/${thread}`, { read: true })

    expect(await subjects({ query: 'kettle', read: 'true' })).toEqual(['One'])
    expect(await subjects({ query: 'kettle', read: 'false' })).toEqual(['Two'])
    expect(await subjects({ query: 'kettle', labels: label.id })).toEqual(['One'])
    expect((await asked({ labels: newId() })).status).toBe(404)
  })
})

describe('what was found', () => {
  test('is a thread, once, at the newest of its emails that fits', async () => {
    const { thread, email } = await add({ subject: 'Kettle', text: 'first' })
    await add({ thread, subject: 'Other', text: 'second' })
    const newer = await add({ subject: 'Kettle, too' })

    const found = await items('kettle')

    expect(found.map(({ id, matched_email_id }) => [id, matched_email_id])).toEqual([
      [newer.thread, newer.email],
      [thread, email],
    ])
    expect(found[1]).toMatchObject({ email_count: 2, folder: 'inbox', read: false, labels: [] })
  })

  test('shows the piece that matched', async () => {
    const long = 'word '.repeat(500)
    await add({ subject: 'Text', text: `${long} the BLUE kéttle \ue000sings\ue001 ${long}` })
    await add({ subject: 'The kettle', text: 'nothing' })
    await add({ subject: 'Html', html: '<style>kettle</style><p>a <b>kettle</b> &amp; more</p>' })
    await add({ subject: 'File', files: ['kettle.pdf'] })

    const texts = (await items('kettle')).map(({ matched_text }) => matched_text)

    expect(texts.slice(0, 3)).toEqual([
      '\ue000kettle\ue001.pdf',
      'a \ue000kettle\ue001 & more',
      'The \ue000kettle\ue001',
    ])
    expect(texts[3]).toMatch(/^… (word )+the BLUE \ue000kéttle\ue001 sings (word )+…$/)
    expect(texts[3]!.length).toBeLessThan(200)
    expect((await items('"blue kettle" sings'))[0]!.matched_text).toMatch(/\ue000BLUE kéttle\ue001 \ue000sings\ue001/)
    expect((await items({ from: 'ada' }))[0]!.matched_text).toBeNull()
  })

  test('is of this inbox, and of this team', async () => {
    const { body } = await acme.post('/inboxes', { email_address: inbox.address.replace('desk@', 'other@') })
    const other = { ...inbox, id: body.id, path: `/inboxes/${body.id}` }
    await add({ subject: 'Here', text: 'kettle' })
    await addMail(app, other, { subject: 'There', text: 'kettle' })
    const globex = await app.as('globex')

    expect(await subjects('kettle')).toEqual(['Here'])
    expect((await asked({ query: 'kettle' }, other)).body.data).toMatchObject([{ subject: 'There' }])
    expect((await globex.get(`${inbox.path}/threads/search?query=kettle`)).status).toBe(404)
  })
})

describe('pages', () => {
  const pageOf = async (parameters: Record<string, string>) => {
    const { body } = await asked({ query: 'kettle', limit: '3', ...parameters })
    return { ids: (body.data as Item[]).map(({ id }) => id), hasMore: body.has_more, data: body.data as Item[] }
  }

  test('nothing is lost or repeated in either direction while mail comes', async () => {
    const threads: string[] = []
    for (let n = 0; n < 10; n++) threads.unshift((await add({ text: n % 4 === 3 ? 'teapot' : 'kettle' })).thread)
    const fitting = (await pageOf({ limit: '100' })).ids
    expect(fitting).toHaveLength(8)
    // More mail in the older threads that does not fit changes nothing.
    await add({ thread: fitting[7]!, text: 'thanks' })

    const first = await pageOf({})
    await add({ text: 'kettle' })
    const second = await pageOf({ after: first.ids.at(-1)! })
    await add({ thread: first.ids[0]!, text: 'kettle again' })
    const third = await pageOf({ after: second.ids.at(-1)! })

    expect([...first.ids, ...second.ids, ...third.ids]).toEqual(fitting)
    expect([first, second, third].map(({ hasMore }) => hasMore)).toEqual([true, true, false])
    expect((await pageOf({ before: third.ids[0]! })).ids).toEqual(second.ids)
    const back = await pageOf({ before: second.ids[0]!, limit: '2' })
    expect(back).toMatchObject({ ids: first.ids.slice(1), hasMore: true })
  })

  test('a page goes on behind an email that was found, also when its thread has come up again', async () => {
    for (let n = 0; n < 7; n++) await add({ text: 'kettle' })
    const { ids } = await pageOf({ limit: '100' })
    const first = await pageOf({})
    const last = first.data.at(-1)!
    await add({ thread: last.id, text: 'kettle' })

    const second = await pageOf({ after: last.matched_email_id })

    expect(second.ids).toEqual(ids.slice(3, 6))
    expect((await pageOf({ before: last.matched_email_id })).ids).toEqual([last.id, ...ids.slice(0, 2)])
  })

  test('a thread that became part of another, or is in the trash, is still a place to go on from', async () => {
    for (let n = 0; n < 5; n++) await add({ text: 'kettle' })
    const { ids } = await pageOf({ limit: '100' })
    const old = newId()
    await app.db.query(sql`
      insert into merged_inbox_threads (team_id, id, inbox_id, into_id) values (${acme.team}, ${old}, ${inbox.id}, ${ids[1]!})`)

    expect((await pageOf({ after: old })).ids).toEqual(ids.slice(2))
    await acme.delete(`${inbox.path}/threads/${ids[1]}`)
    expect((await pageOf({ after: ids[1]! })).ids).toEqual(ids.slice(2))
    expect((await pageOf({ before: ids[1]! })).ids).toEqual(ids.slice(0, 1))
    expect((await pageOf({ after: '00000000-0000-0000-0000-000000000000' })).ids).toEqual([])
    expect((await pageOf({ before: 'ffffffff-ffff-ffff-ffff-ffffffffffff' })).ids).toEqual([])
    expect((await asked({ after: 'x' })).status).toBe(422)
  })
})
