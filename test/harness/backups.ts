import { mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { inject, onTestFinished } from 'vitest'
import { backup, restore, verify } from '../../src/app/commands/backup/backup.ts'
import { SESSION_SETTINGS } from '../../src/app/commands/backup/session.ts'
import type { Command } from '../../src/app/commands/command.ts'
import { listTables, selectAll } from '../../src/kernel/db/catalog.ts'
import { loadConfig } from '../../src/platform/settings/config.ts'
import type { App } from './app.ts'
import { commandSettings } from './commands.ts'
import { atEndOf, type Lifetime } from './program.ts'

/** The key that the apps of tests seal with. */
const SECRET_KEY = Buffer.alloc(32, 'secret').toString('hex')
export const PASSPHRASE = 'correct horse battery staple'

export function scratchFolder(lifetime: Lifetime = 'test'): string {
  const folder = mkdtempSync(join(tmpdir(), 'postwren-backup-'))
  atEndOf(lifetime, () => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** What earlier tests of the file have left: their blobs are gone with their apps. */
export async function emptyTables() {
  const { DATABASE_URL } = await commandSettings()
  const client = await connectTo(DATABASE_URL!)
  const tables = (await listTables(client)).map(({ name }) => name).filter((name) => !KEPT.includes(name))
  await client.query(`truncate ${tables.join(', ')}`)
}

const KEPT = ['schema_migrations', 'nodes']

let made = 0

/** The address of a database with nothing in it, beside that of this test file. */
export async function emptyDatabase(): Promise<string> {
  const name = `${inject('postgres').template}_${process.pid}_backup_${++made}`
  const admin = new pg.Client(inject('postgres').connection)
  await admin.connect()
  await admin.query(`create database ${name}`)
  onTestFinished(async () => {
    await admin.query(`drop database if exists ${name} with (force)`)
    await admin.end()
  })
  const { DATABASE_URL } = await commandSettings()
  return DATABASE_URL!.replace(/\/[^/?]+\?/, `/${name}?`)
}

export type Settings = Record<string, string>

/** Settings of an installation that consists of the app's database and blobs. */
export async function installationOf(app: App): Promise<Settings> {
  const dataDir = scratchFolder()
  symlinkSync(app.folder, join(dataDir, 'blobs'))
  const { DATABASE_URL } = await commandSettings()
  return { POSTWREN_DATABASE_URL: DATABASE_URL!, POSTWREN_DATA_DIR: dataDir, POSTWREN_SECRET_KEY: SECRET_KEY }
}

/** An installation that nobody has used. */
export const emptyInstallation = async (): Promise<Settings> => ({
  POSTWREN_DATABASE_URL: await emptyDatabase(),
  POSTWREN_DATA_DIR: join(scratchFolder(), 'data'),
})

async function run(command: Command, settings: Settings, flags: Record<string, string | boolean>) {
  const lines: string[] = []
  const environment = { POSTWREN_BACKUP_PASSPHRASE: PASSPHRASE, ...settings }
  await command.run({
    ...{ config: loadConfig(environment), environment, words: [], flags },
    print: (line) => lines.push(line),
  })
  return lines.join('\n')
}

const forJson = async (...[command, settings, flags]: Parameters<typeof run>) =>
  JSON.parse(await run(command, settings, { ...flags, json: true }))

/** Without a folder: in the bucket of the settings. */
export const makeBackup = (settings: Settings, to?: string) => forJson(backup, settings, to ? { to } : {})
export const restoreBackup = (settings: Settings, from?: string, more: Record<string, string> = {}) =>
  forJson(restore, settings, { ...(from && { from }), ...more })
export const verifyBackup = (settings: Settings, from?: string) => forJson(verify, settings, from ? { from } : {})
export const finishRestore = (settings: Settings) => run(restore, settings, { finish: true })
export const runBackup = (settings: Settings, flags: Record<string, string | boolean>) => run(backup, settings, flags)

/** The files of the newest backup in a folder, by their path in it. */
export function filesOf(folder: string): string[] {
  const name = readdirSync(folder)
    .filter((entry) => /^\d{4}-/.test(entry))
    .sort()
    .at(-1)!
  return readdirSync(join(folder, name), { recursive: true, encoding: 'utf8' }).map((path) => join(folder, name, path))
}

export async function connectTo(url: string): Promise<pg.Client> {
  const client = new pg.Client(url)
  await client.connect()
  onTestFinished(() => client.end())
  for (const [name, value] of Object.entries(SESSION_SETTINGS))
    await client.query('select set_config($1, $2, false)', [name, value])
  return client
}

/** Every row of every table as text, sorted. */
export async function contentOf(client: pg.Client): Promise<Record<string, string[]>> {
  const content: Record<string, string[]> = {}
  for (const table of await listTables(client)) {
    const { rows } = await client.query<{ line: string }>(`select t::text as line from (${selectAll(table)}) t`)
    content[table.name] = rows.map(({ line }) => line).sort()
  }
  return content
}
