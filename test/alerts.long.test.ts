import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { startApp } from './harness/app.ts'

// Each rule rings for what it is about, and is quiet otherwise. Prometheus' own tool says so, where it is installed.

const RULES = resolve('docs/operations/alerts.yml')
const text = readFileSync(RULES, 'utf8')
const rules = text
  .split(/^ {6}- alert: /m)
  .slice(1)
  .map((block) => ({
    name: /^\w+/.exec(block)![0],
    severity: /severity: (\w+)/.exec(block)![1]!,
    summary: /summary: (.+)/.exec(block)![1]!,
    runbook: /runbook_url: (.+)/.exec(block)![1]!,
    expression: block.slice(block.indexOf('expr:'), block.indexOf('labels:')),
  }))

interface Case {
  /** Series and their values, a minute apart. */
  readonly fires: Record<string, string>
  readonly isQuiet: Record<string, string>
  /** What the alert says besides its severity. */
  readonly labels?: Record<string, string>
  /** When it is asked. */
  readonly atMinutes?: number
}

const HOUR = 'x60'
const steady = (value: number) => `${value}+0${HOUR}`
const rising = (byMinute: number) => `0+${byMinute}${HOUR}`

const check = (name: string, state: string, more = '') => `postwren_check{check="${name}",state="${state}"${more}}`
/** One process is well, and another one is not. */
const checkCase = (name: string, state: string, labels: Record<string, string> = {}): Case => ({
  fires: {
    [check(name, state, ',instance="a"')]: steady(0),
    [check(name, state, ',instance="b"')]: steady(1),
  },
  isQuiet: { [check(name, state, ',instance="a"')]: steady(0), [check(name, 'ok', ',instance="a"')]: steady(1) },
  labels,
})
/** Of several processes that show the same queue, one has not looked yet. */
const above = (series: string, limit: number, labels: Record<string, string> = {}): Case => {
  const of = (instance: string) => series.replace(/\}$|$/, `${series.endsWith('}') ? ',' : '{'}instance="${instance}"}`)
  return {
    fires: { [of('a')]: steady(0), [of('b')]: steady(limit + 1) },
    isQuiet: { [of('a')]: steady(limit), [of('b')]: steady(0) },
    labels,
  }
}
const outcomes = (rates: Record<string, number>) =>
  Object.fromEntries(
    Object.entries(rates).map(([outcome, rate]) => [
      `postwren_delivery_outcomes_total{outcome="${outcome}"}`,
      rising(rate),
    ]),
  )

const answers = (byProvider: Record<string, Record<string, number>>) =>
  Object.fromEntries(
    Object.entries(byProvider).flatMap(([provider, rates]) =>
      Object.entries(rates).map(([outcome, rate]) => [
        `postwren_provider_attempts_total{provider="${provider}",outcome="${outcome}"}`,
        rising(rate),
      ]),
    ),
  )
/** So many in a thousand. */
const complaints = (count: number) => ({
  'postwren_complaints_total{outcome="matched",provider="yahoo"}': rising(count / 2),
  'postwren_complaints_total{outcome="matched",provider="other"}': rising(count / 2),
  // Whom these are about nobody knows.
  'postwren_complaints_total{outcome="no_email",provider="unknown"}': rising(9),
  'postwren_delivery_outcomes_total{outcome="delivered"}': rising(1_000),
})
/** Of the mail to one provider, which takes a tenth of all. */
const complaintsAt = (provider: string, count: number) => ({
  [`postwren_complaints_total{outcome="matched",provider="${provider}"}`]: rising(count),
  [`postwren_provider_attempts_total{outcome="delivered",provider="${provider}"}`]: rising(1_000),
  'postwren_provider_attempts_total{outcome="delivered",provider="gmail"}': rising(9_000),
})

