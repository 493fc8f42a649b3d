import { describe, expect, test } from 'vitest'
import { freshName, MAIL_HOST, publish, startAppWithDns } from '../../../../test/harness/domains.ts'
import type { Resolver } from '../../../adapters/dns/resolver.ts'
import { createResolver } from '../../../adapters/dns/resolver.ts'
import { sql } from '../../../kernel/db/sql.ts'
import { loadConfig } from '../../../platform/settings/config.ts'
import { isListed } from './blocklists.ts'
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
  const now = new Date('2026-11-18T00:00:00Z')

  expect(await examineInstallation(asking(), config, now)).toMatchObject([
    { check: 'reverse_dns:93.184.215.14', status: 'problem', record: { type: 'PTR', value: 'mx.acme.example' } },
    { check: 'blocklist:bl.example:93.184.215.14', status: 'ok' },
  ])
  dns.set('14.215.184.93.in-addr.arpa', { PTR: ['MX.acme.example'] })
  dns.set('14.215.184.93.bl.example', { A: ['127.0.0.2'] })
  const resolver = asking()
  const found = await examineInstallation(resolver, config, now)
  expect(found).toMatchObject([{ status: 'ok' }, { status: 'problem' }])
  const before = dns.queries.length
  expect(await examineInstallation(resolver, config, now)).toBe(found)
  expect(dns.queries.length).toBe(before)

  // Lists that refuse to answer say so by an address.
  dns.set('14.215.184.93.bl.example', { A: ['127.255.255.254'] })
  expect(await isListed(resolver, 'bl.example', { address: '93.184.215.14' })).toBeNull()
})
