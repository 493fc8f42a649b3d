import { expect, test } from 'vitest'
import { runCommand, runForJson } from '../../../../test/harness/commands.ts'
import { startDnsServer } from '../../../../test/harness/dns-server.ts'
import { startAcme } from '../../../../test/harness/emails.ts'
import { LOOPBACK_SOURCES, sourcesSetting } from '../../../../test/harness/sources.ts'
import { sql } from '../../../kernel/db/sql.ts'
import { loadConfig } from '../../../platform/settings/config.ts'
import { checkSources } from '../doctor/sources.ts'
import { sourcesFinish, sourcesList, sourcesRestart } from './sources.ts'

const settingsOf = () =>
  sourcesSetting({ sources: [{ ...LOOPBACK_SOURCES[0], warm_up: true }, LOOPBACK_SOURCES[1]], warm_up_domains: true })

test('sources are listed with their warm-ups, which are restarted and finished by hand, in the audit log', async () => {
  const { app, acme } = await startAcme()
  await app.db.query(sql`delete from warm_ups`)
  const settings = settingsOf()

  expect(await runCommand(sourcesFinish, ['two'], { provider: 'gmail' }, settings)).toBe(
    'Warm-up of two finished at gmail.',
  )
  await runCommand(sourcesRestart, ['example.com'], { provider: 'yahoo' }, settings)
  const { data } = await runForJson(sourcesList, [], {}, settings)

  expect(data).toEqual([
    {
      object: 'source',
      name: 'two',
      address: '127.0.0.2',
      ehlo: 'two.test',
      pools: [{ name: 'default', weight: 1 }],
      processes: 0,
      warm_up: true,
      providers: [expect.objectContaining({ provider: 'gmail', allowance: null, finished: true })],
      pauses: [],
    },
    expect.objectContaining({ name: 'three', warm_up: false, providers: [] }),
    {
      object: 'sending_domain',
      name: 'example.com',
      providers: [expect.objectContaining({ provider: 'yahoo', day: 0, allowance: 50, sent_today: 0 })],
    },
  ])
  expect(await runCommand(sourcesList, [], {}, settings)).toMatch(/^SOURCE +ADDRESS .*\ntwo +127\.0\.0\.2 +two\.test/)
  const audited = await app.db.query<{ action: string; details: object }>(sql`
    select action, details from audit_events where team_id = ${acme.team} and action like 'sources.%' order by id`)
  expect(audited).toEqual([
    { action: 'sources.finish', details: { source: 'two', provider: 'gmail' } },
    { action: 'sources.restart', details: { domain: 'example.com', provider: 'yahoo' } },
  ])
})

test('mistakes are one clear line', async () => {
  const settings = settingsOf()
  await expect(runCommand(sourcesList)).rejects.toThrow('There are no sources: POSTWREN_SOURCES names no file.')
  await expect(runCommand(sourcesRestart, ['four'], {}, settings)).rejects.toThrow('There is no source four.')
  await expect(runCommand(sourcesRestart, ['two'], { provider: 'x' }, settings)).rejects.toThrow('--provider must be')
})

test.runIf(process.platform === 'linux')('doctor checks address, name and PTR of each source', async () => {
  const dns = await startDnsServer()
  dns.set('two.test', { A: ['127.0.0.2'] })
  dns.set('2.0.0.127.in-addr.arpa', { PTR: ['two.test'] })
  dns.set('three.test', { A: ['127.0.0.9'] })
  const elsewhere = { name: 'four', address: '192.0.2.4', ehlo: 'four.test' }
  const config = loadConfig({
    POSTWREN_DELIVERY: 'direct',
    POSTWREN_DNS_SERVERS: dns.address,
    ...sourcesSetting({ sources: [...LOOPBACK_SOURCES, elsewhere] }),
  })

  const findings = await checkSources({ config, environment: {} })

  expect(findings.map(({ status, message }) => `${status}: ${message}`)).toEqual([
    'ok: Source two: 127.0.0.2 of this machine is two.test.',
    'warning: Source three: its EHLO name three.test should have the A record 127.0.0.3; it has 127.0.0.9.',
    expect.stringMatching(
      /^warning: Source three: the name of 127\.0\.0\.3 \(PTR\) should be three\.test; there is none/,
    ),
    expect.stringMatching(/^warning: Source four: its EHLO name four\.test should have the A record/),
    expect.stringMatching(/^warning: Source four: the name of 192\.0\.2\.4 \(PTR\)/),
  ])
})
