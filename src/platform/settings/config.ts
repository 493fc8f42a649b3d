import { isIP } from 'node:net'
import { hostname as osHostName } from 'node:os'
import { parseMailbox } from '../../mail/address.ts'
import { CELL_NAME, CELL_URLS } from '../cell.ts'
import { isSandbox } from '../ids.ts'
import { blocklists } from './blocklists.ts'
import { MIN_CONNECTIONS, requireBudget } from './connection-budget.ts'
import { isLoopback } from './loopback.ts'
import { oldNameOf } from './old-names.ts'
import { OPERATOR_SETTINGS } from './operator-settings.ts'
import { requireCollector, requireModel, requireOperatorSecrets } from './plain-urls.ts'
import { RETENTION_SETTINGS } from './retention-settings.ts'
import {
  addressRanges,
  ceilingRules,
  type Described,
  databaseUrl,
  duration,
  durations,
  fraction,
  integer,
  listOf,
  oidcProviders,
  oneOf,
  type Parsed,
  processes,
  routeTable,
  SettingError,
  sourceAddresses,
  sourceSettings,
  text,
  url,
} from './settings.ts'
import { smtpPorts } from './smtp-ports.ts'
import { requireWaysOut } from './ways-out.ts'

export { isLoopback }

export const ROLES = ['api', 'delivery', 'jobs', 'smtp'] as const

const HOST_NAME = /^(?=.{1,253}$)[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)*$/i
const SPF_MECHANISMS = /^(?:(?:include|a|mx|ip4|ip6|exists)(?:[:/]\S+)?(?: (?!$)|$))+$/i
const OCTET = '(?:25[0-5]|2[0-4]\\d|1?\\d?\\d)'
const SERVER = `(?:${OCTET}(?:\\.${OCTET}){3}(?::\\d{1,5})?|[\\da-f:]*:[\\da-f:]+|\\[[\\da-f:]+\\](?::\\d{1,5})?)`
const PORT = '(?:6553[0-5]|655[0-2]\\d|65[0-4]\\d{2}|6[0-4]\\d{3}|[1-5]\\d{4}|[1-9]\\d{0,3})'
const MAIL_PORTS = new RegExp(`^${PORT}(?:/tls)?(?:\\s*,\\s*${PORT}(?:/tls)?)*$`, 'i')
const SERVERS = new RegExp(`^${SERVER}(?:\\s*,\\s*${SERVER})*$`, 'i')

/** Each has connections of its own to PostgreSQL: more than this is for several machines. */
const MAX_PROCESSES = 64

const FROM_EXPECTED = 'be an address like `no-reply@example.com` or `Acme <no-reply@example.com>`'