const UP = 'up{job="postwren",instance="a"}'
const CASES: Record<string, Case> = {
  // The service was stopped: everything else that it shows is gone.
  PostwrenDown: {
    fires: { [UP]: `1+0x5 0+0${HOUR}` },
    isQuiet: { [UP]: steady(1) },
    labels: { job: 'postwren', instance: 'a' },
  },
  PostwrenTargetMissing: {
    fires: { 'up{job="other"}': steady(1) },
    isQuiet: { [UP]: steady(0) },
    labels: { job: 'postwren' },
  },
  QueueMetricsMissing: {
    fires: { [UP]: steady(1), 'postwren_deliveries_oldest_due_seconds{kind="single"}': '0+0x5 stale' },
    isQuiet: { 'postwren_deliveries_oldest_due_seconds{kind="single"}': steady(0) },
  },
  DatabaseAway: checkCase('database', 'away'),
  DatabaseReadOnly: checkCase('database', 'read_only'),
  DatabaseDiskFull: checkCase('database', 'disk_full'),
  DatabaseConnectionsShort: {
    fires: {
      'postwren_database_connections_needed{instance="a"}': steady(154),
      'postwren_database_connections_allowed{instance="a"}': steady(147),
    },
    isQuiet: {
      'postwren_database_connections_needed{instance="a"}': steady(147),
      'postwren_database_connections_allowed{instance="a"}': steady(147),
    },
  },
  OldSnapshot: above('postwren_oldest_snapshot_age_seconds{kind="session",name="psql",pid="7"}', 3_600, {
    ...{ kind: 'session', name: 'psql', pid: '7' },
  }),
  BlobStoreFailing: checkCase('blobs', 'disk_full', { state: 'disk_full' }),
  HeartbeatUnproven: checkCase('heartbeat', 'unproven', { instance: 'b' }),
  ClockOff: checkCase('clock', 'off', { instance: 'b' }),
  // The only process is one that accepts.
  RoleMissing: {
    fires: {
      'postwren_role_processes{role="delivery",instance="a"}': steady(0),
      'postwren_role_processes{role="jobs",instance="a"}': steady(1),
    },
    isQuiet: {
      'postwren_role_processes{role="delivery",instance="a"}': steady(1),
      'postwren_role_processes{role="jobs",instance="a"}': steady(1),
    },
    labels: { role: 'delivery' },
  },
  MailIsNotLeaving: above('postwren_deliveries_oldest_due_seconds{kind="single"}', 60),
  BroadcastsAreNotLeaving: above('postwren_deliveries_oldest_due_seconds{kind="broadcast"}', 3600),
  MailIsDeferred: above('postwren_deliveries{kind="single",state="deferred"}', 100, { kind: 'single' }),
  MostMailIsDeferred: {
    fires: outcomes({ deferred: 20, delivered: 10 }),
    isQuiet: outcomes({ deferred: 10, delivered: 20 }),
  },
  ManyBounces: { fires: outcomes({ bounced: 10, delivered: 90 }), isQuiet: outcomes({ bounced: 2, delivered: 98 }) },
  ProviderDefers: {
    fires: answers({ gmail: { delivered: 70, deferred: 30 }, other: { delivered: 1, deferred: 99 } }),
    isQuiet: answers({ gmail: { delivered: 90, deferred: 10 }, other: { delivered: 1, deferred: 99 } }),
    labels: { provider: 'gmail' },
  },
  // Between two pauses one mail is tried.
  ProviderRefusesMail: {
    fires: { 'postwren_provider_pauses{provider="outlook",kind="source"}': '1+0x14 0 1+0x90' },
    isQuiet: { 'postwren_provider_pauses{provider="outlook",kind="source"}': `1+0x14 0+0${HOUR}` },
    labels: { provider: 'outlook', kind: 'source' },
    atMinutes: 80,
  },
  ProviderIsAway: {
    fires: {
      'postwren_provider_deferrals_total{provider="relay",class="no_answer_from_host"}': rising(1),
      'postwren_provider_attempts_total{provider="relay",outcome="delivered"}': steady(500),
    },
    isQuiet: {
      'postwren_provider_deferrals_total{provider="relay",class="no_answer_from_host"}': rising(1),
      'postwren_provider_attempts_total{provider="relay",outcome="delivered"}': rising(500),
    },
    labels: { provider: 'relay' },
  },
  TlsIsNotPossible: {
    fires: {
      'postwren_outgoing_tls_total{policy="enforce",result="success"}': rising(90),
      'postwren_outgoing_tls_total{policy="enforce",result="certificate-expired"}': rising(10),
    },
    isQuiet: {
      'postwren_outgoing_tls_total{policy="enforce",result="success"}': rising(99),
      'postwren_outgoing_tls_total{policy="enforce",result="certificate-expired"}': rising(1),
      'postwren_outgoing_tls_total{policy="none",result="starttls-not-supported"}': rising(99),
    },
  },
  ComplaintRateHigh: { fires: complaints(2), isQuiet: complaints(0.5) },
  ComplaintRateCritical: { fires: complaints(4), isQuiet: complaints(2) },
  ProviderComplaintRateHigh: {
    fires: complaintsAt('yahoo', 2),
    isQuiet: { ...complaintsAt('yahoo', 0.5), ...complaintsAt('other', 5) },
    labels: { provider: 'yahoo' },
  },
  ProviderComplaintRateCritical: {
    fires: complaintsAt('yahoo', 4),
    isQuiet: complaintsAt('yahoo', 2),
    labels: { provider: 'yahoo' },
  },
  DomainReportsMissing: {
    fires: { 'postwren_domain_reports_total{kind="dmarc",outcome="kept"}': `0+1x1440 1440+0x2940` },
    isQuiet: { 'postwren_domain_reports_total{kind="dmarc",outcome="kept"}': '0+1x4400' },
    atMinutes: 4_380,
  },
  InstallationHasProblems: above('postwren_installation_problems', 0),
  // Ten customers who do not mind are no news.
  MoreDomainsHaveProblems: {
    fires: { postwren_domains_with_problems: '10+0x1440 13+0x600' },
    isQuiet: { postwren_domains_with_problems: '10+0x1440 11+0x600' },
    atMinutes: 1_920,
  },
  WebhooksAreNotDelivered: above('postwren_webhook_deliveries_oldest_due_seconds', 300),
  AutomationsAreNotRun: above('postwren_automations_oldest_due_seconds', 300),
  MailIsNotFiled: above('postwren_unfiled_mail_oldest_due_seconds', 300),
  JobsAreNotRun: above('postwren_jobs_oldest_due_seconds{name="emails.read"}', 600, { name: 'emails.read' }),
  JobsFail: above('postwren_jobs{name="emails.read",state="failed"}', 0, { name: 'emails.read' }),
  ComplaintsMatchNobody: {
    fires: {
      'postwren_complaints_total{outcome="no_email",provider="unknown"}': rising(1),
      'postwren_complaints_total{outcome="matched",provider="yahoo"}': rising(1),
    },
    isQuiet: {
      'postwren_complaints_total{outcome="no_email",provider="unknown"}': rising(1),
      'postwren_complaints_total{outcome="matched",provider="yahoo"}': rising(9),
    },
  },
  SomebodyTriesKeys: {
    fires: { 'postwren_refused_logins_total{door="http",reason="invalid"}': rising(120) },
    isQuiet: { 'postwren_refused_logins_total{door="http",reason="invalid"}': rising(30) },
    labels: { door: 'http' },
  },
  CertificateExpires: {
    fires: { postwren_smtp_certificate_expires_in_seconds: steady(86_400) },
    isQuiet: { postwren_smtp_certificate_expires_in_seconds: steady(30 * 86_400) },
  },
  CertificateIsNotRenewed: {
    fires: {
      postwren_certificate_expires_in_seconds: steady(10 * 86_400),
      'postwren_certificates{state="failing"}': steady(1),
    },
    // It is about to be renewed, or nobody needs it any more.
    isQuiet: {
      postwren_certificate_expires_in_seconds: steady(10 * 86_400),
      'postwren_certificates{state="failing"}': steady(0),
    },
  },
  EventLoopIsBlocked: {
    fires: { 'nodejs_eventloop_lag_p99_seconds{instance="a"}': steady(2) },
    isQuiet: { 'nodejs_eventloop_lag_p99_seconds{instance="a"}': steady(0) },
    labels: { instance: 'a' },
  },
}

