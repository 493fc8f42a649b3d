import { expect, test, vi } from 'vitest'
import { sql } from '../../src/kernel/db/sql.ts'
import { startDnsServer } from '../harness/dns-server.ts'
import { startMailServer } from '../harness/mail-server.ts'
import { relaying } from '../harness/relaying.ts'
import { call, dataFolder, Service } from '../harness/service.ts'
import { databaseOf } from '../harness/service-database.ts'
import { verifiedDomain } from '../harness/verified-domain.ts'

vi.setConfig({ testTimeout: 150_000 })

const MAILS = 40

test('kill -9 between yes and send: each approved mail leaves once, and no other does', async () => {
  const [dns, relay] = [await startDnsServer(), await startMailServer()]
  const settings = {
    ...relaying(relay, dns),
    POSTWREN_HOSTNAME: 'mx.postwren.test',
    POSTWREN_API_KEY: 're_key_of_the_crash_test',
  }
  const dataDir = dataFolder({ isDurable: true })
  const start = (roles: string) => Service.start({ dataDir, settings: { ...settings, POSTWREN_ROLES: roles } })
  // Nobody sends yet: whatever is approved is on its way when the process dies.
  const api = await start('api,jobs')
  await verifiedDomain(api, dns, 'acme.dev')
  const { body: key } = await api.call('POST', '/api-keys', { name: 'Agent', policy: { hold: true } })
  const send = (n: number) =>
    call({ url: api.url, token: key.token }, 'POST', '/emails', {
      ...{ from: 'a@acme.dev', to: `u${n}@held.dev`, subject: 'Hi', text: 'x' },
    })
  const sent = await Promise.all(Array.from({ length: MAILS }, (_, n) => send(n)))
  const ids: string[] = sent.map(({ body }) => body.id)
  const [approved, killed, waiting] = [ids.slice(0, 10), ids.slice(10, 30), ids.slice(30)]
  await api.call('POST', '/approvals/decide', { decision: 'approve', ids: approved })
  // Some of these are heard of, some are not.
  const answers = killed.map((id) => api.call('POST', `/approvals/${id}/approve`).catch(() => null))
  await Promise.race(answers)
  await api.kill()
  await Promise.all(answers)

  const service = await start('api,jobs,delivery')
  const db = await databaseOf(service)
  const decided = await db.query<{ id: string }>(sql`select email_id as id from approvals where status = 'approved'`)
  const open = sql`
    select from deliveries d join approvals a on a.team_id = d.team_id and a.email_id = d.email_id
    where d.state = 'waiting' and a.status = 'approved'`
  await service.stored(async () => (await db.query(open)).length === 0)
  const left = await db.query<{ id: string; last_event: string }>(sql`
    select e.id, e.last_event from emails e join approvals a on a.team_id = e.team_id and a.email_id = e.id where a.status = 'waiting'`)

  const arrived = relay.messages.flatMap(({ to }) => to).filter((to) => to.endsWith('@held.dev'))
  expect(new Set(arrived).size).toBe(arrived.length)
  expect(arrived).toHaveLength(decided.length)
  expect(decided.length).toBeGreaterThanOrEqual(approved.length + 1)
  expect(left).toHaveLength(MAILS - decided.length)
  expect(left.every(({ last_event }) => last_event === 'queued')).toBe(true)
  expect(waiting.every((id) => left.some((one) => one.id === id))).toBe(true)
})
