import { beforeEach, expect, test } from 'vitest'
import type { App } from '../../../../../test/harness/app.ts'
import { startDirect } from '../../../../../test/harness/direct.ts'
import { readEmail, sendEmail } from '../../../../../test/harness/emails.ts'
import { sql } from '../../../../kernel/db/sql.ts'
import { ALL_MAIL, deleteHold, type HoldScope, insertHold } from '../../../limits/holds.ts'
import { resumeHeld } from '../ledger/set-aside.ts'

let direct: Awaited<ReturnType<typeof startDirect>>

beforeEach(async () => {
  direct = await startDirect()
  const { app, dns } = direct
  await app.db.query(sql`delete from delivery_holds`)
  // A customer's domain at Google, of which nothing but its mail servers says so.
  dns.set('customer.dev', { MX: [{ exchange: 'aspmx.l.google.com', preference: 10 }] })
  dns.set('aspmx.l.google.com', { A: ['127.0.0.1'] })
  dns.set('sink.dev', { A: ['127.0.0.1'] })
})

async function hold(app: App, scope: Partial<HoldScope>) {
  await insertHold(app.db, { ...ALL_MAIL, ...scope }, 'They are down')
  await app.services.teamStates.refresh()
}

async function release(app: App, scope: Partial<HoldScope>) {
  await deleteHold(app.db, { ...ALL_MAIL, ...scope })
  await app.services.teamStates.refresh()
  await resumeHeld(app.db)
}

const rowsIn = (app: App) =>
  app.db.query<{ recipient: string; isHeld: boolean; destination: string | null }>(sql`
    select recipient, hold_id is not null as "isHeld", destination, attempts, holder from deliveries
    where state = 'waiting' order by recipient`)

test('mail for a held provider is set aside once it is known where it goes, untried, and the rest goes on', async () => {
  const { app, acme, server, from } = direct
  await hold(app, { destination: 'gmail' })
  const id = await sendEmail(acme, { from, to: ['ada@customer.dev', 'bob@sink.dev'] })

  await app.deliverDue()
  const held = await rowsIn(app)
  await release(app, { destination: 'gmail' })
  await app.deliverDue()

  const aside = { recipient: 'ada@customer.dev', isHeld: true, destination: 'gmail', attempts: 0, holder: null }
  expect(held).toEqual([aside])
  expect(server.messages.map(({ to }) => to)).toEqual([['bob@sink.dev'], ['ada@customer.dev']])
  expect((await readEmail(acme, id)).timeline).toEqual(['sent', 'delivered', 'delivered'])
})

test('a site is held by the names of its mail servers; mail that was there before is not routed again for that', async () => {
  const { app, acme, dns, server, from } = direct
  server.react(({ step }) => (step === 'RCPT' ? '450 4.2.1 Later' : undefined))
  await sendEmail(acme, { from, to: 'ada@sink.dev' })
  await app.deliverDue()
  await hold(app, { destination: 'sink.dev' })
  dns.set('sink.dev', {})
  app.clock.advance(61)

  await app.deliverDue()

  expect(await rowsIn(app)).toMatchObject([{ recipient: 'ada@sink.dev', isHeld: true, destination: 'sink.dev' }])
})

test('a hold of one team at a destination holds nobody else there', async () => {
  const { app, acme, server, from } = direct
  await hold(app, { destination: 'gmail', team: (await app.as('globex')).team })
  await sendEmail(acme, { from, to: 'ada@customer.dev' })

  await app.deliverDue()

  expect(server.messages.map(({ to }) => to)).toEqual([['ada@customer.dev']])
})

test('what goes straight through is set aside, too', async () => {
  const { app, acme, server, from } = direct
  await hold(app, { destination: 'gmail' })
  await app.startWorkers()
  await sendEmail(acme, { from, to: 'ada@customer.dev' })

  await app.until(async () => (await rowsIn(app)).some(({ isHeld }) => isHeld))

  expect(server.messages).toEqual([])
})

test('who hears late of a release holds nothing back', async () => {
  const { app, acme, server, from } = direct
  await hold(app, { destination: 'gmail' })
  await deleteHold(app.db, { ...ALL_MAIL, destination: 'gmail' })
  await sendEmail(acme, { from, to: 'ada@customer.dev' })
  await app.deliverDue()
  expect(await rowsIn(app)).toMatchObject([{ isHeld: false, attempts: 0, holder: null }])

  await app.services.teamStates.refresh()
  app.clock.advance(2)
  await app.deliverDue()

  expect(server.messages.map(({ to }) => to)).toEqual([['ada@customer.dev']])
})

test('a program that knows neither destinations nor tags takes such a hold for one of no mail', async () => {
  const { app } = direct
  await hold(app, { destination: 'gmail' })
  await hold(app, { tag: 'campaign', recipientDomain: 'a.dev' })

  const seen = await app.db.query<{ domain: string }>(sql`select recipient_domain as domain from delivery_holds`)

  expect(seen.map(({ domain }) => domain).sort()).toEqual(['also ', 'also a.dev'])
})
