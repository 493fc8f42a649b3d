import { describe, expect, test } from 'vitest'
import { freshName, MAIL_HOST, publish, startAppWithDns } from '../../../../test/harness/domains.ts'
import { readableLog } from '../../../../test/harness/log.ts'
import { sourcesSetting } from '../../../../test/harness/sources.ts'
import type { Resolver } from '../../../adapters/dns/resolver.ts'
import { createResolver } from '../../../adapters/dns/resolver.ts'
import { reverseName } from '../../../adapters/dns/reverse-name.ts'
import { sql } from '../../../kernel/db/sql.ts'
import { loadConfig } from '../../../platform/settings/config.ts'
import { isListed } from './blocklists.ts'
import { checkInstallation } from './check-installation.ts'
import { changesOf, type Finding, withSince } from './finding.ts'
import { examineInstallation } from './installation.ts'
import { listProblems } from './queries.ts'
import { countLookups } from './spf.ts'

const DAY = 86_400

interface Shown {
  readonly status: string
  readonly findings: (Finding & { readonly check: string })[]
}

async function start(settings: Record<string, string> = {}) {
  const app = await startAppWithDns(settings)
  const acme = await app.as('acme')
  const { body: domain } = await acme.post('/domains', {
    name: freshName(),
    dkim: 'ed25519',
    capabilities: { receiving: 'enabled' },
  })
  const path = `/domains/${domain.id}`
  publish(app.dns, domain)
  await acme.post(`${path}/verify`)
  await app.after(60)
  await app.after(60)
  const health = async (): Promise<Shown> => (await acme.get(`${path}/health`)).body
  return {
    app,
    acme,
    domain,
    path,
    health,
    of: async (check: string) => (await health()).findings.find((one) => one.check === check),
    changes: async () =>
      (await acme.events())
        .filter(({ type }) => /^domain\.(degraded|recovered)$/.test(type))
        .map(({ type, data }) => [type, ...data.findings.map(({ check }: Finding) => check)]),
    async check() {
      expect((await acme.post(`${path}/check`)).body).toEqual({ object: 'domain', id: domain.id })
      await app.runDueJobs()
    },
  }
}

