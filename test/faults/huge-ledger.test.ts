import type { AddressInfo } from 'node:net'
import { SMTPServer } from 'smtp-server'
import { expect, onTestFinished, test } from 'vitest'
import type { Database } from '../../src/kernel/db/database.ts'
import { sql } from '../../src/kernel/db/sql.ts'
import { startDnsServer } from '../harness/dns-server.ts'
import { relaying } from '../harness/relaying.ts'
import { dataFolder, eventually, Service } from '../harness/service.ts'
import { databaseOf } from '../harness/service-database.ts'
import { verifiedDomain } from '../harness/verified-domain.ts'

/** At night size a process that loads by rows is dead long before the end; by day one that loads what is due at once is. */
const SIZE = process.env.POSTWREN_TEST_NIGHT
  ? { unsendable: 20, large: 20, small: 2_000 }
  : { unsendable: 20, large: 2, small: 100 }
const MEGABYTE = 1_048_576
const PATIENCE_MS = 600_000

/** Copies of an email under new ids, due before all others, as a version that knew no bounds could have accepted them. */
async function multiply(
  db: Database,
  id: string,
  copy: { count: number; recipient: string; html?: { megabytes: number; unit: string } },
) {
  const { count, recipient, html } = copy
  const times = html ? Math.floor((html.megabytes * MEGABYTE) / Buffer.byteLength(html.unit)) : 0
  await db.queryPooled(sql`
    update email_bodies set html = repeat(${html?.unit ?? null}::text, ${times}) where email_id = ${id}`)
  // What is stored compressed is copied as it is, so this takes no time.
  await db.queryPooled(sql`
    with new_emails as (
      insert into emails (team_id, id, message_id, "from", "to", subject, domain_id, api_key_id, last_event, created_at)
      select team_id, uuidv7(), message_id, "from", jsonb_build_array(${recipient}::text), subject, domain_id,
        api_key_id, 'sent', created_at
      from emails, generate_series(1, ${count}) where id = ${id}
      returning team_id, id),
    new_bodies as (
      insert into email_bodies (team_id, email_id, html, text)
      select n.team_id, n.id, b.html, b.text from new_emails n, email_bodies b where b.email_id = ${id})
    insert into deliveries (team_id, email_id, position, recipient, due_at, give_up_at)
    select team_id, id, 0, ${recipient}, now() - ${html ? '1 hour' : '0'}::interval, now() + interval '1 day' from new_emails`)
}

/** A server that takes everything and keeps nothing. */
async function startSink() {
  const server = new SMTPServer({
    disabledCommands: ['AUTH', 'STARTTLS'],
    onData: (stream, _session, done) => void stream.on('end', done).resume(),
  })
  server.on('error', () => {})
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => new Promise<void>((resolve) => server.close(resolve)))
  return { port: (server.server.address() as AddressInfo).port }
}

const countOf = async (db: Database, recipient: string, state: string) =>
  (await db.query(sql`select from deliveries where recipient = ${recipient} and state = ${state}`)).length

const TITLE =
  'whatever lies in the ledger, a process with 512 MB lives, small mail arrives, and large mail leaves one by one or fails'

test(TITLE, { timeout: 3 * PATIENCE_MS }, async () => {
  const [dns, relay] = [await startDnsServer(), await startSink()]
  const dataDir = dataFolder()
  const settings = {
    ...relaying(relay, dns),
    POSTWREN_HOSTNAME: 'mx.postwren.test',
    NODE_OPTIONS: '--max-old-space-size=512',
  }
  const held = await Service.start({ dataDir, settings: { ...settings, POSTWREN_HOLD: 'on' } })
  await verifiedDomain(held, dns, 'acme.dev')
  const email = { from: 'a@acme.dev', to: 'new@sink.dev', subject: 'x', text: 'x' }
  const { body } = await held.call('POST', '/emails', email)
  const db = await databaseOf(held)
  const large = (unit: string) => ({ recipient: 'large@sink.dev', html: { megabytes: 40, unit } })
  const huge = { recipient: 'huge@sink.dev', html: { megabytes: 100, unit: '<p>x</p>' } }
  await multiply(db, body.id, { count: SIZE.unsendable, ...huge })
  if (SIZE.large > 2) await multiply(db, body.id, { count: SIZE.large - 2, ...large('<p>x</p>') })
  // Kinds of text that take more memory than others: lines without anything in them, and characters that take two bytes.
  await multiply(db, body.id, { count: 1, ...large('\n') })
  await multiply(db, body.id, { count: 1, ...large('<p a="b">€ ü</p>') })
  await multiply(db, body.id, { count: SIZE.small, recipient: 'small@sink.dev' })
  await held.stop()

  const service = await Service.start({ dataDir, settings })
  let largeBeforeSmall = 0
  const isSmallDelivered = async () => {
    largeBeforeSmall = await countOf(db, 'large@sink.dev', 'delivered')
    return (await countOf(db, 'small@sink.dev', 'delivered')) === SIZE.small
  }
  await eventually(isSmallDelivered, PATIENCE_MS)
  const meanwhile = await service.call('POST', '/emails', email)
  const isLargeDelivered = async () => (await countOf(db, 'large@sink.dev', 'delivered')) === SIZE.large
  await eventually(async () => service.hasEnded || isLargeDelivered(), PATIENCE_MS)
  await eventually(async () => (await countOf(db, 'new@sink.dev', 'delivered')) === 2)

  expect(service.hasEnded, service.stderr.slice(-2_000)).toBe(false)
  expect(meanwhile.status).toBe(200)
  expect(largeBeforeSmall).toBeLessThan(SIZE.large)
  expect(await countOf(db, 'huge@sink.dev', 'failed')).toBe(SIZE.unsendable)
  const [refused] = await db.query(
    sql`select replies, attempts from deliveries where recipient = 'huge@sink.dev' limit 1`,
  )
  expect(refused).toMatchObject({ attempts: 1, replies: [{ reply: expect.stringContaining('larger than 50 MB') }] })
  expect(await service.stop()).toBe(0)
})