/** Every setting there is: `docs/configuration.md` and the checks at start are made from this table. */
export const SETTINGS = {
  PORT: integer({ default: 4025, min: 0, max: 65535 }).describe(
    'HTTP port: the API at `/`, the dashboard at `/dashboard`, the reference at `/docs`, `/openapi.json`, `/livez`, `/readyz`, `/health`, `/metrics`. 0 picks a free one.',
  ),
  HOST: text({ default: '127.0.0.1' }).describe('Address to listen on. `0.0.0.0` for every interface.'),
  SMTP_HOST: text({ pattern: /^\S+$/, expected: 'be an address to listen on, like `0.0.0.0`' }).describe(
    'Address to listen on for SMTP, e.g. `0.0.0.0` beside an API that only a proxy on this machine reaches. Unset: that of `POSTWREN_HOST`.',
  ),
  SMTP_PORT: integer({ default: 2525, min: 0, max: 65535 }).describe('SMTP port: receiving, and submission with AUTH.'),
  SMTP_MORE_PORTS: text({ pattern: MAIL_PORTS, expected: 'be ports like `25,587,465/tls`' }).describe(
    'More ports for SMTP, e.g. `25,587,465/tls`. `/tls` means TLS from the first byte; the others offer STARTTLS.',
  ),
  SMTP_AUTH: oneOf(['auto', 'key'], { default: 'auto' }).describe(
    'Who may log in to submit mail. `key`: with an API key as the password. `auto`: the same, but while nothing leaves (`POSTWREN_DELIVERY=inbox`) with any name and password that does not begin with `re_`; the mail is then that of the first team.',
  ),
  SMTP_STARTTLS: oneOf(['auto', 'on'], { default: 'auto' }).describe(
    'Whether SMTP offers STARTTLS. `auto`: always, but not on a laptop without `POSTWREN_TLS_CERT`, where nothing leaves (`POSTWREN_DELIVERY=inbox`): mail clients do not trust a certificate that Postwren signs itself, and would fail with their default settings. Ports with `/tls` are encrypted either way.',
  ),
  TLS_CERT: text({ pattern: /./, expected: 'be the path of a file' }).describe(
    'The certificate for SMTP: the path of a PEM file, with those of its authorities behind it. Read again within a minute when it changes. Unset: one that Postwren signs itself and keeps in the data folder.',
  ),
  TLS_KEY: text({ pattern: /./, expected: 'be the path of a file' }).describe(
    'The private key of `POSTWREN_TLS_CERT`: the path of a PEM file without a password.',
  ),
  ACME: text({
    pattern: /^(?:letsencrypt|letsencrypt-staging|https:\/\/\S+)$/,
    expected: 'be `letsencrypt`, `letsencrypt-staging` or the URL of a directory that starts with `https://`',
  }).describe(
    'Where certificates are got from by ACME, for the host name, `POSTWREN_PUBLIC_URL`, tracking names and `mta-sts` names: `letsencrypt`, or the directory URL of another authority. Setting it accepts its terms of service. Unset: none are. docs/operations/tls.md.',
  ),
  ACME_CONTACT: text({ pattern: /^[^\s@,]+@[^\s@,]+$/, expected: 'be an email address' }).describe(
    'An email address that the authority of `POSTWREN_ACME` may write to.',
  ),
  HTTPS_PORT: integer({ min: 0, max: 65535 }).describe(
    'A port for HTTPS, with the certificates of `POSTWREN_ACME`: what `POSTWREN_PORT` serves, without a proxy. Names are then proved there (TLS-ALPN-01), which must be reachable as port 443; unset, they are proved over HTTP on port 80 (HTTP-01), by a proxy that passes requests on.',
  ),
  DATA_DIR: text({ default: './data' }).describe('Embedded PostgreSQL, blobs and generated secrets.'),
  DATABASE_URL: databaseUrl().describe(
    'A PostgreSQL (14 or newer) to use instead of the embedded one, directly or through a pooler in session mode, e.g. `postgres://user:password@host/postwren`. With several hosts, `host1:5432,host2:5432`, the one that can be written to is used; `target_session_attrs` (`read-write`, `primary`, `any`) and `connect_timeout` (seconds for each host) are those of libpq.',
    { isSecret: true },
  ),
  API_KEY: text({ pattern: /^re_[\w-]+$/, expected: 'start with `re_`, then letters, digits, `_` or `-`' }).describe(
    'A full-access key that is created at start if it does not exist: `re_` and at least 16 more characters (fewer will do on a laptop, where nothing leaves). When it changes, the key that it replaces is deleted. Unset: the first start makes one, keeps it in `<data dir>/api-key`, and shows it once if it runs in a terminal.',
    { isSecret: true },
  ),
  ROLES: listOf(ROLES, { default: 'all' }).describe('Which parts this process runs: any of `api,delivery,jobs,smtp`.'),
  PROCESSES: processes({ default: 1, max: MAX_PROCESSES }).describe(
    'How many processes `postwren serve` runs on this machine, behind the same ports and with one database. `auto`: one for each core. One that dies is started again. What is limited “in each process” is allowed that many times. `--temporary` runs one.',
  ),
  DELIVERY: oneOf(['inbox', 'relay', 'direct'], { default: 'inbox' }).describe(
    '`inbox`: nothing leaves, all mail can be viewed in the dashboard. `relay`: through `POSTWREN_RELAY_URL`. `direct`: to the recipient’s MX.',
  ),
  RELAY_URL: url({ protocols: ['smtp:', 'smtps:'] }).describe('`smtp://user:pass@host:587` or `smtps://…`.', {
    isSecret: true,
  }),
  PUBLIC_URL: url({ protocols: ['http:', 'https:'] }).describe(
    'The address that links in mails, signed downloads and hooks use. Unset: `http://localhost:<port>`.',
  ),
  CELL: text({ pattern: CELL_NAME, expected: 'be up to 8 lower-case letters and digits like `eu1`' }).describe(
    'The name of this cell, where several installations share the teams of one service. New API keys, links and return paths say it, so that a proxy can route by it. Unset: there are no cells.',
  ),
  CELLS: text({
    pattern: CELL_URLS,
    expected: 'be a list like `eu1=https://eu1.example.com,us1=https://us1.example.com`',
  }).describe(
    'The public URL of each cell: whoever comes with a key or a link of another cell is told, or redirected.',
  ),
  TRUSTED_PROXIES: addressRanges({ default: 'loopback' }).describe(
    'Proxies whose headers are trusted about where a request came from (`X-Forwarded-For`, `X-Forwarded-Host`, `X-Forwarded-Proto`): addresses and networks like `10.0.3.7,192.168.0.0/24`, or `loopback`, `linklocal`, `uniquelocal`. `none`: nobody is. Rate limits, limits of signing in and the audit log go by it.',
  ),
  SMTP_PROXIES: addressRanges({ default: 'none' }).describe(
    'Proxies in front of SMTP that say with the PROXY protocol (version 1 or 2) whom a connection is for: addresses and networks as in `POSTWREN_TRUSTED_PROXIES`. Connections from there must begin with its header, on every SMTP port; from elsewhere it is refused. Limits, logs and checks of senders go by the client that it names.',
  ),
  HOSTNAME: text({ pattern: HOST_NAME, expected: 'be a host name like `mail.example.com`' }).describe(
    'The name of this installation in the mail world: where the MX records of its domains point. Unset: the host of `POSTWREN_PUBLIC_URL`, or else the name of the machine.',
  ),
  MAIL_FROM: text({ pattern: /^[^\r\n]*@[^\r\n]+$/, expected: FROM_EXPECTED }).describe(
    'Who the mail is from that the installation itself sends: sign-in links and invitations, e.g. `Acme Mail <no-reply@example.com>`. It is signed when a team has verified the domain. Unset: `Postwren <no-reply@HOST NAME>`.',
  ),
  SPF: text({
    pattern: SPF_MECHANISMS,
    expected: 'be SPF mechanisms like `include:_spf.example.net ip4:192.0.2.1`',
  }).describe(
    'The SPF mechanisms that cover the machines which send for this installation, e.g. `include:_spf.relay.example`. Unset: `a:<host name>`, which is right when it sends by itself.',
  ),
  DNS_SERVERS: text({
    pattern: SERVERS,
    expected: 'be IP addresses with or without a port, with commas between',
  }).describe('Name servers to ask, e.g. `192.0.2.53,192.0.2.54:5353`. Unset: those of the system.'),
  BLOCKLISTS: blocklists(),
  RATE_LIMIT: integer({ default: 1000, min: 0, max: 1_000_000 }).describe(
    'Requests per second and team, shared by all processes. 0 switches the limit off.',
  ),
  RECEIVE_PER_ADDRESS: integer({ default: 600, min: 0, max: 1_000_000 }).describe(
    'Messages per minute that one client address may bring without a login, counted in each process. Private addresses and `POSTWREN_DELIVERY=inbox` have no limit; 0 switches it off.',
  ),
  RECEIVE_PER_TEAM: integer({ default: 20_000, min: 0, max: 10_000_000 }).describe(
    'Messages per hour that one team may receive, and 100 kB for each, counted in each process. `POSTWREN_DELIVERY=inbox` has no limit; 0 switches it off.',
  ),
  SECRET_KEY: text({ pattern: /^[0-9a-f]{64}$/i, expected: 'be 64 hexadecimal digits' }).describe(
    'Encrypts DKIM keys and webhook secrets at rest, signs links. Unset: made on the first start, in the data folder.',
    { isSecret: true },
  ),
  SECRET_KEY_NEXT: text({ pattern: /^[0-9a-f]{64}$/i, expected: 'be 64 hexadecimal digits' }).describe(
    'The secret key that takes over with `postwren secret-key rotate`, once every process has it. docs/operations/rotate-keys.md tells how. Until then it only opens.',
    { isSecret: true },
  ),
  OIDC: oidcProviders().describe(
    'OpenID Connect providers that people may sign in with: a JSON array like `[{"id": "google", "name": "Google", "issuer": "https://accounts.google.com", "client_id": "…", "client_secret": "…", "domains": ["example.com"], "team": "default", "role": "viewer"}]`, or the path of a file with one. docs/openid-connect.md tells what each field does.',
    { isSecret: true },
  ),
  S3_URL: url({ protocols: ['http:', 'https:'] }).describe(
    'An S3-compatible store for attachments, `https://key:secret@host/bucket?region=eu-central-1`. Unset: files in the data folder. Several machines need it, or a folder that they share.',
    { isSecret: true },
  ),
  BACKUP_PASSPHRASE: text({ pattern: /./, expected: 'not be empty' }).describe(
    'Encrypts backups (`postwren backup`, `restore`, `verify`) and the secrets in an export. Without it nobody opens them: keep it apart from them.',
    { isSecret: true },
  ),
  BACKUP_URL: url({ protocols: ['http:', 'https:'] }).describe(
    'An S3-compatible store for backups, `https://key:secret@host/bucket/prefix?region=eu-central-1`, used when `postwren backup` has no `--to`, and `restore` and `verify` no `--from`.',
    { isSecret: true },
  ),
  AGENT_URL: url({ protocols: ['http:', 'https:'] }).describe(
    'A model for the agents of inboxes: the base URL of a server that speaks the chat completions protocol, e.g. `http://127.0.0.1:11434/v1`. It may have a private address, and it is sent the mail that agents look at. Unset: there are no agents. docs/inbox-agent.md tells more.',
  ),
  AGENT_MODEL: text({ pattern: /^[!-~]{1,200}$/, expected: 'be the name of a model, without spaces' }).describe(
    'The model to ask for at `POSTWREN_AGENT_URL`, e.g. `qwen3:8b`. It must be able to call tools.',
  ),
  AGENT_KEY: text({ pattern: /^[!-~]+$/, expected: 'be a key without spaces' }).describe(
    'What `POSTWREN_AGENT_URL` asks for in `Authorization: Bearer …`, if it asks for anything.',
    { isSecret: true },
  ),
  AGENT_RUNS_PER_DAY: integer({ default: 200, min: 0, max: 1_000_000 }).describe(
    'Messages that the agent of one inbox handles per day. Further messages are left to people.',
  ),
  DELIVERY_MEMORY_MB: integer({ default: 256, min: 64, max: 1_000_000 }).describe(
    'Memory for mail on its way out, in this process: what does not fit waits in the database. A quarter of it is kept for small mail that one person waits for. One large email may take more, up to 400 MB, and then it is the only large one.',
  ),
  DESTINATION_CONNECTIONS: integer({ default: 5, min: 1, max: 100 }).describe(
    'Most connections to one destination (the mail servers of one provider) at once, in this process. Many servers refuse more than a few from one address.',
  ),
  CEILINGS: ceilingRules(),
  ROUTES: routeTable(),
  RELAY_CONNECTIONS: integer({ default: 10, min: 1, max: 1_000 }).describe(
    'Most connections to the server of `POSTWREN_RELAY_URL` at once, in this process.',
  ),
  SOURCE_ADDRESS: sourceAddresses().describe(
    'The address of this machine that mail is sent from: an IPv4 address, an IPv6 address, or one of each with a comma between. With one of a kind only, servers that have no address of that kind cannot be reached. Unset: as the system chooses.',
  ),
  SOURCES: sourceSettings(),
  MTA_STS: oneOf(['enforce', 'off'], { default: 'enforce' }).describe(
    'Whether the MTA-STS policies of recipient domains are followed in direct delivery: mail for a domain that asks for it goes only to the servers that its policy names, over TLS with a valid certificate, and waits otherwise. docs/operations/tls.md.',
  ),
  TLS_REPORTS: oneOf(['on', 'off'], { default: 'on' }).describe(
    'Whether domains that ask for it (`_smtp._tls`) are sent a daily report about TLS in direct delivery. docs/operations/tls.md.',
  ),
  RETRY_SCHEDULE: durations({ default: '1m,5m,15m,30m,1h,2h,4h,6h', maxCount: 50, min: '1s', max: '7d' }).describe(
    'How long mail waits after its first, second, … temporary failure; the last one is repeated.',
  ),
  GIVE_UP_AFTER: duration({ default: '72h', min: '1m', max: '30d' }).describe(
    'Mail that could not be delivered for so long has bounced. A change is for mail that is accepted from then on.',
  ),
  START_WAIT: duration({ default: '60s', max: '1d' }).describe(
    'How long `serve` and `migrate` wait at the start for a database that does not answer. `--wait SECONDS` overrides it.',
  ),
  DATABASE_CONNECTIONS: integer({ min: MIN_CONNECTIONS, max: 500 }).describe(
    'Most connections of this process to PostgreSQL, of all kinds together. They are opened when they are needed. Unset: 14; with one role only, 12 (`api`), 13 (`jobs`) or 10 (`delivery`, `smtp`); on the embedded server one more. At least 5 with one role and 6 with several, and one more on the embedded server. docs/operations/connections.md.',
  ),
  HOLD: oneOf(['on', 'off'], { default: 'off' }).describe(
    '`on`: nothing leaves. Mail and events are accepted and wait, until a start with `off`. For looking at a restored database first; `postwren serve --hold` does the same.',
  ),
  PRIVATE_ADDRESSES: oneOf(['auto', 'allow', 'refuse'], { default: 'auto' }).describe(
    'Whether downloads, hooks and direct delivery may go to private and loopback addresses: `allow`, `refuse`, or `auto`: only on a laptop, which is in inbox mode, listens on loopback, has the embedded database and no public URL. Link-local addresses and the metadata services of clouds are refused always.',
  ),
  LOG_LEVEL: oneOf(['debug', 'info', 'warn', 'error', 'fatal', 'silent'], { default: 'info' }).describe(
    'Log level. `debug` has a line for each request.',
  ),
  LOG_FORMAT: oneOf(['auto', 'json', 'text'], { default: 'auto' }).describe(
    'How log lines are written. `json`: an object on each line, for programs. `text`: for people. `auto`: `text` on a terminal, `json` elsewhere.',
  ),
  LOG_ADDRESSES: oneOf(['off', 'on'], { default: 'off' }).describe(
    'Whether the line that each delivery attempt leaves in the log has the address of the recipient. `off`: a hash of it, the same for the same address.',
  ),
  ...OPERATOR_SETTINGS,
  METRICS_PORT: integer({ min: 0, max: 65535 }).describe(
    'A port of its own for `/metrics`. Unset: it is on `POSTWREN_PORT`, and there beyond a laptop (an address that is not loopback, or a public URL) only with `POSTWREN_METRICS_TOKEN`.',
  ),
  METRICS_HOST: text({ pattern: /./, expected: 'be an address to listen on' }).describe(
    'Address to listen on for `POSTWREN_METRICS_PORT`. Unset: `POSTWREN_HOST`.',
  ),
  METRICS_TOKEN: text({ pattern: /^[!-~]{16,}$/, expected: 'have 16 characters or more, and no spaces' }).describe(
    'What `/metrics` asks for in `Authorization: Bearer …`.',
    { isSecret: true },
  ),
  OTLP_URL: url({ protocols: ['http:', 'https:'] }).describe(
    'An OpenTelemetry collector that gets traces over OTLP/HTTP, e.g. `http://127.0.0.1:4318`; `/v1/traces` is added. Unset: no traces. docs/operations/tracing.md.',
  ),
  OTLP_HEADERS: text({
    pattern: /^\s*[\w-]+\s*=[^\r\n,]*(?:,\s*[\w-]+\s*=[^\r\n,]*)*$/,
    expected: 'be headers like `Authorization=Bearer …`, with commas between',
  }).describe('Headers for `POSTWREN_OTLP_URL`, like `Authorization=Bearer …`, with commas between.', {
    isSecret: true,
  }),
  TRACE_SAMPLING: fraction({ default: 1 }).describe(
    'The share of traces that is recorded, from 0 to 1, of those that begin here. Whoever sends `traceparent` has decided already.',
  ),
  ...RETENTION_SETTINGS,
  SANDBOXES: oneOf(['auto', 'on', 'off'], { default: 'auto' }).describe(
    'Whether `POST /sandboxes` can create sandboxes for tests. `auto`: only while nothing leaves (`POSTWREN_DELIVERY=inbox`). Mail of a sandbox never leaves, whatever the delivery mode.',
  ),
  SPAMD_URL: url({ protocols: ['spamd:', 'http:', 'https:'] }).describe(
    'A spam filter that checks of messages ask for a score: `spamd://127.0.0.1:783` for SpamAssassin, `http://127.0.0.1:11333` for Rspamd. Unset: no score.',
  ),
  IMPORT_LIMIT_MB: integer({ default: 200, min: 1, max: 10_000 }).describe('Maximum size of a CSV file to import.'),
} as const satisfies Record<string, Described<unknown>>