describe('a verified domain', () => {
  test('is examined, and again every day', async () => {
    const { app, health, domain, changes } = await start()

    const first = await health()
    expect(first).toMatchObject({ object: 'domain_health', status: 'ok', installation: [] })
    expect(first.findings.map(({ check }) => check).toSorted()).toEqual(
      [
        'dkim:postwren-ed25519',
        'dkim_age',
        'dmarc',
        'receiving_mx',
        'spf_lookups',
        'spf_mx',
        'spf_txt',
        'tls_rpt',
      ].toSorted(),
    )
    app.dns.set(`_dmarc.${domain.name}`, { TXT: [['v=DMARC1; p=none; rua=mailto:somebody@else.example']] })
    await app.after(DAY + 60)

    const second = await health()
    expect(second.status).toBe('advice')
    expect(second.findings.find(({ check }) => check === 'dmarc')).toMatchObject({
      status: 'advice',
      record: {
        name: `_dmarc.${domain.name}`,
        value: `v=DMARC1; p=none; rua=mailto:somebody@else.example,mailto:dmarc@send.${domain.name}`,
      },
    })
    // Nothing is broken.
    expect(await changes()).toEqual([])
  })

  test('is verified and examined whatever bytes its records have', async () => {
    const { app, acme, domain, path, of, check } = await start()
    app.dns.set(`_dmarc.${domain.name}`, { TXT: [['v=DMARC1; p=none; note=a\u0000b; rua=mailto:x@else.example']] })

    await acme.post(`${path}/verify`)
    await app.runDueJobs()
    await check()

    const records: { suggestion?: string; value: string }[] = (await acme.get(path)).body.records
    const value = expect.stringContaining('note=a b')
    expect(records.find(({ suggestion }) => suggestion === 'DMARC')).toMatchObject({ value })
    expect(await of('dmarc')).toMatchObject({ record: { value } })
  })

  test('tells once when something broke, says what to publish, and when it is right again', async () => {
    const { app, domain, of, check, changes } = await start()
    app.dns.remove(`_dmarc.${domain.name}`)
    publish(app.dns, domain, ({ record, suggestion }) => record !== 'DKIM' && suggestion !== 'DMARC')

    await check()
    await check()
    expect(await changes()).toEqual([['domain.degraded', 'dkim:postwren-ed25519', 'dmarc']])
    expect(await of('dmarc')).toMatchObject({
      status: 'problem',
      record: { type: 'TXT', value: `v=DMARC1; p=none; rua=mailto:dmarc@send.${domain.name}` },
    })
    const dkim = domain.records.find(({ record }: { record: string }) => record === 'DKIM')
    expect(await of('dkim:postwren-ed25519')).toMatchObject({ status: 'problem', record: { value: dkim.value } })
    expect(await listProblems(app.db, 1_000)).toContainEqual({
      name: domain.name,
      message: expect.stringMatching(/missing/),
    })

    publish(app.dns, domain)
    await check()
    expect((await changes()).at(-1)).toEqual(['domain.recovered', 'dkim:postwren-ed25519', 'dmarc'])
    expect(await listProblems(app.db, 1_000)).not.toContainEqual(expect.objectContaining({ name: domain.name }))
  })

  test('is not called broken by name servers that do not answer', async () => {
    const { app, domain, health, check, changes } = await start()
    const before = await health()
    for (const name of [`_dmarc.${domain.name}`, `send.${domain.name}`, domain.name]) app.dns.fault(name, 'servfail')

    await check()

    expect((await health()).findings).toEqual(expect.arrayContaining(before.findings))
    expect(await changes()).toEqual([])
  })

  test('has findings about what else is in its DNS', async () => {
    const { app, domain, of, check } = await start({ POSTWREN_BLOCKLISTS: 'bl.example, domain:dbl.example' })
    const { name } = domain
    app.dns.set(`send.${name}`, {
      MX: [{ exchange: MAIL_HOST, preference: 10 }],
      TXT: [[`v=spf1 a:${MAIL_HOST} include:loop.example ~all`]],
    })
    app.dns.set('loop.example', { TXT: [['v=spf1 include:loop.example a mx ~all']] })
    app.dns.set(`_dmarc.${name}`, { TXT: [['v=DMARC1; p=none'], ['v=DMARC1; p=reject']] })
    app.dns.set(`default._bimi.${name}`, { TXT: [['v=BIMI1; l=http://x.example/logo.svg']] })
    app.dns.set(`_mta-sts.${name}`, { TXT: [['v=STSv1; id=20261118;']] })
    app.dns.set(`_smtp._tls.${name}`, { TXT: [['v=TLSRPTv1; rua=nobody']] })
    app.dns.set(`${name}.dbl.example`, { A: ['127.0.1.2'] })
    await check()

    expect(await of('spf_lookups')).toMatchObject({ status: 'problem', message: expect.stringMatching(/more than 10/) })
    expect(await of('dmarc')).toMatchObject({ status: 'problem', message: expect.stringMatching(/several/) })
    expect(await of('bimi')).toMatchObject({ status: 'problem', message: expect.stringMatching(/https/) })
    expect(await of('mta_sts')).toMatchObject({ status: 'problem', message: expect.stringMatching(/no address/) })
    expect(await of('tls_rpt')).toMatchObject({ status: 'problem' })
    expect(await of('blocklist:dbl.example')).toMatchObject({ status: 'problem' })
  })

  test('reminds of keys that are older than a year', async () => {
    const { app, acme, domain, of, check } = await start()
    await app.db.query(sql`
      update domain_keys set created_at = created_at - interval '400 days' where team_id = ${acme.team} and domain_id = ${domain.id}`)
    await check()

    expect(await of('dkim_age')).toMatchObject({
      status: 'advice',
      message: expect.stringMatching(/40\d days old.*Rotate/),
    })
  })
})

test('one that is not verified has no findings, and that of another team is not found', async () => {
  const { app, path } = await start()
  const globex = await app.as('globex')
  const { body: domain } = await globex.post('/domains', { name: freshName(), dkim: 'ed25519' })

  expect((await globex.get(`/domains/${domain.id}/health`)).body).toMatchObject({
    status: 'unknown',
    checked_at: null,
    findings: [],
  })
  expect((await globex.get(`${path}/health`)).status).toBe(404)
  expect((await globex.post(`${path}/check`)).status).toBe(404)
})

describe('findings', () => {
  const finding = (status: Finding['status'], since = '2026-11-01T00:00:00.000Z'): Finding => ({
    check: 'dmarc',
    status,
    message: '',
    since,
  })
  const now = new Date('2026-11-18T00:00:00Z')

  test('keep their time while their status is the same, and stay when nobody answers', () => {
    expect(withSince([finding('ok')], [finding('ok')], now)[0]!.since).toBe('2026-11-01T00:00:00.000Z')
    expect(withSince([finding('problem')], [finding('ok')], now)[0]!.since).toBe(now.toISOString())
    expect(withSince([finding('unknown')], [finding('problem')], now)[0]!.status).toBe('problem')
    expect(withSince([finding('unknown')], [], now)[0]!.status).toBe('unknown')
  })

  test('that are new break nothing', () => {
    expect(changesOf([], [finding('problem')])).toEqual({ broken: [], recovered: [] })
    expect(changesOf([finding('unknown')], [finding('problem')])).toEqual({ broken: [], recovered: [] })
    expect(changesOf([finding('advice')], [finding('problem')]).broken).toHaveLength(1)
    expect(changesOf([finding('problem')], [finding('advice')]).recovered).toHaveLength(1)
  })
})

