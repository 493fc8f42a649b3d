import { expect, test } from 'vitest'
import { type App, type Client, startApp } from '../../../test/harness/app.ts'
import { submit, written } from '../../../test/harness/arriving.ts'
import { automationAfter } from '../../../test/harness/automations.ts'
import { broadcastTo, makeSegment, sendAll } from '../../../test/harness/broadcasts.ts'
import { readEmail, sendEmail } from '../../../test/harness/emails.ts'
import { inboxOf, receive, threadsIn } from '../../../test/harness/filed-mail.ts'
import { grep } from '../../../test/harness/grep.ts'
import { newId } from '../../../test/harness/ids.ts'
import { importFile } from '../../../test/harness/imports.ts'
import { wrongCounts } from '../../../test/harness/inboxes.ts'
import { addWebhook } from '../../../test/harness/webhooks.ts'
import { SYSTEM } from '../../kernel/audit/record.ts'
import { sql } from '../../kernel/db/sql.ts'
import { ERASED_ADDRESS } from '../../mail/address-pattern.ts'
import { begin, perform } from './perform.ts'
import { findObstacle } from './tables/obstacles.ts'

const freshAddress = () => `ada.${newId().slice(-12)}@person.example`

async function eraseAddress(app: App, address: string, team: string | null = null) {
  const request = await begin(app.services, { team, action: 'erase', address })
  return perform(app.services, request, { address, actor: SYSTEM })
}

/** An installation in which one person occurs everywhere. */
async function fill(app: App, address: string, client: Client, inbox: { id: string; address: string }) {
  const upper = address.toUpperCase()
  const bob = 'bob@others.example'
  const own = await sendEmail(client, {
    ...{ to: `Ada Lovelace <${address}>`, subject: `For ${address}`, text: `Dear ${address}` },
    attachments: [{ filename: 'mine.txt', content: Buffer.from(`of ${address}`).toString('base64') }],
  })
  const shared = await sendEmail(client, {
    ...{ to: [`"Lovelace, Ada" <${upper}>`, `Bob <${bob}>`], cc: 'cy@others.example', reply_to: address },
    ...{ subject: `About ${address}`, headers: { 'X-Of': address }, tags: [{ name: 'kind', value: 'shared' }] },
    html: `<a href="https://shop.example/?email=${encodeURIComponent(address)}">${address}</a> and ${bob}`,
    attachments: [
      { filename: 'list.csv', content: Buffer.from(`email\n${address}\n${bob}`).toString('base64') },
      { filename: 'other.txt', content: Buffer.from('of nobody').toString('base64') },
    ],
  })
  const others = await sendEmail(client, { to: bob, subject: 'Untouched', text: 'Hello Bob' })
  const mentioning = await sendEmail(client, {
    to: bob,
    subject: 'News',
    text: `${'Or ask. '.repeat(40)}Ask ${address}.`,
  })
  const scheduled = await sendEmail(client, { to: address, scheduled_at: 'in 2 days' })
  await client.send({
    ...{ method: 'POST', url: '/emails', headers: { 'idempotency-key': `welcome-${address}` } },
    payload: { from: 'hello@acme.dev', to: bob, subject: 'Keyed', text: 'x' },
  })
  await submit(app, client, written({ from: 'me@example.com', to: `${address}, ${bob}`, subject: 'By SMTP' }), [
    address,
    bob,
  ])
  await app.deliverDue()
  const [fromHer, withHer] = await receive(
    app,
    inbox.address,
    { from: `Ada <${address}>`, to: inbox.address, subject: 'From her' },
    { from: `Bob <${bob}>`, to: inbox.address, cc: `Ada <${address}>`, subject: 'With her' },
  )
  await client.post(`/inboxes/${inbox.id}/drafts`, { to: [address, bob], subject: 'Draft', text: `to ${address}` })
  const segment = await makeSegment(client, [
    { email: address, first_name: 'Ada' },
    { email: bob, first_name: 'Bob' },
  ])
  const broadcast = await broadcastTo(client, segment)
  await sendAll(app)
  const { body: automation } = await client.post('/automations', { name: 'Welcome', ...automationAfter('signed.up') })
  await client.patch(`/automations/${automation.id}`, { status: 'enabled' })
  await client.post('/events/send', { event: 'signed.up', email: address, payload: { referrer: address } })
  await app.runAutomations()
  await client.post('/suppressions', { email: address })
  await client.get(`/contacts/${address}`)
  await client.post('/templates', { name: 'Signed', html: `<p>Yours, ${address}</p>` })
  await client.post('/contacts/imports', {})
  await importFile(app, client, `email,first_name\n${address.replace('@', '@@')},Broken ${address}\n${bob},Bob`)
  await client.get(`/emails?q=${encodeURIComponent(address)}`)
  await client.get(`/emails/receiving?q=${encodeURIComponent(address)}`)
  await client.get(`/logs?q=contacts`)
  await app.flush()
  await app.deliverWebhooks()
  return { own, shared, others, mentioning, scheduled, fromHer: fromHer!, withHer: withHer!, broadcast, bob, segment }
}

