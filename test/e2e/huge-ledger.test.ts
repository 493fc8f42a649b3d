import { expect, test } from 'vitest'
import type { Database } from '../../src/platform/db/database.ts'
import { sql } from '../../src/platform/db/sql.ts'
import { startDnsServer } from '../harness/dns-server.ts'
import { startMailServer } from '../harness/mail-server.ts'
import { dataFolder, eventually, Service } from '../harness/service.ts'
import { databaseOf } from '../harness/service-database.ts'
import { verifiedDomain } from '../harness/verified-domain.ts'

/** At night size a process that loads by rows is dead long before the end; by day one that loads two at a time is. */
const SIZE = process.env.POSTWREN_TEST_NIGHT
  ? { unsendable: 20, large: 20, small: 2_000 }
  : { unsendable: 20, large: 4, small: 100 }
const MEGABYTE = 1_048_576
const LARGE_MEGABYTES = 40

/** Copies of an email under new ids, due before all others, as a version that knew no bounds could have accepted them. */
async function multiply(
  db: Database,
  id: string,
  copy: { count: number; megabytes: number; recipient: string; unit: string },
) {
  const { count, megabytes, recipient, unit } = copy
  const times = Math.floor((megabytes * MEGABYTE) / Buffer.byteLength(unit))
  for (let n = 0; n < count; n++)
    await db.querySlowly(sql`
      with original as (select * from emails where id = ${id}),
      new_email as (
        insert into emails (team_id, id, message_id, "from", "to", subject, domain_id, api_key_id, last_event, created_at)
        select team_id, gen_random_uuid(), message_id, "from", jsonb_build_array(${recipient}::text), subject, domain_id, api_key_id,
          'sent', created_at from original
        returning team_id, id),
      new_body as (
        insert into email_bodies (team_id, email_id, html, text)
        select team_id, id, repeat(${unit}::text, ${times}), '' from new_email)
      insert into deliveries (team_id, email_id, position, recipient, due_at, give_up_at)
      select team_id, id, 0, ${recipient}, now() - interval '1 hour', now() + interval '1 day' from new_email`)
}

const countOf = async (db: Database, recipient: string, state: string) =>
  (await db.query(sql`select from deliveries where recipient = ${recipient} and state = ${state}`)).length

test('whatever lies in the ledger, a process with 512 MB lives, small mail arrives, and large mail leaves one by one or fails', {
  timeout: 900_000,
}, async () => {
  const relay = await startMailServer({ extensions: ['PIPELINING', '8BITMIME'] })
  const dns = await startDnsServer()
  const dataDir = dataFolder()
  const settings = {
    POSTWREN_DELIVERY: 'relay',
    POSTWREN_RELAY_URL: `smtp://127.0.0.1:${relay.port}`,
    POSTWREN_DNS_SERVERS: dns.address,
    POSTWREN_HOSTNAME: 'mx.postwren.test',
    NODE_OPTIONS: '--max-old-space-size=512',
  }
  const held = await Service.start({ dataDir, settings: { ...settings, POSTWREN_HOLD: 'on' } })
  await verifiedDomain(held, dns, 'acme.dev')
  const { body } = await held.call('POST', '/emails', {
    from: 'a@acme.dev',
    to: 'first@sink.dev',
    subject: 'x',
    text: 'x',
  })
  const db = await databaseOf(held)
  await multiply(db, body.id, { count: SIZE.unsendable, megabytes: 100, recipient: 'huge@sink.dev', unit: '<p>x</p>' })
  await multiply(db, body.id, {
    count: SIZE.large - 2,
    megabytes: LARGE_MEGABYTES,
    recipient: 'large@sink.dev',
    unit: '<p>x</p>',
  })
  // Kinds of text that take more memory than others: lines without anything in them, and characters that take two bytes.
  await multiply(db, body.id, { count: 1, megabytes: LARGE_MEGABYTES, recipient: 'large@sink.dev', unit: '\n' })
  await multiply(db, body.id, {
    count: 1,
    megabytes: LARGE_MEGABYTES,
    recipient: 'large@sink.dev',
    unit: '<p a="b">€ ü</p>',
  })
  await db.querySlowly(sql`
      with original as (select * from emails where id = ${body.id}), numbers as (select generate_series(1, ${SIZE.small}) as n),
      new_emails as (
        insert into emails (team_id, id, message_id, "from", "to", subject, domain_id, api_key_id, last_event, created_at)
        select team_id, gen_random_uuid(), message_id, "from", "to", subject, domain_id, api_key_id, 'sent', created_at
        from original, numbers
        returning team_id, id),
      new_bodies as (insert into email_bodies (team_id, email_id, text) select team_id, id, 'Your code is 123456.' from new_emails)
      insert into deliveries (team_id, email_id, position, recipient, due_at, give_up_at)
      select team_id, id, 0, 'small@sink.dev', now(), now() + interval '1 day' from new_emails`)
  await held.stop()

  const service = await Service.start({ dataDir, settings })
  let largeBeforeSmall = 0
  await eventually(async () => {
    largeBeforeSmall = await countOf(db, 'large@sink.dev', 'delivered')
    return (await countOf(db, 'small@sink.dev', 'delivered')) === SIZE.small
  }, 600_000)
  const meanwhile = await service.call('POST', '/emails', {
    from: 'a@acme.dev',
    to: 'new@sink.dev',
    subject: 'x',
    text: 'x',
  })
  await eventually(async () => (await countOf(db, 'huge@sink.dev', 'failed')) === SIZE.unsendable, 600_000)
  await eventually(async () => (await countOf(db, 'large@sink.dev', 'delivered')) === SIZE.large, 600_000)
  await eventually(async () => (await countOf(db, 'new@sink.dev', 'delivered')) === 1)

  expect(meanwhile.status).toBe(200)
  expect(largeBeforeSmall).toBeLessThan(SIZE.large)
  const [huge] = await db.query<{ replies: { reply: string }[]; attempts: number }>(sql`
      select replies, attempts from deliveries where recipient = 'huge@sink.dev' limit 1`)
  expect(huge).toMatchObject({ attempts: 1, replies: [{ reply: expect.stringContaining('larger than 50 MB') }] })
  expect(service.hasEnded).toBe(false)
  expect(await service.stop()).toBe(0)
})