test('look-ups of SPF are counted through includes, and no further than they count', async () => {
  const zones: Record<string, string> = {
    'a.example': 'v=spf1 include:b.example a mx -all',
    'b.example': 'v=spf1 ip4:192.0.2.0/24 exists:%{i}.x.example redirect=c.example',
    'c.example': 'v=spf1 -all',
  }
  let asked = 0
  const resolver = {
    async lookup(name: string) {
      asked++
      return zones[name] ? { kind: 'found', records: [zones[name]] } : { kind: 'none', reason: 'no_such_name' }
    },
  } as unknown as Resolver

  expect(await countLookups(resolver, zones['a.example']!)).toEqual({ lookups: 5, missing: [], isPartial: false })
  expect(await countLookups(resolver, 'v=spf1 include:gone.example -all')).toMatchObject({ missing: ['gone.example'] })
  expect(await countLookups(resolver, `v=spf1 include:${'x'.repeat(60_000)} -all`)).toMatchObject({
    missing: ['x'.repeat(253)],
  })
  asked = 0
  zones['loop.example'] = `v=spf1 ${'include:loop.example '.repeat(1_000)}-all`
  expect((await countLookups(resolver, zones['loop.example'])).lookups).toBeGreaterThan(10)
  expect(asked).toBeLessThanOrEqual(10)
})

test('the machine itself: its name in both directions, and blocklists', async () => {
  const { app } = await start()
  const { dns } = app
  const config = loadConfig({
    POSTWREN_DELIVERY: 'direct',
    POSTWREN_HOSTNAME: 'mx.acme.example',
    POSTWREN_BLOCKLISTS: 'bl.example',
    POSTWREN_DATA_DIR: '/nowhere',
  })
  dns.set('mx.acme.example', { A: ['93.184.215.14'] })
  const asking = () => createResolver({ servers: [dns.address] })
  const examine = () =>
    examineInstallation({ db: app.db, resolver: asking(), config, now: new Date('2026-11-18T00:00:00Z') }).then(
      ({ found }) => found,
    )

  expect(await examine()).toMatchObject([
    { check: 'reverse_dns:93.184.215.14', status: 'problem', record: { type: 'PTR', value: 'mx.acme.example' } },
    { check: 'blocklist:bl.example:93.184.215.14', status: 'ok' },
  ])
  dns.set('14.215.184.93.in-addr.arpa', { PTR: ['MX.acme.example'] })
  dns.set('14.215.184.93.bl.example', { A: ['127.0.0.2'] })
  expect(await examine()).toMatchObject([{ status: 'ok' }, { status: 'problem' }])

  // Lists that refuse to answer say so by an address.
  dns.set('14.215.184.93.bl.example', { A: ['127.255.255.254'] })
  expect(await isListed(asking(), 'bl.example', { address: '93.184.215.14' })).toBeNull()
})

test('each source by its own name, over IPv4 and IPv6, and behind a router those that the name has', async () => {
  const { app } = await start()
  const { dns } = app
  const sources = [
    { name: 'one', address: '93.184.215.20,2606:2800::20', ehlo: 'one.acme.example' },
    { name: 'two', address: '10.0.0.2', ehlo: 'two.acme.example' },
  ]
  const config = loadConfig({
    POSTWREN_DELIVERY: 'direct',
    POSTWREN_DATA_DIR: '/nowhere',
    ...sourcesSetting({ sources }),
  })
  dns.set('one.acme.example', { A: ['93.184.215.20'] })
  dns.set('two.acme.example', { A: ['93.184.215.21'] })
  dns.set('20.215.184.93.in-addr.arpa', { PTR: ['one.acme.example'] })
  dns.set(reverseName('2606:2800::20'), { PTR: ['one.acme.example'] })

  const { found } = await examineInstallation({
    ...{ db: app.db, resolver: createResolver({ servers: [dns.address] }), config, now: app.clock.now() },
  })

  expect(found).toMatchObject([
    { check: 'reverse_dns:93.184.215.20', status: 'ok' },
    { status: 'problem', record: { name: 'one.acme.example', type: 'AAAA', value: '2606:2800::20' } },
    { check: 'reverse_dns:93.184.215.21', status: 'problem', record: { type: 'PTR', value: 'two.acme.example' } },
  ])
})

