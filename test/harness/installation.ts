import { mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { InjectOptions } from 'fastify'
import pg from 'pg'
import { inject, onTestFinished } from 'vitest'
import { FileBlobStore } from '../../src/adapters/blobs/file-blob-store.ts'
import { createResolver } from '../../src/adapters/dns/resolver.ts'
import type { Command } from '../../src/app/commands/command.ts'
import { createApi } from '../../src/app/roles/api.ts'
import { createServices } from '../../src/app/roles/services.ts'
import { PRODUCT } from '../../src/features/index.ts'
import { Database } from '../../src/kernel/db/database.ts'
import { createSealer } from '../../src/kernel/secrets.ts'
import type { Clock } from '../../src/platform/clock.ts'
import { createLog } from '../../src/platform/observability/log.ts'
import { Metrics } from '../../src/platform/observability/metrics.ts'
import { loadConfig, nameServers } from '../../src/platform/settings/config.ts'
import type { App } from './app.ts'
import { FROM_OUR_PAGE } from './browser-session.ts'
import { freshDatabase } from './database.ts'
import { databaseOn } from './global-setup.ts'

type Settings = Record<string, string>

export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'postwren-export-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

const urlOf = ({ host, port, user, password, database }: pg.ClientConfig) =>
  `postgres://${user}:${password ?? ''}@localhost:${port}/${database}?host=${encodeURIComponent(host!)}`

/** Settings with which commands work on the installation that an app is. */
export async function settingsOf(app: App): Promise<Settings> {
  const dataDir = temporaryFolder()
  symlinkSync(app.folder, join(dataDir, 'blobs'))
  return {
    POSTWREN_DATABASE_URL: urlOf(await freshDatabase()),
    POSTWREN_DATA_DIR: dataDir,
    POSTWREN_SECRET_KEY: Buffer.alloc(32, 'secret').toString('hex'),
  }
}

/** What a command prints, on that installation. */
export async function run(
  command: Command,
  settings: Settings,
  flags: Record<string, string | boolean>,
  words: string[] = [],
): Promise<string> {
  const lines: string[] = []
  await command.run({ config: loadConfig(settings), environment: {}, words, flags, print: (line) => lines.push(line) })
  return lines.join('\n')
}

let made = 0

/** Another installation: a database, a data folder and a secret key of its own, and nothing in them yet. */
export async function emptyInstallation(clock: Clock) {
  const { connection, copy, template } = inject('postgres')
  const name = `${template}_${process.pid}_other_${++made}`
  const admin = new pg.Client(connection)
  await admin.connect()
  await admin.query(`create database ${name} ${copy}`)
  onTestFinished(async () => {
    await admin.query(`drop database ${name} with (force)`)
    await admin.end()
  })
  const database = databaseOn(connection, name)
  const settings: Settings = {
    POSTWREN_DATABASE_URL: urlOf(database),
    POSTWREN_DATA_DIR: temporaryFolder(),
    POSTWREN_SECRET_KEY: Buffer.alloc(32, 'another secret').toString('hex'),
  }
  const db = Database.connect(database, { clock })
  onTestFinished(() => db.close())
  return {
    settings,
    db,
    blobs: new FileBlobStore(join(settings.POSTWREN_DATA_DIR!, 'blobs')),
    start: () => startOn(db, settings),
  }
}

/** Its API. */
async function startOn(db: Database, settings: Settings) {
  const config = loadConfig({
    ...{ POSTWREN_RATE_LIMIT: '0', POSTWREN_DNS_SERVERS: '127.0.0.1:1', POSTWREN_PRIVATE_ADDRESSES: 'allow' },
    ...settings,
  })
  const log = createLog({ level: 'silent', isTerminal: false })
  const sealer = createSealer(Buffer.from(settings.POSTWREN_SECRET_KEY!, 'hex'))
  const blobs = new FileBlobStore(join(settings.POSTWREN_DATA_DIR!, 'blobs'))
  const resolver = createResolver(nameServers(config))
  const services = createServices(PRODUCT, { db, config, sealer, resolver, blobs, log, metrics: new Metrics() })
  await services.teamStates.load()
  const { endpoints, publicRoutes } = PRODUCT
  const api = createApi({
    services,
    version: '0.0.0',
    endpoints,
    publicRoutes,
    readiness: async () => ({ service: 'ok' }) as never,
  })
  onTestFinished(async () => {
    await api.app.close()
    await api.flush()
  })
  const send = (request: InjectOptions) => api.app.inject(request)
  return {
    services,
    asKey: (token: string) => (url: string) => send({ url, headers: { authorization: `Bearer ${token}` } }),
    /** Signed in. */
    async asPerson(userId: string, team: string) {
      const session = { userId, team, method: 'link' as const, ipAddress: '192.0.2.7', userAgent: null }
      const cookie = (await services.sessions.openFor(session)).split(';', 1)[0]!
      return (url: string) => send({ url, headers: { ...FROM_OUR_PAGE, cookie, 'x-postwren-team': team } })
    },
  }
}
