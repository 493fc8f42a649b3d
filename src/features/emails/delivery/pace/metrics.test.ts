import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { startDirect } from '../../../../../test/harness/direct.ts'
import { sendEmail } from '../../../../../test/harness/emails.ts'
import { sql } from '../../../../kernel/db/sql.ts'

const BUSY = '421 4.7.0 Too much mail, slow down'
const BLOCKED = '554 5.7.1 Service unavailable; Client host [192.0.2.1] blocked using zen.spamhaus.org'

async function start(settings: Record<string, string> = {}) {
  const started = await startDirect({}, settings)
  const { app, acme, dns, from } = started
  for (const table of [sql`pace_controllers`, sql`delivery_pauses`, sql`destination_pauses`])
    await app.db.query(sql`delete from ${table}`)
  const domainAt = (mx: string) => {
    const domain = `d-${Math.random().toString(36).slice(2)}.dev`
    dns.set(domain, { MX: [{ exchange: mx, preference: 10 }] })
    dns.set(mx, { A: ['127.0.0.1'] })
    return domain
  }
  const send = async (domain: string) => {
    await sendEmail(acme, { from, to: `ada@${domain}` })
    await app.deliverDue()
  }
  const shown = async (prefix: string) =>
    (await app.metrics.render()).split('\n').filter((line) => line.startsWith(prefix) && !line.endsWith(' 0'))
  return { ...started, domainAt, send, shown }
}

test('what providers answer is counted by provider, class and time; all who are not known are one', async () => {
  const { server, domainAt, send, shown } = await start()
  const [gmail, small] = [domainAt('gmail-smtp-in.l.google.com'), domainAt('mx.small.dev')]
  await send(gmail)
  await send(small)
  await send(domainAt('mx.another.dev'))
  server.react(({ step }) => (step === 'RCPT' ? '451 4.7.1 Greylisted, try again later' : undefined))
  await send(small)
  server.react(({ step }) => (step === 'RCPT' ? '550 5.1.1 No such user' : undefined))
  await send(gmail)

  expect(await shown('postwren_provider_attempts_total')).toEqual([
    'postwren_provider_attempts_total{provider="gmail",outcome="delivered"} 1',
    'postwren_provider_attempts_total{provider="other",outcome="delivered"} 2',
    'postwren_provider_attempts_total{provider="other",outcome="deferred"} 1',
    'postwren_provider_attempts_total{provider="gmail",outcome="bounced"} 1',
  ])
  expect(await shown('postwren_provider_deferrals_total')).toEqual([
    'postwren_provider_deferrals_total{provider="other",class="greylisted"} 1',
  ])
  expect(await shown('postwren_provider_delivery_seconds_count')).toEqual([
    'postwren_provider_delivery_seconds_count{provider="gmail"} 1',
    'postwren_provider_delivery_seconds_count{provider="other"} 2',
  ])
})

test('who was asked for less, and what is paused, is shown by provider', async () => {
  const path = join(mkdtempSync(join(tmpdir(), 'ceilings-')), 'ceilings.json')
  writeFileSync(path, JSON.stringify([{ provider: 'gmail', rate: '10/s' }]))
  const { app, server, domainAt, send, shown } = await start({ POSTWREN_CEILINGS: path })
  const gmail = domainAt('alt1.gmail-smtp-in.l.google.com')
  server.react(({ step }) => (step === 'MAIL' ? BUSY : undefined))
  await send(gmail)
  // No burst at the start, where there is a ceiling.
  app.clock.advance(1)
  await app.deliverDue()
  server.react(({ step }) => (step === 'MAIL' ? BLOCKED : undefined))
  await send(domainAt('mx.small.dev'))

  expect(await shown('postwren_provider_pauses')).toEqual([
    'postwren_provider_pauses{provider="other",kind="source"} 1',
  ])
  expect(await shown('postwren_pace_')).toEqual([
    'postwren_pace_controllers{provider="gmail"} 1',
    'postwren_pace_slowest_rate{provider="gmail"} 1',
    'postwren_pace_ceiling_rate{provider="gmail"} 10',
  ])
})