test('certificates by ACME: one that cannot be had is a problem with what the authority says', async () => {
  const { app } = await start()
  const now = new Date('2026-11-18T00:00:00Z')
  const config = loadConfig({
    ...{ POSTWREN_HOSTNAME: 'mx.acme.example', POSTWREN_PUBLIC_URL: 'https://www.acme.example' },
    ...{ POSTWREN_ACME: 'letsencrypt', POSTWREN_ACME_CONTACT: 'ops@acme.example', POSTWREN_DATA_DIR: '/nowhere' },
  })
  const resolver = createResolver({ servers: [app.dns.address] })
  const found = async () =>
    (await examineInstallation({ db: app.db, resolver, config, now })).found.map(({ status, message }) => [
      status,
      message,
    ])
  await app.db.query(sql`delete from certificates`)
  expect(await found()).toEqual([])
  await app.db.query(sql`
    insert into certificates (name, failures, next_try_at, problem)
    values ('mx.acme.example', 0, ${now}, null), ('www.acme.example', 2, ${now}, 'No such name'), ('other.example', 9, ${now}, 'x')`)

  expect(await found()).toEqual([
    ['unknown', 'The certificate of mx.acme.example is ordered, and not there yet.'],
    ['problem', 'There is no certificate of www.acme.example. The authority says: No such name'],
  ])
  await app.db.query(
    sql`update certificates set certificate = 'x', private_key = 'x', renew_at = ${now}, expires_at = ${now}::timestamptz + interval '10 days'`,
  )
  expect(await found()).toEqual([
    ['ok', 'The certificate of mx.acme.example is valid until 2026-11-28.'],
    [
      'problem',
      'The certificate of www.acme.example expires on 2026-11-28, and is not renewed. The authority says: No such name',
    ],
  ])
  await app.db.query(sql`delete from certificates`)
})

test('a name of a domain whose certificate cannot be had is a problem of that domain, and of no other', async () => {
  const { app, domain, of, check, changes } = await start()
  const name = `mta-sts.${domain.name}`
  await app.db.query(sql`
    insert into certificates (name, failures, next_try_at, problem)
    values (${name}, 1, now(), 'DNS problem: NXDOMAIN'), ('mta-sts.elsewhere.example', 1, now(), 'x')`)
  await check()
  expect(await of(`certificate:${name}`)).toMatchObject({
    status: 'problem',
    message: `There is no certificate of ${name}. The authority says: DNS problem: NXDOMAIN`,
  })
  expect(await of('certificate:mta-sts.elsewhere.example')).toBeUndefined()
  expect(await changes()).toEqual([])
  await app.db.query(sql`
    update certificates set failures = 0, problem = null, certificate = 'x', private_key = 'x', renew_at = now(),
      expires_at = ${app.clock.now()}::timestamptz + interval '90 days' where name = ${name}`)
  await check()
  expect(await changes()).toEqual([['domain.recovered', `certificate:${name}`]])
  await app.db.query(sql`delete from certificates`)
})

test('the installation is examined every day, every hour while something is wrong, and told in the log, the metrics and the health of domains', async () => {
  const { app, acme, path } = await start({
    ...{ POSTWREN_DELIVERY: 'direct', POSTWREN_SOURCE_ADDRESS: '93.184.215.30' },
  })
  const { dns, services } = app
  await app.db.query(sql`delete from installation_health`)
  const { log, saying } = readableLog()
  const run = () => checkInstallation.run({}, { ...services, log, signal: new AbortController().signal })
  const told = () => [
    saying('domains: a problem of the installation was found').map(({ check }) => check),
    saying('domains: a problem of the installation is over').map(({ check }) => check),
  ]
  const shown = async () =>
    (await acme.get(`${path}/health`)).body.installation.map(({ check, status }: Finding) => [check, status])
  const problems = async () => /^postwren_installation_problems (\d+)/m.exec(await services.metrics.render())?.[1]
  const check = 'reverse_dns:93.184.215.30'
  expect(await problems()).toBe('0')

  await run()
  expect(told()).toEqual([[check], []])
  expect([await shown(), await problems()]).toEqual([[[check, 'problem']], '1'])
  dns.set('30.215.184.93.in-addr.arpa', { PTR: [MAIL_HOST] })
  dns.set(MAIL_HOST, { A: ['93.184.215.30'] })
  app.clock.advance(1_800)
  await run()
  expect(told()).toEqual([[check], []])
  app.clock.advance(1_801)
  await run()
  expect(told()).toEqual([[check], [check]])
  expect([await shown(), await problems()]).toEqual([[[check, 'ok']], '0'])
  dns.remove('30.215.184.93.in-addr.arpa')
  app.clock.advance(3_601)
  await run()
  expect([told(), await shown()]).toEqual([[[check], [check]], [[check, 'ok']]])
  app.clock.advance(DAY)
  await run()
  expect(told()).toEqual([[check, check], [check]])
  await app.db.query(sql`delete from installation_health`)
})
