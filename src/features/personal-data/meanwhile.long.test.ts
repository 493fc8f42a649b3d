import { expect, test } from 'vitest'
import { type App, startApp } from '../../../test/harness/app.ts'
import { arrive, receivingTeam, submit } from '../../../test/harness/arriving.ts'
import { readEmail, sendEmail } from '../../../test/harness/emails.ts'
import { grep } from '../../../test/harness/grep.ts'
import { newId } from '../../../test/harness/ids.ts'
import { scriptedTransport } from '../../../test/harness/transport.ts'
import { SYSTEM } from '../../kernel/audit/record.ts'
import { sql } from '../../kernel/db/sql.ts'
import { ERASED_ADDRESS } from '../../mail/address-pattern.ts'
import { authenticateAgain } from '../inbound/intake/jobs.ts'
import { begin, type Performance, perform } from './perform.ts'

// What comes, is read or is written while a person is erased.

const freshAddress = () => `ada.${newId().slice(-12)}@person.example`

async function eraseAddress(app: App, address: string, onProgress?: Performance['onProgress']) {
  const request = await begin(app.services, { team: null, action: 'erase', address })
  return perform(app.services, request, { address, actor: SYSTEM, ...(onProgress && { onProgress }) })
}

/** A message from somebody else, with parts that are all base64. */
const encoded = (to: string, { text, file }: { text: string; file?: string }) => {
  const part = (type: string, content: string) => [
    ...['--b', `Content-Type: ${type}`, 'Content-Transfer-Encoding: base64', ''],
    ...[Buffer.from(content).toString('base64'), ''],
  ]
  return Buffer.from(
    [
      ...['From: Bob <bob@others.example>', `To: ${to}`, 'Subject: Encoded', 'MIME-Version: 1.0'],
      ...['Message-ID: <1@others.example>', 'Content-Type: multipart/mixed; boundary=b', ''],
      ...part('text/plain; charset=utf-8', text),
      ...(file === undefined ? [] : part('text/csv; name=list.csv', file)),
      ...['--b--', ''],
    ].join('\r\n'),
  )
}

/** Where a text stands as base64 that begins at any of three places. */
const grepEncoded = async (app: App, text: string) => {
  const inside = [0, 1, 2].map((before) => {
    const whole = Buffer.from(`${' '.repeat(before)}${text}`).toString('base64')
    return whole.slice(before === 0 ? 0 : 4, -4)
  })
  return (await Promise.all(inside.map((one) => grep(app, one)))).flat()
}

test('a file in a message that others sent goes from the message as it arrived, too', async () => {
  const app = await startApp()
  const { domain } = await receivingTeam(app, 'acme')
  const address = freshAddress()
  await arrive(app, encoded(`hi@${domain}`, { text: 'See the list', file: `email\n${address}\n` }), {
    to: [`hi@${domain}`],
    from: 'bob@others.example',
  })
  await app.runDueJobs()
  expect((await grepEncoded(app, address)).length).toBeGreaterThan(0)

  const { isComplete } = await eraseAddress(app, address)

  expect(isComplete).toBe(true)
  expect(await grepEncoded(app, address)).toEqual([])
  expect(await grep(app, address)).toEqual([])
})

test('a file in a message that was submitted goes from the message as submitted, too', async () => {
  const app = await startApp()
  const acme = await app.as('acme')
  const address = freshAddress()
  const raw = encoded('bob@others.example', { text: 'See the list', file: `email\n${address}\n` })
  await submit(
    app,
    acme,
    Buffer.from(raw.toString().replace('From: Bob <bob@others.example>', 'From: me@example.com')),
    ['bob@others.example'],
  )
  await app.deliverDue()
  expect((await grepEncoded(app, address)).length).toBeGreaterThan(0)

  const { isComplete } = await eraseAddress(app, address)

  expect(isComplete).toBe(true)
  expect(await grepEncoded(app, address)).toEqual([])
  expect(await grep(app, address)).toEqual([])
})

test('mail that was there and not read yet is waited for: nobody knows whom it names', async () => {
  const app = await startApp()
  const { domain } = await receivingTeam(app, 'acme')
  const address = freshAddress()
  await arrive(app, encoded(`hi@${domain}`, { text: `Ask ${address}` }), {
    to: [`hi@${domain}`],
    from: 'bob@others.example',
  })
  let isRead = false

  const { isComplete } = await eraseAddress(app, address, async ({ pass, table }) => {
    // The last table of a pass: all that is read now was searched before.
    if (isRead || pass > 1 || table !== 'audit_events') return
    isRead = true
    await app.runDueJobs()
  })

  expect({ isRead, isComplete }).toEqual({ isRead: true, isComplete: true })
  expect(await grep(app, address)).toEqual([])
  expect(await grepEncoded(app, address)).toEqual([])
})

test('what was asked before and is logged later is found', async () => {
  const app = await startApp()
  const acme = await app.as('acme')
  const address = freshAddress()
  await acme.post('/contacts', { email: address })
  await app.flush()

  await eraseAddress(app, address)
  await acme.get(`/contacts/${address}`)
  await app.flush()
  expect(await grep(app, address)).toEqual(['request_logs.endpoint'])
  app.clock.advance(601)
  await app.runDueJobs()

  expect(await grep(app, address)).toEqual([])
})

test('a message whose raw form was erased is not asked about any more', async () => {
  const app = await startApp()
  const { domain, client } = await receivingTeam(app, 'acme')
  const address = freshAddress()
  await arrive(app, encoded(`hi@${domain}`, { text: `Ask ${address}` }), {
    to: [`hi@${domain}`],
    from: 'bob@others.example',
  })
  await app.runDueJobs()
  await eraseAddress(app, address)
  const [row] = await app.db.query<{ id: string }>(sql`select id from received_emails where team_id = ${client.team}`)

  const services = { ...app.services, signal: new AbortController().signal }
  await authenticateAgain.run({ team: client.team, id: row!.id, asked: 0 }, services as never)
})

test('mail that waits and is from the person is not sent: nobody writes in the name of whoever was erased', async () => {
  const world = scriptedTransport()
  const app = await startApp({}, { transport: world.transport })
  const acme = await app.as('acme')
  const address = freshAddress()
  const scheduled = await sendEmail(acme, {
    from: `Ada <${address}>`,
    to: 'bob@others.example',
    scheduled_at: 'in 1 hour',
  })
  await app.flush()

  expect((await eraseAddress(app, address)).isComplete).toBe(true)
  app.clock.advance(7_200)
  await app.deliverDue()

  expect(world.sent).toEqual([])
  expect(await readEmail(acme, scheduled)).toMatchObject({ from: ERASED_ADDRESS, last_event: 'canceled' })
  expect(await grep(app, address)).toEqual([])
})