test('every rule has a case', () => {
  expect(rules.map(({ name }) => name).sort()).toEqual(Object.keys(CASES).sort())
})

test('every rule leads to a page of the guide', () => {
  const pages = rules.map(({ runbook }) => /^\/docs\/guide\/(operations\/[a-z/-]+)$/.exec(runbook)![1]!)

  expect(pages.filter((page) => !existsSync(`docs/${page}.md`))).toEqual([])
})

const hasPromtool = spawnSync('promtool', ['--version']).status === 0

test.skipIf(!hasPromtool)('each rule rings when it should and is quiet when it should be (needs promtool)', () => {
  const folder = mkdtempSync(join(tmpdir(), 'postwren-alerts-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const seriesOf = (values: Record<string, string>) =>
    Object.entries(values).map(([series, values]) => ({ series, values }))
  const ask = (name: string, series: Record<string, string>, alerts: object[]) => ({
    interval: '1m',
    input_series: seriesOf(series),
    alert_rule_test: [{ eval_time: `${CASES[name]!.atMinutes ?? 45}m`, alertname: name, exp_alerts: alerts }],
  })
  const tests = rules.flatMap(({ name, severity, summary, runbook }) => {
    const { fires, isQuiet, labels } = CASES[name]!
    const alert = { exp_labels: { severity, ...labels }, exp_annotations: { summary, runbook_url: runbook } }
    return [ask(name, fires, [alert]), ask(name, isQuiet, [])]
  })
  const isLong = ({ alert_rule_test: [asked] }: (typeof tests)[number]) => /^\d{4,}m$/.test(asked!.eval_time)
  const write = (name: string, content: object) => {
    const file = join(folder, name)
    // JSON is YAML.
    writeFileSync(file, JSON.stringify({ rule_files: [RULES], ...content }))
    return file
  }
  // All rules are looked at in each interval, which takes long for days.
  const files = [
    write('hours.yml', { evaluation_interval: '5m', tests: tests.filter((one) => !isLong(one)) }),
    write('days.yml', { evaluation_interval: '4h', tests: tests.filter(isLong) }),
  ]

  const { status, stdout, stderr } = spawnSync('promtool', ['test', 'rules', ...files], { encoding: 'utf8' })

  expect({ status, said: status === 0 ? '' : stdout + stderr }).toEqual({ status: 0, said: '' })
})

test('every metric that a rule asks for is shown by every process, whatever its roles', async () => {
  const app = await startApp()
  const shown = await app.metrics.render()
  const asked = new Set(rules.flatMap(({ expression }) => expression.match(/(postwren|nodejs)_\w+/g) ?? []))
  // Of a process with the role smtp.
  asked.delete('postwren_smtp_certificate_expires_in_seconds')

  expect([...asked].filter((name) => !shown.includes(`# TYPE ${name} `))).toEqual([])
  expect(shown).toContain('postwren_role_processes{role="delivery"} 1\n')
  expect(shown).toContain('postwren_check{check="database",state="read_only"} 0\n')
})
