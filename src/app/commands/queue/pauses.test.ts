import { beforeEach, expect, test } from 'vitest'
import type { App, Client } from '../../../../test/harness/app.ts'
import { runCommand, runForJson } from '../../../../test/harness/commands.ts'
import { startAcme } from '../../../../test/harness/emails.ts'
import { findStops, insertStop } from '../../../features/emails/delivery/transport/stop-store.ts'
import { sql } from '../../../kernel/db/sql.ts'
import { queueLift, queuePauses } from './pauses.ts'

let app: App
let acme: Client

beforeEach(async () => {
  const started = await startAcme()
  app = started.app
  acme = started.acme
  await app.db.query(sql`delete from delivery_pauses`)
  await app.db.query(sql`delete from destination_pauses`)
  await app.db.query(sql`delete from destination_stops`)
})

const pause = (destination: string, kind: string, identity: string) =>
  app.db.query(sql`
    insert into delivery_pauses (destination, kind, identity, refusals, paused_until, reply, refused_at)
    values (${destination}, ${kind}, ${identity}, 1, now() + interval '1 hour', '550 5.7.1 Listed', now())`)

const listed = async () =>
  (await runForJson(queuePauses)).data.map((one: { destination: string; kind: string; identity: string | null }) =>
    [one.destination, one.kind, one.identity].join(' '),
  )

test('pauses are listed with what is refused, until when and why', async () => {
  expect(await runCommand(queuePauses)).toBe('Nothing is paused.')
  await pause('gmail', 'dkim_domain', 'acme.dev')

  const text = await runCommand(queuePauses)

  expect(text).toMatch(/^DESTINATION +REFUSES +KIND +IDENTITY +UNTIL +REFUSALS +REPLY$/m)
  expect(text).toMatch(/^gmail +the DKIM domain acme\.dev +dkim_domain +acme\.dev +\S+Z +1 +550 5\.7\.1 Listed$/m)
})

test('those that are named are lifted, with a reason, in the audit log of whom they are about', async () => {
  await pause('gmail', 'tenant', acme.team)
  await pause('gmail', 'site', '')
  await pause('yahoo', 'site', '')
  const flags = { destination: 'gmail', kind: 'tenant', identity: acme.team }

  expect(await runCommand(queueLift, [], { ...flags, 'dry-run': true })).toBe(
    `Would lift: gmail refuses the team ${acme.team}.`,
  )
  expect((await listed()).length).toBe(3)
  expect(await runCommand(queueLift, [], { ...flags, reason: 'They apologized.' })).toBe(
    `Lifted: gmail refuses the team ${acme.team}.`,
  )

  expect((await listed()).sort()).toEqual(['gmail site ', 'yahoo site '])
  const { body } = await acme.get('/audit-events?action=queue.lift')
  expect(body.data[0].details).toEqual({
    ...{ destination: 'gmail', kind: 'tenant', identity: acme.team, reason: 'They apologized.' },
  })
  expect(await runCommand(queueLift, [], { all: true, reason: 'All of them.' })).toMatch(/^Lifted: /)
  expect(await listed()).toEqual([])
  expect(await runCommand(queueLift, [], { all: true, reason: 'Again.' })).toMatch(/^No such pause/)
})

test('a destination that takes nothing is tried again, also where nothing is paused', async () => {
  const stoppedUntil = new Date(app.clock.now().getTime() + 600_000)
  const stop = (destination: string) =>
    insertStop(app.db, {
      ...{ destination, cause: 'unreachable', stoppedUntil },
      ...{ host: null, reply: 'No connection', domain: null },
    })
  for (const destination of ['mx.a.dev', 'mx.b.dev', 'mx.c.dev']) await stop(destination)
  await pause('mx.b.dev', 'tenant', acme.team)
  const stopped = async () =>
    (await findStops(app.db))
      .filter((one) => one.stoppedUntil.getTime() === stoppedUntil.getTime())
      .map(({ destination }) => destination)
      .sort()
  const ofA = { destination: 'mx.a.dev' }

  expect(await runCommand(queueLift, [], { ...ofA, 'dry-run': true })).toBe('Would lift: mx.a.dev takes nothing.')
  expect(await stopped()).toEqual(['mx.a.dev', 'mx.b.dev', 'mx.c.dev'])
  expect(await runCommand(queueLift, [], { ...ofA, reason: 'It is back.' })).toBe('Lifted: mx.a.dev takes nothing.')
  expect(await runCommand(queueLift, [], { ...ofA, reason: 'It is back.' })).toMatch(/^No such pause/)
  // Pauses of a kind say nothing of other destinations.
  const ofTeams = await runForJson(queueLift, [], { kind: 'tenant', reason: 'They apologized.' })
  expect([ofTeams.data.length, ofTeams.stops]).toEqual([1, ['mx.b.dev']])
  expect(await stopped()).toEqual(['mx.c.dev'])
  expect(await runCommand(queueLift, [], { all: true, reason: 'All.' })).toBe('Lifted: mx.c.dev takes nothing.')
  const { body } = await acme.get('/audit-events?action=queue.lift')
  expect(body.data[0].details).toEqual({ stops: 1, reason: 'All.' })
})

test.each([
  [{ reason: 'Why not.' }, 'Say which: --destination D, --kind K, --identity I, or --all.'],
  [{ destination: 'gmail' }, /^Missing --reason/],
  [{ kind: 'moon', reason: 'Why not.' }, /^--kind must be one of source, netblock,/],
])('%j is one line', async (flags, message) => {
  await expect(runCommand(queueLift, [], flags)).rejects.toThrow(message)
})
