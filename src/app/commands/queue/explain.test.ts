import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import type { App, Client } from '../../../../test/harness/app.ts'
import { runCommand, runForJson, teamNameOf } from '../../../../test/harness/commands.ts'
import { type DnsServer, startDnsServer } from '../../../../test/harness/dns-server.ts'
import { emptyLedger, sendEmail, startAcme } from '../../../../test/harness/emails.ts'
import { newId } from '../../../../test/harness/ids.ts'
import { LOOPBACK_SOURCES, sourcesSetting } from '../../../../test/harness/sources.ts'
import { sql } from '../../../kernel/db/sql.ts'
import { queueExplain } from './explain.ts'

let app: App
let acme: Client
let dns: DnsServer
let settings: Record<string, string>

beforeEach(async () => {
  const started = await startAcme()
  app = started.app
  acme = started.acme
  dns = await startDnsServer()
  settings = {
    POSTWREN_DELIVERY: 'direct',
    POSTWREN_DNS_SERVERS: dns.address,
    POSTWREN_PRIVATE_ADDRESSES: 'allow',
  }
  await emptyLedger(app)
  for (const table of [
    'delivery_pauses',
    'destination_pauses',
    'pace_controllers',
    'delivery_ceilings',
    'delivery_holds',
    'destination_stops',
  ])
    await app.db.query(sql`delete from ${sql([table] as unknown as TemplateStringsArray)}`)
})

const explain = (domain: string, flags: Record<string, string> = {}) =>
  runForJson(queueExplain, [domain], flags, settings)

function atGmail(domain: string, more: readonly string[] = []) {
  const hosts = ['aspmx.l.google.com', 'alt1.aspmx.l.google.com', ...more]
  dns.set(domain, { MX: hosts.map((exchange, index) => ({ exchange, preference: index + 1 })) })
  for (const host of hosts) dns.set(host, { A: ['127.0.0.1'] })
}

function writeCeilings(text: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'ceilings-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const path = join(folder, 'ceilings.json')
  writeFileSync(path, text)
  return path
}

const pause = (destination: string, kind: string, identity: string) =>
  app.db.query(sql`
    insert into delivery_pauses (destination, kind, identity, refusals, paused_until, reply, refused_at)
    values (${destination}, ${kind}, ${identity}, 1, now() + interval '1 hour', '421 4.7.28 Too much', now())`)

const slow = (destination: string, rate: number, [kind, identity] = ['source', 'default']) =>
  app.db.query(sql`
    insert into pace_controllers (destination, kind, identity, rate, limit_rate, confirmations, connections, complaints, taken, deferred,
      reply, class, cut_at, rest_until, round_at, noted_rate, changed_at)
    values (${destination}, ${kind}, ${identity}, ${rate}, 1, 0, 2, 1, 0, 0, '421 4.7.0 Slow down', null, now(), now(), now(), 0.5, now())`)