test('nothing of a person is left in any table or file, and what belongs to others stays', async () => {
  const app = await startApp()
  const { client, id: inbox, address: inboxAddress } = await inboxOf(app, 'acme')
  const address = freshAddress()
  await addWebhook(client, 'http://127.0.0.1:9/hook', ['email.sent', 'email.delivered', 'contact.created'])
  const made = await fill(app, address, client, { id: inbox, address: inboxAddress })
  expect((await grep(app, address)).length).toBeGreaterThan(25)
  expect(await grep(app, address)).toContain('email_bodies.content')

  const { counts, isComplete } = await eraseAddress(app, address)
  await app.flush()
  await app.runDueJobs()

  expect(isComplete).toBe(true)
  expect(await grep(app, address)).toEqual([])
  expect(await grep(app, address.split('@')[0]!)).toEqual([])
  expect(counts.emails ?? counts.deliveries).toBeDefined()
  for (const gone of [made.own, made.scheduled]) expect((await client.get(`/emails/${gone}`)).status).toBe(404)
  expect((await client.get(`/emails/receiving/${made.fromHer}`)).status).toBe(404)
  const shared = await readEmail(client, made.shared)
  expect(shared.to).toEqual([ERASED_ADDRESS, `Bob <${made.bob}>`])
  expect(shared.html).toContain(made.bob)
  expect((await client.get(`/emails/${made.shared}/attachments`)).body.data).toMatchObject([{ filename: 'other.txt' }])
  expect((await readEmail(client, made.others)).text).toBe('Hello Bob')
  expect((await readEmail(client, made.mentioning)).text).toBe(`${'Or ask. '.repeat(40)}Ask ${ERASED_ADDRESS}.`)
  const received = (await client.get(`/emails/receiving/${made.withHer}`)).body
  expect(received).toMatchObject({ subject: 'With her', cc: [ERASED_ADDRESS] })
  expect((await client.get(`/contacts/${made.bob}`)).body.first_name).toBe('Bob')
  expect((await client.get(`/contacts/${address}`)).status).toBe(404)
  expect((await client.get(`/broadcasts/${made.broadcast}`)).body).toMatchObject({ status: 'sent' })
  expect(await wrongCounts(app, { team: client.team, id: inbox })).toEqual([])
  expect(await threadsIn(app, client, inbox)).toHaveLength(1)
  expect((await client.get('/emails?q=subject:Untouched')).body.data).toHaveLength(1)
})

test('who was erased is not written to again, and can be taken off the list by who knows the address', async () => {
  const app = await startApp()
  const acme = await app.as('acme')
  const address = freshAddress()
  await acme.post('/contacts', { email: address })

  const { request } = await eraseAddress(app, address)

  const listed = (await acme.get('/suppressions?limit=100')).body.data.map(({ email }: { email: string }) => email)
  expect(listed).toContain(request.digest)
  const again = await sendEmail(acme, { to: [address.toUpperCase(), 'bob@others.example'] })
  const tagged = await sendEmail(acme, { to: address.replace('@', '+shop@') })
  const segment = await makeSegment(acme, [{ email: address }])
  const broadcast = await broadcastTo(acme, segment)
  await app.deliverDue()
  await sendAll(app)
  expect((await readEmail(acme, again)).states[address.toUpperCase()]).toBe('suppressed')
  expect(Object.values((await readEmail(acme, tagged)).states)).toEqual(['suppressed'])
  expect((await acme.get(`/broadcasts/${broadcast}`)).body).toMatchObject({ status: 'sent' })
  expect(await app.db.query(sql`select reason from broadcast_recipients where broadcast_id = ${broadcast}`)).toEqual([
    { reason: 'suppressed' },
  ])
  expect((await acme.get(`/suppressions/${address}`)).body.email).toBe(request.digest)
  expect((await acme.delete(`/suppressions/${address}`)).body.deleted).toBe(true)
  const allowed = await sendEmail(acme, { to: address })
  await app.deliverDue()
  expect(Object.values((await readEmail(acme, allowed)).states)).toEqual(['delivered'])
})

