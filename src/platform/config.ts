import { type Described, duration, integer, listOf, oneOf, type Parsed, SettingError, text, url } from './settings.ts'

export const ROLES = ['api', 'delivery', 'jobs', 'smtp'] as const
export type Role = (typeof ROLES)[number]

/** Every setting there is: `docs/configuration.md` and the checks at start are made from this table. */
export const SETTINGS = {
  PORT: integer({ default: 4025, min: 0, max: 65535 }).describe(
    'HTTP port: the API at `/`, the reference at `/docs`, `/openapi.json`, `/health`, `/metrics`. 0 picks a free one.',
  ),
  HOST: text({ default: '127.0.0.1' }).describe('Address to listen on. `0.0.0.0` for every interface.'),
  SMTP_PORT: integer({ default: 2525, min: 0, max: 65535 }).describe('SMTP port: receiving, and submission with AUTH.'),
  DATA_DIR: text({ default: './data' }).describe('Embedded PostgreSQL, blobs and generated secrets.'),
  DATABASE_URL: url({ protocols: ['postgres:', 'postgresql:'] }).describe(
    'A PostgreSQL (14 or newer) to use instead of the embedded one, e.g. `postgres://user:password@host/postwren`.',
  ),
  API_KEY: text({ pattern: /^re_[\w-]+$/, expected: 'start with `re_`, then letters, digits, `_` or `-`' }).describe(
    'A full-access key to make sure of at start (`re_…`). Unset: the first start makes one, prints it once and keeps it in `<data dir>/api-key`.',
  ),
  ROLES: listOf(ROLES, { default: 'all' }).describe('Which parts this process runs: any of `api,delivery,jobs,smtp`.'),
  DELIVERY: oneOf(['inbox', 'relay', 'direct'], { default: 'inbox' }).describe(
    '`inbox`: nothing leaves, everything can be looked at. `relay`: through `POSTWREN_RELAY_URL`. `direct`: to the recipient’s MX.',
  ),
  RELAY_URL: url({ protocols: ['smtp:', 'smtps:'] }).describe('`smtp://user:pass@host:587` or `smtps://…`.'),
  PUBLIC_URL: url({ protocols: ['http:', 'https:'] }).describe(
    'The address that links in mails, signed downloads and hooks use. Unset: `http://localhost:<port>`.',
  ),
  RATE_LIMIT: integer({ default: 1000, min: 0, max: 1_000_000 }).describe(
    'Requests per second and team, counted in each process. 0 switches the limit off.',
  ),
  SECRET_KEY: text({ pattern: /^[0-9a-f]{64}$/i, expected: 'be 64 hexadecimal digits' }).describe(
    'Encrypts DKIM keys and webhook secrets at rest, signs links. Unset: made on the first start, in the data folder.',
  ),
  LOG_LEVEL: oneOf(['debug', 'info', 'warn', 'error', 'fatal', 'silent'], { default: 'info' }).describe(
    'How much the process says about itself. `debug` has a line for each request.',
  ),
  LOG_RETENTION: duration({ default: '30d' }).describe('How long entries of `GET /logs` are kept, e.g. `12h`, `30d`.'),
  EVENT_RETENTION: duration({ default: '30d' }).describe('How long events stay in the outbox.'),
  IMPORT_LIMIT_MB: integer({ default: 200, min: 1, max: 10_000 }).describe(
    'The largest CSV file that an import takes.',
  ),
} as const satisfies Record<string, Described<unknown>>

export type Config = { readonly [Name in keyof typeof SETTINGS]: Parsed<(typeof SETTINGS)[Name]> }

export const settingName = (name: string) => `POSTWREN_${name}`

/** Called once, by the command that runs. Nothing else in the program reads the environment. */
export function loadConfig(environment: NodeJS.ProcessEnv): Config {
  const config = Object.fromEntries(
    Object.entries(SETTINGS).map(([name, setting]) => {
      try {
        return [name, setting.parse(environment[settingName(name)]?.trim() || undefined)]
      } catch (error) {
        throw new SettingError(`${settingName(name)} ${(error as Error).message}.`)
      }
    }),
  ) as Config
  if (config.DELIVERY === 'relay' && !config.RELAY_URL)
    throw new SettingError('POSTWREN_RELAY_URL is needed when POSTWREN_DELIVERY is `relay`.')
  return config
}

/** Names that look like ours and mean nothing: nearly always a slip of the pen. */
export function unknownSettings(environment: NodeJS.ProcessEnv): string[] {
  return Object.keys(environment).filter((name) => name.startsWith('POSTWREN_') && !(name.slice(9) in SETTINGS))
}