test('a domain of a provider: every mail server, the ceilings with where each is said, and what waits', async () => {
  atGmail('acme-mail.dev')
  const path = writeCeilings(`[
  { "provider": "gmail",
    "connections": 20 },
  { "domain": "other.dev", "connections": 1 }
]`)
  settings.POSTWREN_CEILINGS = path
  const row = newId()
  await app.db.query(sql`
    insert into delivery_ceilings (id, provider, ceilings, created_at, updated_at)
    values (${row}, 'gmail', '{"rate": "30/m"}', now(), now())`)
  await slow('gmail', 0.2)
  await sendEmail(acme, { to: 'a@acme-mail.dev' })
  await sendEmail(acme, { to: 'b@acme-mail.dev' })

  const shown = await explain('acme-mail.dev')
  const text = await runCommand(queueExplain, ['acme-mail.dev'], {}, settings)

  expect(shown.mail_servers).toEqual([
    { host: 'aspmx.l.google.com', addresses: ['127.0.0.1'], provider: 'gmail' },
    { host: 'alt1.aspmx.l.google.com', addresses: ['127.0.0.1'], provider: 'gmail' },
  ])
  expect(shown.destination).toMatchObject({
    name: 'gmail',
    provider: 'gmail',
    site: 'aspmx.l.google.com',
    queue: 'gmail',
  })
  const ceilingOf = (key: string) => shown.ceilings.find((one: { key: string }) => one.key === key)
  expect(ceilingOf('connections')).toEqual({
    key: 'connections',
    value: 20,
    layers: [
      { value: 5, origin: 'setting', layer: 'everything', where: 'POSTWREN_DESTINATION_CONNECTIONS', binds: false },
      { value: 5, origin: 'built in', layer: 'provider gmail', where: 'built in', binds: false },
      { value: 20, origin: 'file', layer: 'provider gmail', where: `${path}:3`, binds: true },
    ],
  })
  expect(ceilingOf('rate').layers.at(-1)).toEqual({
    ...{ value: 0.5, origin: 'database', layer: 'provider gmail', where: `database, row ${row}`, binds: true },
  })
  expect(shown.waiting.domain).toMatchObject({ waiting: 2, deferred: 0 })
  expect(shown.expected).toMatchObject({ rate: 0.2, bound_by: 'the controller of source default' })
  // Two, at one in five seconds.
  expect(Date.parse(shown.expected.last_leaves_at) - Date.now()).toBeGreaterThan(0)
  expect(text).toContain('gmail (the provider: all 2 mail servers are its own)')
  expect(text).toMatch(/^Ceilings +connections +20 +provider gmail \(\S+:3\); over 5 of provider gmail \(built in\)/m)
  expect(text).toMatch(/^Expected +12\/min, by the controller of source default$/m)
})

test('one mail server of another makes it a site, with its own name', async () => {
  atGmail('mixed.dev', ['mx.mixed.dev'])

  const { destination } = await explain('mixed.dev')
  const text = await runCommand(queueExplain, ['mixed.dev'], {}, settings)

  expect(destination).toMatchObject({ name: 'aspmx.l.google.com', provider: null })
  expect(text).toContain('a site: only 2 of 3 mail servers are of gmail, and a provider has all of them')
})

test('pauses and controllers of other senders are left out when it is said whose mail it is', async () => {
  atGmail('acme-mail.dev')
  await pause('gmail', 'dkim_domain', 'loud.dev')
  await pause('gmail', 'tenant', acme.team)
  await pause('yahoo', 'site', '')
  await slow('gmail', 0.1, ['spf_domain', 'send.loud.dev'])
  const kinds = async (flags: Record<string, string>) => {
    const { pauses, controllers, expected } = await explain('acme-mail.dev', flags)
    const shown = [...pauses, ...controllers].map(
      ({ kind, reach }: { kind: string; reach: string }) => `${kind} ${reach}`,
    )
    return { shown: shown.sort(), rate: expected.rate, isPaused: expected.not_before !== null }
  }

  expect(await kinds({})).toEqual({
    ...{ shown: ['dkim_domain some', 'spf_domain some', 'tenant some'], rate: null, isPaused: false },
  })
  expect(await kinds({ from: 'loud.dev' })).toEqual({
    ...{ shown: ['dkim_domain all', 'spf_domain all', 'tenant some'], rate: 0.1, isPaused: true },
  })
  expect(await kinds({ from: 'quiet.dev' })).toMatchObject({ shown: ['tenant some'], rate: null })
  expect(await kinds({ from: 'quiet.dev', team: await teamNameOf(app, acme) })).toMatchObject({
    ...{ shown: ['tenant all'], isPaused: true },
  })
})

test('a stop of the destination is said, and nothing is expected before its end', async () => {
  atGmail('acme-mail.dev')
  await app.db.query(sql`
    insert into destination_stops (destination, cause, stopped_at, stopped_until, failures, host, reply, domain)
    values ('gmail', 'unreachable', now(), now() + interval '5 min', 2, null, '421 4.3.2 Closing', null)`)

  const { stop, expected } = await explain('acme-mail.dev')
  const text = await runCommand(queueExplain, ['acme-mail.dev'], {}, settings)

  expect(stop).toMatchObject({ destination: 'gmail', cause: 'unreachable', failures: 2 })
  expect(expected.not_before).toBe(stop.stopped_until)
  expect(text).toMatch(/^Pauses +stopped since \S+Z: it cannot be reached; tried again at \S+Z: 421 4\.3\.2 Closing$/m)
  expect(text).toMatch(/^Expected +nothing until one message is answered; after that:$/m)
})

