import { existsSync } from 'node:fs'
import { ARCHIVE_OF_PERIODS, ARCHIVE_WITHOUT_DUCKDB, isDuckDbInstalled } from '../../adapters/parquet/parquet.ts'
import { type Config, isLoopback, publicUrl, smtpHost } from '../../platform/settings/config.ts'
import { installationRetention, retentionInWords } from '../../platform/settings/retention.ts'
import { firstKeyFile } from './first-key.ts'

const DELIVERY_IN_WORDS = {
  inbox: 'nothing leaves this machine; view sent mail in the dashboard (POSTWREN_DELIVERY=inbox)',
  relay: 'sent through the relay (POSTWREN_RELAY_URL)',
  direct: 'delivered directly to the recipients’ mail servers',
} as const

const HELD = 'on hold: accepted, but no mail and no webhooks are sent'

/** What a newcomer reads first: where everything is, what happens to mail, and one line to try. */
export function welcome({
  config,
  port,
  smtpPorts,
  metricsPort,
  httpsPort = null,
  firstKey,
  isTerminal,
  dashboardLink,
  restored = null,
}: {
  config: Config
  port: number
  /** Null: this process does not listen for mail. */
  smtpPorts: readonly number[] | null
  /** Null: the metrics have no port of their own. */
  metricsPort: number | null
  /** Null: a proxy does TLS, or nobody. */
  httpsPort?: number | null
  firstKey: string | null
  /** Whether a person reads this. A journal keeps it, and others read journals: then a secret is no part of it. */
  isTerminal: boolean
  /** What follows the dashboard's address to sign in without a key, once. */
  dashboardLink: string | null
  /** What there is to say of a database that was restored and is on hold for that. */
  restored?: readonly string[] | null
}): string {
  const base = publicUrl(config, port)
  const keyFile = firstKeyFile(config)
  // The key of the first start is there for later ones, too.
  const isKept = firstKey !== null || (config.API_KEY === undefined && existsSync(keyFile))
  const key = firstKey !== null && isTerminal ? firstKey : isKept ? `$(cat ${quoted(keyFile)})` : '$POSTWREN_API_KEY'
  const hasApi = config.ROLES.includes('api')
  // What others can reach is nobody's laptop: whoever reads the journal is not let in by it.
  const link = isTerminal || isLoopback(new URL(base).hostname) ? dashboardLink : null
  const lines = [
    '',
    `  Postwren is running (${config.ROLES.join(', ')})`,
    '',
    ...(hasApi
      ? [
          `  API        ${base}`,
          `  Dashboard  ${base}/dashboard${link ?? ''}`,
          link
            ? `             the link signs you in once; later use ${base}/dashboard`
            : '             the first owner signs in with: postwren user link EMAIL',
          `  Reference  ${base}/docs`,
          `  Guide      ${base}/docs/guide`,
        ]
      : [`  Health     http://localhost:${port}/health`]),
    ...(httpsPort ? [`  HTTPS      https://${reachable(config.HOST)}:${httpsPort}`] : []),
    ...(smtpPorts
      ? [`  SMTP       ${smtpPorts.map((smtpPort) => `${reachable(smtpHost(config))}:${smtpPort}`).join(', ')}`]
      : config.ROLES.includes('smtp')
        ? [`  SMTP       not listening: port ${config.SMTP_PORT} is in use; choose another with POSTWREN_SMTP_PORT`]
        : []),
    ...(metricsPort
      ? [`  Metrics    http://${reachable(config.METRICS_HOST ?? config.HOST)}:${metricsPort}/metrics`]
      : []),
    `  Mail       ${config.HOLD === 'on' ? `${HELD} (${restored ? 'restored from a backup' : 'POSTWREN_HOLD=on'})` : DELIVERY_IN_WORDS[config.DELIVERY]}`,
    `  Database   ${config.DATABASE_URL ? 'yours (POSTWREN_DATABASE_URL)' : `embedded PostgreSQL in ${config.DATA_DIR}`}`,
    `  Kept       ${retentionInWords(installationRetention(config))}`,
    '             change it with POSTWREN_RETENTION_EMAILS and others; a team may keep less: docs/operations/retention.md',
    ...(config.RETENTION_ARCHIVE === 'parquet'
      ? [`             ${isDuckDbInstalled() ? ARCHIVE_OF_PERIODS : ARCHIVE_WITHOUT_DUCKDB}`]
      : []),
  ]
  if (firstKey && isTerminal) lines.push(`  API key    ${firstKey}`, `             shown once, stored in ${keyFile}`)
  else if (firstKey) lines.push(`  API key    stored in ${keyFile}`)
  lines.push('')
  if (restored) lines.push(...restored.map((line) => `  ${line}`), '')
  if (!hasApi) return lines.join('\n')
  const example = EXAMPLES[config.DELIVERY === 'inbox' ? 'inbox' : 'leaving']
  lines.push(
    `  ${example.words}`,
    '',
    `  curl ${base}${example.path} \\`,
    `    -H "Authorization: Bearer ${key}" -H 'Content-Type: application/json' \\`,
    `    -d '${example.body}'`,
    '',
  )
  return lines.join('\n')
}

/** One call that works as it stands: where mail leaves, a sender needs a domain that was verified. */
const EXAMPLES = {
  inbox: {
    words: 'Try it:',
    path: '/emails',
    body: '{"from": "me@example.com", "to": "you@example.com", "subject": "Hello", "html": "<p>It works.</p>"}',
  },
  leaving: {
    words: 'Mail is sent from verified domains. Add yours; the response has the DNS records to set:',
    path: '/domains',
    body: '{"name": "example.com"}',
  },
} as const

/** As a shell takes it, inside of double quotes. */
const quoted = (path: string) => (/^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`)

/** Where a client on this machine reaches what listens there. */
const reachable = (host: string) => (isLoopback(host) || host === '0.0.0.0' || host === '::' ? 'localhost' : host)
