import { existsSync, mkdtempSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { startDirect } from '../../../../../test/harness/direct.ts'
import { sendEmail } from '../../../../../test/harness/emails.ts'
import type { MailServerOptions } from '../../../../../test/harness/mail-conversation.ts'
import { startReceiver, verify } from '../../../../../test/harness/receiver.ts'
import { matches } from '../../../../kernel/http/validate.ts'
import { AttemptRecord } from './attempt-record.ts'

const SECRET = `whsec_${Buffer.alloc(24, 'k').toString('base64')}`

async function start(settings: Record<string, string>, options: MailServerOptions = {}) {
  const direct = await startDirect(options, settings)
  direct.dns.set('sink.dev', { A: ['127.0.0.1'] })
  return direct
}

/** Records are waited for: a worker that stops has a second for those that are not written yet. */
async function startWithFile(options: MailServerOptions = {}, settings: Record<string, string> = {}) {
  const path = join(mkdtempSync(join(tmpdir(), 'postwren-attempts-')), 'attempts.jsonl')
  const direct = await start({ POSTWREN_ATTEMPTS: path, ...settings }, options)
  const lines = () => (existsSync(path) ? readFileSync(path, 'utf8').split('\n').slice(0, -1) : [])
  const records = async (count: number): Promise<AttemptRecord[]> => {
    await direct.app.until(() => lines().length >= count)
    await direct.app.stopDelivery()
    return lines().map((line) => JSON.parse(line))
  }
  return { ...direct, records }
}

test('each attempt is a record with all that is documented', async () => {
  const { app, acme, server, from, records } = await startWithFile({ tls: 'good' }, { POSTWREN_LOG_ADDRESSES: 'on' })
  server.react(({ step, line }) => (step === 'RCPT' && line.includes('gone@') ? '550 5.1.1 No such user' : undefined))
  const id = await sendEmail(acme, { from, to: ['ada@sink.dev', 'gone@sink.dev'] })
  await app.deliverDue()

  const made = (await records(2)).sort((a, b) => a.position - b.position)

  expect(made).toHaveLength(2)
  for (const record of made) expect(matches(AttemptRecord, record)).toBeNull()
  for (const record of made) expect(Object.keys(record).sort()).toEqual(Object.keys(AttemptRecord.properties).sort())
  expect(made[0]).toMatchObject({
    ...{ version: 1, team: acme.team, email: id, recipient: 'ada@sink.dev', domain: 'sink.dev', attempt: 1 },
    ...{ outcome: 'delivered', state: 'delivered', code: 250, enhanced_code: '2.0.0', class: null, settled: true },
    ...{ route: 'direct', destination: 'sink.dev', host: 'sink.dev', address: '127.0.0.1', source: '127.0.0.1' },
    ...{ spf_domain: expect.stringMatching(/^send\./), dkim_domains: [from.split('@')[1]], tls_verified: false },
    ...{ netblock: 'default', url_domains: null },
    ...{ tls_version: expect.stringMatching(/^TLSv1/), tls_policy: 'opportunistic', next_attempt_at: null },
  })
  expect(made[1]).toMatchObject({
    ...{ outcome: 'bounced', state: 'bounced', code: 550, enhanced_code: '5.1.1', class: 'invalid_recipient' },
    ...{ suppressed: true, bounce_type: 'Permanent' },
  })
})

test('a deferral says until when; people are named as in the log', async () => {
  const { app, acme, server, from, records } = await startWithFile()
  server.react(({ step }) => (step === 'RCPT' ? '450 4.2.1 ada@sink.dev: try later' : undefined))
  await sendEmail(acme, { from, to: 'ada@sink.dev' })
  await app.deliverDue()

  const [record] = await records(1)

  expect(record).toMatchObject({
    outcome: 'deferred',
    state: 'waiting',
    recipient: expect.stringMatching(/^[\da-f]{16}$/),
  })
  expect(Date.parse(record!.next_attempt_at!)).toBeGreaterThan(Date.parse(record!.at))
  expect(JSON.stringify(record)).not.toMatch(/\bada\b/)
})

test('links are named where a server blames them, and of mail that waits for that', async () => {
  const { app, acme, dns, server, from, records } = await startWithFile({}, { POSTWREN_SOURCE_ADDRESS: '127.0.0.1' })
  dns.set('box.dev', { MX: [{ exchange: 'gmail-smtp-in.l.google.com', preference: 5 }] })
  dns.set('gmail-smtp-in.l.google.com', { A: ['127.0.0.1'] })
  const domain = `www.${from.split('@')[1]}`
  server.react(({ step }) =>
    step === 'MESSAGE' ? '450 4.7.28 Mail with the URL domain has been temporarily rate limited' : undefined,
  )
  const send = (to: string) => sendEmail(acme, { from, to, html: `<a href="https://${domain}/x">look</a>` })
  await send('ada@box.dev')
  await app.deliverDue()
  await send('bob@box.dev')
  await app.deliverDue()

  const made = await records(2)
  expect(made.map(({ outcome, about, netblock, url_domains }) => ({ outcome, about, netblock, url_domains }))).toEqual([
    { outcome: 'deferred', about: 'url_domain', netblock: '127.0.0.0/24', url_domains: [domain] },
    { outcome: 'postponed', about: null, netblock: '127.0.0.0/24', url_domains: [domain] },
  ])
})

test('a full disk costs records and no mail, and is counted', async () => {
  const { app, acme, server, from } = await start({ POSTWREN_ATTEMPTS: '/dev/full' })
  await sendEmail(acme, { from, to: 'ada@sink.dev' })
  await app.deliverDue()
  await app.stopDelivery()

  expect(server.messages).toHaveLength(1)
  expect(await app.services.metrics.render()).toContain('postwren_attempt_records_total{result="dropped"} 1')
})

test('a webhook gets them in signed batches', async () => {
  const receiver = await startReceiver()
  const { app, acme, from } = await start({ POSTWREN_ATTEMPTS: receiver.url, POSTWREN_ATTEMPTS_SECRET: SECRET })
  await sendEmail(acme, { from, to: ['ada@sink.dev', 'bob@sink.dev'] })
  await app.deliverDue()
  const records = () => receiver.received.flatMap(({ event }) => event.data)
  await receiver.until(() => records().length >= 2)
  await app.stopDelivery()

  const [first] = receiver.received
  expect(records()).toMatchObject([{ outcome: 'delivered' }, { outcome: 'delivered' }])
  expect(first!.event.type).toBe('delivery.attempts')
  verify(first!, SECRET)
})

test('a webhook that never answers keeps no mail and no end of the process waiting', async () => {
  const receiver = await startReceiver(() => {})
  const { app, acme, server, from } = await start({
    POSTWREN_ATTEMPTS: receiver.url,
    POSTWREN_ATTEMPTS_SECRET: SECRET,
  })
  await sendEmail(acme, { from, to: 'ada@sink.dev' })
  await app.deliverDue()
  await receiver.reached(1)
  await sendEmail(acme, { from, to: 'bob@sink.dev' })
  await app.deliverDue()
  await app.stopDelivery()

  expect(server.messages).toHaveLength(2)
  expect(await app.services.metrics.render()).toMatch(/postwren_attempt_records_total\{result="dropped"\} [12]/)
})
