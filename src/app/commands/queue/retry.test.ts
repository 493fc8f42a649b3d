import { beforeEach, expect, test } from 'vitest'
import type { App, Client } from '../../../../test/harness/app.ts'
import { runCommand, runForJson, teamNameOf } from '../../../../test/harness/commands.ts'
import { emptyLedger, sendEmail, startAcme } from '../../../../test/harness/emails.ts'
import { DEFERRED, scriptedTransport } from '../../../../test/harness/transport.ts'
import { sql } from '../../../kernel/db/sql.ts'
import { queueRetry } from './retry.ts'

let app: App
let acme: Client

beforeEach(async () => {
  const started = await startAcme({}, { transport: scriptedTransport(() => DEFERRED).transport })
  app = started.app
  acme = started.acme
  await emptyLedger(app)
})

/** Who would be claimed now, by the time of the machine, which is that of the command. */
const due = async () =>
  (
    await app.db.query<{ recipient: string }>(sql`
      select recipient from deliveries where claims > 0 and due_at <= now() and holder is null order by recipient`)
  ).map(({ recipient }) => recipient)

async function deferSome() {
  const globex = await app.as('globex')
  const id = await sendEmail(acme, { to: 'a@slow.dev' })
  await sendEmail(acme, { to: 'b@bücher.dev' })
  await sendEmail(globex, { from: 'g@globex.dev', to: 'c@slow.dev' })
  await app.deliverDue()
  await sendEmail(acme, { to: 'later@slow.dev', scheduled_at: 'in 1 hour' })
  expect(await due()).toEqual([])
  return { id, globex }
}

test.each([
  ['of a domain', () => ({ domain: 'slow.dev' }), ['a@slow.dev', 'c@slow.dev']],
  ['of an international domain', () => ({ domain: 'xn--bcher-kva.dev' }), ['b@bücher.dev']],
  ['of a team', async () => ({ team: await teamNameOf(app, acme) }), ['a@slow.dev', 'b@bücher.dev']],
  ['from a domain', () => ({ from: 'globex.dev' }), ['c@slow.dev']],
  ['of all', () => ({}), ['a@slow.dev', 'b@bücher.dev', 'c@slow.dev']],
])('deferred mail %s is due now, and nothing else', async (_name, flagsFor, expected) => {
  await deferSome()
  const flags = await flagsFor()

  const dryRun = await runForJson(queueRetry, [], { ...flags, 'dry-run': true })
  const before = await due()
  const retried = await runForJson(queueRetry, [], flags)

  expect([dryRun.recipients, before]).toEqual([expected.length, []])
  expect(retried).toEqual({
    ...{ object: 'queue_retry', recipients: expected.length, in_flight: 0 },
    ...{ is_complete: true, dry_run: false },
  })
  expect(await due()).toEqual(expected)
})

test('a single email is retried, in the audit log of its team, and the destination that refused it is asked again', async () => {
  const { id, globex } = await deferSome()
  await app.db.query(sql.write`update deliveries set destination = 'mx.slow.dev' where email_id = ${id}`)
  await app.db.query(sql.write`delete from destination_pauses`)
  await app.db.query(sql.write`delete from delivery_pauses`)
  await pause(['mx.slow.dev', '@slow.dev', 'outlook'])
  await app.db.query(sql.write`
    insert into destination_stops (destination, cause, stopped_at, stopped_until, failures)
    select name, 'unreachable', now(), now() + interval '1 hour', 1 from unnest(${['mx.slow.dev', 'mx.gone.dev']}::text[]) name
    on conflict (destination) do update set stopped_until = excluded.stopped_until`)

  expect(await runCommand(queueRetry, [], { email: id, 'dry-run': true })).toMatch(
    new RegExp(`^Would retry mail to 1 recipient\\.\nFor example:\nEMAIL +RECIPIENT\n${id}  a@slow\\.dev$`),
  )
  expect(await runCommand(queueRetry, [], { email: id })).toBe('Retrying mail to 1 recipient.')

  expect(await due()).toEqual(['a@slow.dev'])
  const eventsOf = async (client: Client) => (await client.get('/audit-events?action=queue.retry')).body.data
  expect(await eventsOf(acme)).toMatchObject([{ details: { email: id, recipients: 1 } }])
  expect(await eventsOf(globex)).toEqual([])
  // Those who refused other mail have not been asked for, and a blocklist counts every question.
  expect(await paused()).toEqual(['outlook'])
  const stopped = await app.db.query(sql`select destination from destination_stops where stopped_until > now()`)
  expect(stopped).toEqual([{ destination: 'mx.gone.dev' }])

  await runCommand(queueRetry, [], { domain: 'nobody-writes-there.dev' })
  expect(await paused()).toEqual(['outlook'])
  await runCommand(queueRetry, [], {})
  expect(await paused()).toEqual([])
})

const pause = (destinations: readonly string[]) =>
  app.db.query(sql.write`
    insert into delivery_pauses (destination, kind, identity, refusals, paused_until, reply, refused_at)
    select name, 'source', 'default', 1, now() + interval '1 hour', '550 listed', now() from unnest(${destinations}::text[]) name`)

const paused = async () =>
  (
    await app.db.query<{ destination: string }>(
      sql`select destination from delivery_pauses where paused_until > now() order by 1`,
    )
  ).map(({ destination }) => destination)

test('what cannot be is one line', async () => {
  await expect(runCommand(queueRetry, [], { email: 'last' })).rejects.toThrow(
    '--email must be the id of an email, not `last`.',
  )
  await expect(runCommand(queueRetry, [], { state: 'scheduled' })).rejects.toThrow(
    '--state must be one or more of deferred,parked, not `scheduled`.',
  )
  await expect(runCommand(queueRetry, [], { provider: 'gmial' })).rejects.toThrow(/^--provider must be one of gmail, /)
  await expect(runCommand(queueRetry, [], { from: '' })).rejects.toThrow(/^--from must be a domain/)
})
