import { expect, test } from 'vitest'
import { startApp } from '../../../test/harness/app.ts'
import { searchBuffers } from '../../../test/harness/buffers.ts'
import { SIMPLE, sendEmail } from '../../../test/harness/emails.ts'
import type { JsonRows } from '../../kernel/db/json-rows.ts'
import { raw, sql } from '../../kernel/db/sql.ts'
import { FoundItems, pageStatement } from '../../kernel/http/list.ts'
import { hours } from '../../kernel/jobs/job.ts'
import { LAST_EVENTS, type LastEvent } from '../../mail/last-event.ts'
import { findEmails } from './combined-filter.ts'
import { filteredEmails } from './filter.ts'

test('the list is narrowed by status, recipient, tag and time, and pages as it always does', async () => {
  const app = await startApp()
  const acme = await app.as('acme')
  const send = async (email: object) => (await acme.post('/emails', { ...SIMPLE, ...email })).body.id as string
  const plain = await send({ to: 'ada@example.com' })
  const copied = await send({ to: 'bob@example.com', cc: 'Ada@Example.com' })
  const tagged = await send({ to: 'eve@example.com', tags: [{ name: 'kind', value: 'receipt' }] })
  const later = await send({ to: 'eve@example.com', scheduled_at: 'in 1 hour' })
  const ids = async (query: string) =>
    (await acme.get(`/emails?${query}`)).body.data.map(({ id }: { id: string }) => id)

  expect(await ids('status=scheduled')).toEqual([later])
  expect(await ids('to=ADA@example.com')).toEqual([copied, plain])
  expect(await ids('to=ada')).toEqual([copied, plain])
  expect(await ids('to=@EXAMPLE.com')).toEqual([later, tagged, copied, plain])
  expect(await ids('to=bob@example&status=sent')).toEqual([copied])
  expect(await ids('to=eve&status=scheduled')).toEqual([later])
  expect(await ids('to=nobody')).toEqual([])
  expect(await ids(`to=example&limit=2&after=${later}`)).toEqual([tagged, copied])
  expect(await ids(`to=example&limit=2&before=${plain}`)).toEqual([tagged, copied])
  expect(await ids('tag=kind')).toEqual([tagged])
  expect(await ids('tag=kind:receipt')).toEqual([tagged])
  expect(await ids('tag=kind:other')).toEqual([])
  expect(await ids('to=eve@example.com&status=scheduled')).toEqual([later])
  expect(await ids(`to=ada@example.com&limit=1&after=${copied}`)).toEqual([plain])
  expect(await ids('created_after=2000-01-01T00:00:00Z')).toHaveLength(4)
  expect(await ids('created_before=2000-01-01T00:00:00Z')).toEqual([])
})

test('an email is found under the status that it has, and under no other', async () => {
  const app = await startApp()
  const acme = await app.as('acme')
  const isUnder = async (status: LastEvent, id: string) => {
    const { data } = (await acme.get(`/emails?status=${status}`)).body
    return data.some((email: { id: string }) => email.id === id)
  }
  const journey = async (id: string) => {
    const { last_event: status } = (await acme.get(`/emails/${id}`)).body
    const others = LAST_EVENTS.filter((other) => other !== status)
    expect(await Promise.all([status, ...others].map((one) => isUnder(one, id)))).toEqual([
      true,
      ...others.map(() => false),
    ])
    return status
  }
  const fates = ['delivered', 'bounced', 'complained', 'suppressed']
  const ids = await Promise.all(fates.map((fate) => sendEmail(acme, { to: `${fate}@resend.dev` })))
  const later = await sendEmail(acme, { to: 'delivered@resend.dev', scheduled_at: 'in 1 hour' })
  const never = await sendEmail(acme, { scheduled_at: 'in 1 hour' })
  expect(await Promise.all(ids.map(journey))).toEqual(fates.map(() => 'sent'))
  expect(await journey(later)).toBe('scheduled')

  await acme.post(`/emails/${never}/cancel`)
  await app.deliverDue()
  expect(await Promise.all([...ids, never].map(journey))).toEqual([...fates, 'canceled'])

  app.clock.advance(hours(2))
  await app.deliverDue()
  expect(await journey(later)).toBe('delivered')
})

/** It is 32 to 101, the most for a part with a word that all addresses have. A walk along the ledger reads 490 for 12,000 emails, and more for each that is added. */
const MAX_BUFFERS = 150

const NEWEST = { limit: 20, cursor: null, direction: 'older' } as const