export type Config = { readonly [Name in keyof typeof SETTINGS]: Parsed<(typeof SETTINGS)[Name]> }

export const settingName = (name: string) => `POSTWREN_${name}`

function textOf(environment: NodeJS.ProcessEnv, name: string): string | undefined {
  const old = oldNameOf(name)
  return environment[settingName(name)]?.trim() || (old && environment[settingName(old)]?.trim()) || undefined
}

/** Called once, by the command that runs. Nothing else in the program reads the environment. */
export function loadConfig(environment: NodeJS.ProcessEnv): Config {
  const config = Object.fromEntries(
    Object.entries(SETTINGS).map(([name, setting]) => {
      try {
        return [name, setting.parse(textOf(environment, name), environment)]
      } catch (error) {
        throw new SettingError(`${settingName(name)} ${(error as Error).message}.`)
      }
    }),
  ) as Config
  requireWaysOut(config)
  if (config.MAIL_FROM && !parseMailbox(config.MAIL_FROM))
    throw new SettingError(`POSTWREN_MAIL_FROM must ${FROM_EXPECTED}.`)
  if (config.TLS_CERT && !config.TLS_KEY) throw new SettingError('POSTWREN_TLS_KEY is needed with POSTWREN_TLS_CERT.')
  if (config.TLS_KEY && !config.TLS_CERT) throw new SettingError('POSTWREN_TLS_CERT is needed with POSTWREN_TLS_KEY.')
  requireModel(config)
  requireCollector(config)
  requireOperatorSecrets(config)
  requireBudget(config)
  if (config.CELLS && !config.CELL) throw new SettingError('POSTWREN_CELL is needed with POSTWREN_CELLS.')
  if (isShort(config.API_KEY) && !isOnLaptop(config))
    throw new SettingError(`POSTWREN_API_KEY must have at least ${MIN_KEY_LENGTH} characters after \`re_\`.`)
  const twice = smtpPorts(config).find(
    ({ port }, index, all) => port && all.findIndex((one) => one.port === port) < index,
  )
  if (twice) throw new SettingError(`POSTWREN_SMTP_MORE_PORTS must not name port ${twice.port} a second time.`)
  return config
}