test('a domain without mail goes nowhere, and what its recipients get instead is said', async () => {
  dns.set('nomail.dev', { MX: [{ exchange: '.', preference: 0 }] })

  const shown = await explain('nomail.dev')

  expect(shown).toMatchObject({ destination: null, mail_servers: [], outcome: { kind: 'bounced' } })
  expect(await runCommand(queueExplain, ['nomail.dev'], {}, settings)).toMatch(
    /^Destination +nowhere: each recipient is bounced: /m,
  )
})

test('a domain with a ceiling of its own has a queue of its own; holds are said', async () => {
  atGmail('own.dev')
  settings.POSTWREN_CEILINGS = writeCeilings('[{ "domain": "own.dev", "tls": "enforced" }]')
  await app.db.query(sql`
    insert into delivery_holds (id, recipient_domain, reason, created_at) values (${newId()}, 'own.dev', 'Under repair', now())`)

  const text = await runCommand(queueExplain, ['own.dev'], {}, settings)

  expect(text).toContain('its own connections and queue: @own.dev')
  expect(text).toMatch(/^ *tls +enforced +domain own\.dev /m)
  expect(text).toMatch(/^On hold +since \S+Z: Under repair$/m)
})

test('with a relay nobody looks for mail servers', async () => {
  settings = { POSTWREN_DELIVERY: 'relay', POSTWREN_RELAY_URL: 'smtp://127.0.0.1:2', POSTWREN_DNS_SERVERS: dns.address }

  const { destination } = await explain('x.dev')

  expect(destination).toMatchObject({ name: 'relay', provider: null })
  expect(dns.queries).toEqual([])
})

test('what cannot be is one line', async () => {
  await expect(runCommand(queueExplain, ['not a domain'], {}, settings)).rejects.toThrow(/^DOMAIN must be a domain/)
  await expect(runCommand(queueExplain, ['x.dev'])).rejects.toThrow(/POSTWREN_DELIVERY is `inbox`/)
})

test.each([
  ['its name in the file', { ...sourcesSetting({ sources: LOOPBACK_SOURCES }) }, 'two'],
  ['its address', { ...sourcesSetting({ sources: LOOPBACK_SOURCES }) }, '127.0.0.2'],
  ['one of its two addresses', { POSTWREN_SOURCE_ADDRESS: '127.0.0.2,::1' }, '127.0.0.2'],
])('a ceiling of the source that mail leaves from is among the layers, by %s', async (_name, source, called) => {
  atGmail('acme-mail.dev')
  const path = writeCeilings(JSON.stringify([{ provider: 'gmail', source: called, rate: '7/s' }]))
  settings = { ...settings, ...source, POSTWREN_CEILINGS: path }

  const { ceilings } = await explain('acme-mail.dev')

  const { layers } = ceilings.find(({ key }: { key: string }) => key === 'rate')
  expect(layers.at(-1)).toMatchObject({ value: 7, origin: 'file', where: `${path}:1`, binds: true })
})

test('with several sources the rate is theirs together, once all of them are slowed', async () => {
  atGmail('acme-mail.dev')
  settings = { ...settings, ...sourcesSetting({ sources: LOOPBACK_SOURCES }) }
  await slow('gmail', 0.1, ['source', '127.0.0.2'])
  const one = await explain('acme-mail.dev')
  await slow('gmail', 0.3, ['source', '127.0.0.3'])
  const both = await explain('acme-mail.dev')

  expect(one).toMatchObject({ controllers: [{ identity: '127.0.0.2', reach: 'some' }], expected: { rate: null } })
  expect(both.sources.map(({ name }: { name: string }) => name)).toEqual(['two', 'three'])
  expect(both.expected).toMatchObject({ rate: 0.4, bound_by: 'the controllers of all sources', not_before: null })
  await pause('gmail', 'source', '127.0.0.2')
  expect((await explain('acme-mail.dev')).expected.not_before).toBeNull()
  await pause('gmail', 'source', '127.0.0.3')
  expect((await explain('acme-mail.dev')).expected.not_before).not.toBeNull()
})
