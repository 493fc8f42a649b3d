import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Database } from '../../src/kernel/db/database.ts'
import { sql } from '../../src/kernel/db/sql.ts'
import type { Dashboard } from './dashboard.ts'
import { newId } from './ids.ts'
import { tomorrow } from './requests.ts'
import { temporaryFolder } from './service.ts'
import { LOOPBACK_SOURCES } from './sources.ts'

const BUSY = '421 4.7.28 Our system has detected an unusual rate of unsolicited mail'
const LISTED =
  '550 5.7.1 Unfortunately, messages from [192.0.2.1] weren’t sent. Part of their network is on our block list (S3140)'

const MINUTE = 60_000

/** Two ways out and two addresses, for mail that never leaves: no process delivers. */
export function troubledSettings() {
  const folder = temporaryFolder({ lifetime: 'file' })
  const write = (name: string, content: object) => {
    writeFileSync(join(folder, name), JSON.stringify(content))
    return join(folder, name)
  }
  const [two, three] = LOOPBACK_SOURCES
  return {
    POSTWREN_ROLES: 'api,jobs',
    POSTWREN_DELIVERY: 'relay',
    POSTWREN_ROUTES: write('routes.json', {
      routes: [
        { name: 'main', kind: 'relay', url: 'smtp://user:geheim@127.0.0.1:1' },
        { name: 'backup', kind: 'relay', url: 'smtp://127.0.0.1:2' },
      ],
    }),
    POSTWREN_SOURCES: write('sources.json', { sources: [{ ...two, warm_up: true }, three], warm_up_domains: true }),
  }
}

/** Mail in all states: gmail has asked for less, outlook refuses our addresses, two sites are away, another takes everything; a route is down, and a source is refused. */
export async function makeDeliveryTrouble(at: Dashboard, db: Database) {
  const now = Date.now()
  const { id: domain } = await at.post('/domains', { name: 'acme.dev' })
  await db.query(sql`update domains set status = 'verified', is_sending_verified = true where id = ${domain}`)
  const waits = async (
    to: string,
    destination: string,
    { reply, count = 1 }: { reply?: object; count?: number } = {},
  ) => {
    for (let n = 0; n < count; n++) {
      // Where mail leaves nobody may write to names that are for examples.
      const mail = { from: 'Acme <hello@acme.dev>', to: 'ada@acme.dev', subject: 'Hello', text: 'Hi' }
      const { id } = await at.post('/emails', { ...mail, scheduled_at: tomorrow() })
      const replies = reply ? [{ at: new Date(now - n * MINUTE).toISOString(), ...reply }] : []
      await db.query(sql`
        update deliveries set recipient = ${`user${n}@${to}`}, destination = ${destination}, claims = 1, replies = ${JSON.stringify(replies)}::jsonb,
          parked_for = ${reply ? null : destination}, give_up_at = ${new Date(now + (50 - n) * 60 * MINUTE)}
        where email_id = ${id}`)
    }
  }
  const throttled = { reply: BUSY, class: 'throttled', rule: 'gmail-4.7.28', means: 'throttle' }
  await waits('gmail.example', 'gmail', { reply: throttled, count: 3 })
  await waits('gmail.example', 'gmail', { count: 4 })
  await waits('silent.example', 'mx1.silent.example mx2.silent.example', {
    reply: {
      reply: '451 4.4.1 No answer from mx1.silent.example',
      class: 'no_answer_from_host',
      rule: 'no-answer',
      means: 'trouble',
    },
    count: 2,
  })
  await waits('busy.example', 'mx.busy.example', { count: 2 })
  await waits('gone.example', 'mx.gone.example', { count: 3 })
  await db.query(sql`
    insert into destination_stops (destination, cause, stopped_at, stopped_until, failures, host, reply, domain)
    values ('mx.gone.example', 'unreachable', ${new Date(now - 7 * MINUTE)}, ${new Date(now + 9 * MINUTE)}, 6, 'mx.gone.example',
      '421 4.3.2 Service shutting down', 'gone.example')`)
  await db.query(sql`
    insert into delivery_routes (name, state, since, faults, changed_at, retry_at, fault, reply, host, faulted_at)
    values ('main', 'open', ${new Date(now - 12 * MINUTE)}, 4, ${new Date(now - MINUTE)}, ${new Date(now + 30 * MINUTE)}, 'login',
      '535 5.7.8 Authentication credentials invalid', '127.0.0.1', ${new Date(now - MINUTE)})`)
  await db.query(sql`
    insert into warm_ups (kind, identity, provider, step, day, leased, taken, deferred, is_blocked, last_sent_on, is_finished)
    values ('source', 'two', 'gmail', 4, (now() at time zone 'UTC')::date, 120, 100, 3, false, (now() at time zone 'UTC')::date, false),
      ('source', 'two', 'outlook', 1, (now() at time zone 'UTC')::date, 10, 1, 9, true, (now() at time zone 'UTC')::date, false),
      ('domain', 'acme.dev', 'yahoo', 0, (now() at time zone 'UTC')::date, 0, 0, 0, false, null, false)`)
  await db.query(sql`
    insert into delivery_pauses (destination, kind, identity, refusals, paused_until, host, reply, class, refused_at)
    values ('outlook', 'source', '127.0.0.2', 1, ${new Date(now + 20 * MINUTE)}, 'mx.example.net', ${LISTED}, 'spam_block', ${new Date(now - 20 * MINUTE)}),
      ('outlook', 'source', '127.0.0.3', 2, ${new Date(now + 40 * MINUTE)}, 'mx.example.net', ${LISTED}, 'spam_block', ${new Date(now - 20 * MINUTE)}),
      ('gmail', 'dkim_domain', 'acme.dev', 1, ${new Date(now + 10 * MINUTE)}, 'mx.example.net', ${BUSY}, 'spam_related', ${new Date(now - 5 * MINUTE)})`)
  await db.query(sql`
    insert into pace_controllers (destination, kind, identity, rate, limit_rate, confirmations, connections, complaints, cut_at,
      rest_until, round_at, taken, deferred, reply, class, noted_rate, changed_at)
    values ('gmail', 'site', '', 0.8, 2.4, 1, 2, 1, ${new Date(now - 30 * MINUTE)}, ${new Date(now - 29 * MINUTE)},
      ${new Date(now - MINUTE)}, 10, 0, ${BUSY}, 'throttled', 0.8, ${new Date(now)})`)
  let rate: number | null = null
  for (let minutes = 700; minutes > 0; minutes -= 20) {
    const isCut: boolean = rate === null || rate > 2.4
    const to: number = isCut ? 1.2 : rate! * 1.12
    await db.query(sql`
      insert into pace_changes (id, at, destination, kind, identity, cause, from_rate, to_rate, reply, class)
      values (${newId()}, ${new Date(now - minutes * MINUTE)}, 'gmail', 'site', '', ${isCut ? 'throttled' : 'grown'}, ${rate}, ${to},
        ${isCut ? BUSY : null}, ${isCut ? 'throttled' : null})`)
    rate = to
  }
}