/** As many characters of a key cannot be guessed at the speed at which requests are answered. */
const MIN_KEY_LENGTH = 16

const isShort = (key: string | undefined) => key !== undefined && key.length < 're_'.length + MIN_KEY_LENGTH

/** Only programs of this machine reach it, and no mail leaves it: `re_test` is good enough to try things out. */
export const isOnLaptop = ({ HOST, PUBLIC_URL, DELIVERY }: Config) =>
  isLoopback(HOST) && PUBLIC_URL === undefined && DELIVERY === 'inbox'

/** Where people and other programs reach this installation. */
export const publicUrl = ({ PUBLIC_URL, PORT }: Config, port = PORT) =>
  (PUBLIC_URL ?? `http://localhost:${port}`).replace(/\/+$/, '')

/** Where SMTP is listened for. */
export const smtpHost = ({ SMTP_HOST, HOST }: Config) => SMTP_HOST ?? HOST

/** Where clients reach it: by the name of the installation where it has one, and else at the address that it listens at. */
export function reachableSmtpHost(config: Config): string {
  if (config.HOSTNAME !== undefined || config.PUBLIC_URL !== undefined) return hostName(config)
  const host = smtpHost(config)
  return host === '0.0.0.0' || host === '::' ? 'localhost' : host
}

/** Tools on a laptop have made-up passwords. Where mail leaves, nobody sends without a key. */
export const takesAnyLogin = ({ SMTP_AUTH, DELIVERY }: Config) => SMTP_AUTH === 'auto' && DELIVERY === 'inbox'

