import { expect, test } from 'vitest'
import { startDesk } from '../../../test/harness/answering.ts'
import { startApp } from '../../../test/harness/app.ts'
import { arrive, receivingTeam, written } from '../../../test/harness/arriving.ts'
import { startDnsServer } from '../../../test/harness/dns-server.ts'
import { addVerifiedDomain } from '../../../test/harness/emails.ts'
import { guardedKey, MAIL } from '../../../test/harness/guarded.ts'
import { sql } from '../../kernel/db/sql.ts'
import { sendScheduledDraft } from '../inboxes/drafts/schedule.ts'
import { setPolicy } from './write.ts'

const WROTE_FIRST = { recipients: { wrote_first: true } }

test('where mail leaves, whoever has proven that they wrote can be answered, and nobody else', async () => {
  const dns = await startDnsServer()
  const app = await startApp({ POSTWREN_DELIVERY: 'direct', POSTWREN_DNS_SERVERS: dns.address })
  dns.set('honest.dev', { TXT: [['v=spf1 ip4:192.0.2.1 -all']] })
  dns.set('_dmarc.honest.dev', { TXT: [['v=DMARC1; p=reject']] })
  dns.set('plain.dev', { TXT: [['v=spf1 ip4:192.0.2.1 -all']] })
  dns.set('victim.dev', { TXT: [['v=spf1 -all']] })
  const { client: acme, domain } = await receivingTeam(app, 'acme')
  await app.db.query(
    sql`update domains set is_receiving_proven = true, status = 'verified' where team_id = ${acme.team}`,
  )
  await addVerifiedDomain(app, acme, 'acme.dev')
  const agent = await guardedKey(app, acme, WROTE_FIRST)
  const send = async (to: string) => (await agent.post('/emails', { ...MAIL, to })).status
  const receive = (from: string, envelope: string) =>
    arrive(app, written({ from }), { to: [`desk@${domain}`], from: envelope })

  expect(await send('ada@honest.dev')).toBe(403)
  await receive('Ada <Ada@Honest.dev>', 'ada@honest.dev')
  await receive('bob@plain.dev', 'bob@plain.dev')
  await receive('"eve@evil.dev" <boss@victim.dev>', 'boss@victim.dev')
  await receive('boss@honest.dev', 'eve@plain.dev')
  await app.runDueJobs()

  expect(await send('ADA@honest.dev')).toBe(200)
  expect(await send('bob@plain.dev')).toBe(200)
  expect(await send('boss@victim.dev')).toBe(403)
  expect(await send('boss@honest.dev')).toBe(403)
  expect(await send('eve@evil.dev')).toBe(403)
  expect(await send('carl@honest.dev')).toBe(403)
})

test('where nothing leaves, every sender counts', async () => {
  const app = await startApp()
  const { client: acme, domain } = await receivingTeam(app, 'acme')
  const agent = await guardedKey(app, acme, WROTE_FIRST)
  const send = async () => (await agent.post('/emails', { ...MAIL, to: 'ada@example.net' })).status

  expect(await send()).toBe(403)
  await arrive(app, written(), { to: [`desk@${domain}`] })
  await app.runDueJobs()

  expect(await send()).toBe(200)
})

test('a draft that was scheduled under a policy is judged when it is sent, also by one that its key got later', async () => {
  const { app, acme, path } = await startDesk()
  const [own] = (await acme.get('/api-keys')).body.data
  const { body: draft } = await acme.post(`${path}/drafts`, { to: 'ada@example.com', subject: 'Hello', text: 'Hi' })
  await acme.post(`${path}/drafts/${draft.id}/schedule`, {})
  await app.db.transaction((trx) => guard(trx, acme.team, own.id))

  app.clock.advance(60)
  await app.runDueJobs()

  const [job] = await app.db.query(sql`select from jobs where name = ${sendScheduledDraft.name}`)
  const [row] = await app.db.query<{ send_error: string; email_id: string | null }>(sql`
    select send_error, email_id from inbox_drafts where team_id = ${acme.team} and id = ${draft.id}`)
  expect(job).toBeUndefined()
  expect(row!.email_id).toBeNull()
  expect(row!.send_error).toContain('`recipients` does not allow ada@example.com')
})

const guard = (trx: Parameters<typeof setPolicy>[0], team: string, id: string) =>
  setPolicy(trx, { team, policyId: id, holder: 'api_key' }, { recipients: { domains: ['acme.dev'] } })