test('what is rare is not looked for along the list', async () => {
  const app = await startApp()
  const { team } = await app.as('acme')
  await app.db.queryPooled(sql`
    with made as (
      insert into emails (team_id, id, message_id, "from", "to", subject, tags, last_event, created_at)
      select ${team}, gen_random_uuid(), 'm', 'f', '[]', 's',
        case when n % 5000 = 0 then '[{"name":"kind","value":"rare"}]'::jsonb end, case when n % 5000 = 0 then 'bounced' else 'delivered' end, now()
      from generate_series(1, 30000) n
      returning team_id, id)
    insert into deliveries (team_id, email_id, position, recipient, state, due_at, give_up_at, settled_at)
    select team_id, id, 0, 'person-' || id || '@example.com', 'delivered', now(), now(), now() from made`)
  for (const table of ['emails', 'deliveries', 'emails_by_status']) await app.db.query(raw(`vacuum analyze ${table}`))
  const planOf = async (filter: Parameters<typeof filteredEmails>[1]) => {
    const statement = pageStatement(filteredEmails(team, filter), NEWEST, 20)
    return JSON.stringify(await app.db.search(sql`explain ${statement}`))
  }

  expect(await planOf({ status: 'bounced' })).toMatch(/emails_by_status_\w+_pkey/)
  // Or all that has bounced since would be read before the page.
  const before = { created_before: '2026-01-01T00:00:00Z' }
  expect(await planOf({ status: 'bounced', ...before })).toContain('(email_id < ')
  expect(await planOf({ to: 'nobody@example.com', ...before })).toContain('(email_id < ')
  expect(await planOf({ status: 'sent' })).toContain('waiting_deliveries_due')
  const { buffers } = await searchBuffers(app.db, (db) => findEmails(db, team, { tag: 'kind:rare' }, NEWEST))
  expect(buffers).toBeLessThan(2_000)
  expect(await planOf({ to: 'nobody@example.com' })).toMatch(/deliveries_\w+_by_recipient/)
})

test('a part of an address that few emails went to is looked for in the index, whatever it is combined with', async () => {
  const app = await startApp()
  const { team } = await app.as('acme')
  const { team: other } = await app.as('globex')
  const emails = 12_000
  for (const [of, count] of [
    [team, emails],
    [other, 5],
  ] as const)
    await app.db.queryPooled(sql`
      with made as (
        insert into emails (team_id, id, message_id, "from", "to", subject, last_event, created_at)
        select ${of}, (lpad(to_hex(1700000000000 + n::bigint * 1000), 12, '0') || '70008' || substr(md5(n::text), 1, 15))::uuid, 'm', 'shop@acme.test',
          jsonb_build_array(case when n = 3 then 'needle@hay-stack.example' else 'person' || n || '@example.com' end), n::text, 'delivered', now()
        from generate_series(1, ${count}::int) n
        returning team_id, id, "to")
      insert into deliveries (team_id, email_id, position, recipient, state, due_at, give_up_at, settled_at)
      select team_id, id, 0, "to" ->> 0, 'delivered', now(), now(), now() from made`)
  const find = (of: string, filter: Parameters<typeof findEmails>[2]) =>
    searchBuffers(app.db, async (db) => {
      const rows = await findEmails(db, of, filter, NEWEST)
      if (rows instanceof FoundItems) throw new Error('not a search')
      const [page] = await db.search<JsonRows>(pageStatement(rows, NEWEST, 20))
      return page!.texts().map((text) => (JSON.parse(text) as { subject: string }).subject)
    })
  await find(team, { to: 'nobody' })
  for (const table of ['emails', 'deliveries', 'emails_by_status', 'email_documents'])
    await app.db.query(raw(`vacuum analyze ${table}`))

  for (const to of ['needle', 'NEEDLE@hay', '@hay-stack', 'stack.exam', 'hay-stack.example']) {
    const filters = [{ to }, { to, status: 'delivered' }] as const
    for (const filter of filters) {
      const { result, buffers } = await find(team, filter)
      expect([to, result]).toEqual([to, ['3']])
      expect(buffers, to).toBeLessThan(MAX_BUFFERS)
    }
    expect((await find(other, { to })).result).toEqual(['3'])
  }
  expect((await find(team, { to: 'needle', status: 'bounced' })).result).toEqual([])
  expect((await find(team, { to: 'needle', tag: 'kind' })).result).toEqual([])
  const missing = await find(team, { to: 'nobody' })
  expect(missing.result).toEqual([])
  expect(missing.buffers).toBeLessThan(MAX_BUFFERS)
  // In the middle of a word.
  expect((await find(team, { to: 'eedle' })).result).toEqual([])
}, 30_000)

test.each(['status=lost', 'to=no%20body', 'tag=%20', 'created_after=soon'])('%s is no filter', async (query) => {
  const acme = await (await startApp()).as('acme')

  expect((await acme.get(`/emails?${query}`)).body.name).toBe('invalid_parameter')
})

test('the source is the message as it goes over the wire, with the beginnings of its attachments', async () => {
  const acme = await (await startApp()).as('acme')
  const attachments = [{ filename: 'long.txt', content: Buffer.alloc(1_000_000, 'x').toString('base64') }]
  const { id } = (await acme.post('/emails', { ...SIMPLE, subject: 'Grüße', attachments })).body

  const { source } = (await acme.get(`/emails/${id}/source`)).body

  expect(source).toMatch(/^Subject: =\?UTF-8\?/im)
  expect(source).toContain('Content-Disposition: attachment')
  expect(source.length).toBeLessThan(10_000)
})