test('of one team, the data of another stays', async () => {
  const app = await startApp()
  const [acme, globex] = [await app.as('acme'), await app.as('globex')]
  const address = freshAddress()
  for (const client of [acme, globex]) await client.post('/contacts', { email: address })

  await eraseAddress(app, address, acme.team)

  expect((await acme.get(`/contacts/${address}`)).status).toBe(404)
  expect((await globex.get(`/contacts/${address}`)).status).toBe(200)
})

test('an erasure that was interrupted goes on where it was, and ends with nothing left', async () => {
  const app = await startApp()
  const acme = await app.as('acme')
  const address = freshAddress()
  await acme.post('/contacts', { email: address })
  for (let index = 0; index < 3; index++) await sendEmail(acme, { to: address })
  const request = await begin(app.services, { team: null, action: 'erase', address })
  const stop = new AbortController()
  const onProgress = ({ table }: { table: string }) => {
    if (table === 'received_emails' || table === 'deliveries') stop.abort()
  }

  await expect(
    perform(app.services, request, { address, actor: SYSTEM, signal: stop.signal, onProgress }),
  ).rejects.toThrow()
  const resumed = await begin(app.services, { team: null, action: 'erase', address })
  const { isComplete } = await perform(app.services, resumed, { address, actor: SYSTEM })

  expect(resumed).toMatchObject({ id: request.id, status: 'running', reached: { pass: 1 } })
  expect(isComplete).toBe(true)
  await app.flush()
  await eraseAddress(app, address)
  expect(await grep(app, address)).toEqual([])
})

test('a pass that was taken up in the middle does not end the search', async () => {
  const app = await startApp()
  const acme = await app.as('acme')
  const address = freshAddress()
  const request = await begin(app.services, { team: null, action: 'erase', address })
  const onProgress = ({ table }: { table: string }) => {
    if (table === 'request_logs') throw new Error('killed')
  }

  await expect(perform(app.services, request, { address, actor: SYSTEM, onProgress })).rejects.toThrow('killed')
  await acme.post('/contacts', { email: address })
  await app.flush()
  const resumed = await begin(app.services, { team: null, action: 'erase', address })
  const { isComplete } = await perform(app.services, resumed, { address, actor: SYSTEM })

  expect(resumed.reached).toMatchObject({ pass: 1 })
  expect(isComplete).toBe(true)
  expect(await grep(app, address)).toEqual([])
})

test('a recipient whose email is gone already is erased, too', async () => {
  const app = await startApp()
  const acme = await app.as('acme')
  const address = freshAddress()
  // As a period leaves it that was dropped in part.
  await app.db.query(sql`
    insert into deliveries (team_id, email_id, position, recipient, state, due_at, give_up_at, settled_at)
    values (${acme.team}, ${newId()}, 0, ${address}, 'delivered', now(), now(), now())`)

  const { isComplete } = await eraseAddress(app, address)

  expect(isComplete).toBe(true)
  expect(await grep(app, address)).toEqual([])
})

test('the report is in the audit log without the address', async () => {
  const app = await startApp()
  const acme = await app.as('acme')
  const address = freshAddress()
  await acme.post('/contacts', { email: address })
  await sendEmail(acme, { to: address })

  const { request } = await eraseAddress(app, address)

  const events = await app.db.query<{ details: object }>(sql`
    select details from audit_events where team_id = ${acme.team} and action = 'personal-data.erase' and object_id = ${request.id}`)
  expect(events).toEqual([
    {
      details: {
        digest: request.digest,
        complete: true,
        counts: expect.objectContaining({ contacts: { deleted: 1 }, emails: { deleted: 1 } }),
      },
    },
  ])
})

test('who signs in with the address, or receives mail at it, is not erased', async () => {
  const app = await startApp()
  const acme = await app.as('acme')
  const owner = await app.ownerOf(acme)

  expect(await findObstacle(app.services, owner.email, null)).toContain('postwren user remove')
  expect(await findObstacle(app.services, owner.email, acme.team)).toContain('member')
  expect(await findObstacle(app.services, freshAddress(), null)).toBeNull()
})