/**
 * Mail clients with default settings encrypt whenever they can and refuse a certificate that signs itself. So without one of its own it is
 * not offered while nothing leaves, except where a real key would then have to cross a network in the clear.
 */
export const offersStartTls = (config: Config): boolean =>
  config.SMTP_STARTTLS === 'on' ||
  config.TLS_CERT !== undefined ||
  config.ACME !== undefined ||
  config.DELIVERY !== 'inbox' ||
  !(takesAnyLogin(config) || isLoopback(smtpHost(config)))

/** Whether tests may make sandboxes. */
export const hasSandboxes = ({ SANDBOXES, DELIVERY }: Config) =>
  SANDBOXES === 'auto' ? DELIVERY === 'inbox' : SANDBOXES === 'on'

/** Nothing of the team leaves this machine, so anybody may be its sender, and nobody needs to be reachable. */
export const keepsMail = ({ DELIVERY }: Config, team: string) => DELIVERY === 'inbox' || isSandbox(team)

/** Listening on loopback alone means little: behind a proxy, a server does so too. */
export const isLaptop = (config: Config) =>
  config.DELIVERY === 'inbox' &&
  config.DATABASE_URL === undefined &&
  config.PUBLIC_URL === undefined &&
  isLoopback(config.HOST) &&
  isLoopback(smtpHost(config))

/** A laptop's hooks may reach a laptop's programs; a server's must not reach its network. */
export const allowsPrivateAddresses = (config: Config) =>
  config.PRIVATE_ADDRESSES === 'auto' ? isLaptop(config) : config.PRIVATE_ADDRESSES === 'allow'

/** What other machines call this installation. An address is no name: an MX record cannot point at it. */
export function hostName({ HOSTNAME, PUBLIC_URL }: Config): string {
  const publicHost = PUBLIC_URL && new URL(PUBLIC_URL).hostname
  const isName = publicHost && isIP(publicHost.replace(/^\[|\]$/g, '')) === 0
  return (HOSTNAME ?? (isName ? publicHost : osHostName())).toLowerCase()
}

/** For the resolver: the name servers of the settings, or none for those of the system. */
export const nameServers = ({ DNS_SERVERS }: Config): { servers?: string[] } =>
  DNS_SERVERS ? { servers: DNS_SERVERS.split(',').map((server) => server.trim()) } : {}
