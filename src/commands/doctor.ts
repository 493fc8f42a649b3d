import { accessSync, constants, existsSync } from 'node:fs'
import { createServer } from 'node:net'
import { dirname, resolve } from 'node:path'
import { type Config, isLoopback, settingName, unknownSettings } from '../platform/config.ts'
import { type OpenDatabase, openDatabase } from '../platform/db/open.ts'
import { sql } from '../platform/db/sql.ts'
import type { Command } from './command.ts'
import { databaseTrouble } from './database.ts'

/** What a check found. A worry is told and does not fail; a fault is told with what to do, and the command exits with 1. */
type Finding = { kind: 'fine' | 'worry' | 'fault'; text: string }

const fine = (text: string): Finding => ({ kind: 'fine', text })
const worry = (text: string): Finding => ({ kind: 'worry', text })
const fault = (text: string): Finding => ({ kind: 'fault', text })

const MARKS = { fine: '✓', worry: '!', fault: '✗' } as const

export const doctor: Command = {
  name: 'doctor',
  usage: '',
  summary: 'Check settings, data folder, database and ports, and say what to do',
  words: 0,
  async run({ config, environment, print }) {
    const checks = [
      () => checkSettings(config, environment),
      () => checkDataFolder(config),
      () => checkDatabase(config),
      () => checkPort(config, 'PORT'),
      () => checkPort(config, 'SMTP_PORT'),
    ]
    let faults = 0
    for (const check of checks) {
      for (const { kind, text } of await check()) {
        print(`${MARKS[kind]} ${text}`)
        if (kind === 'fault') faults++
      }
    }
    print(faults === 0 ? 'All is well.' : `${faults} ${faults === 1 ? 'thing needs' : 'things need'} your attention.`)
    if (faults > 0) process.exitCode = 1
  },
}

function checkSettings(config: Config, environment: NodeJS.ProcessEnv): Finding[] {
  const unknown = unknownSettings(environment).map((name) =>
    worry(`${name} is not a setting; see docs/configuration.md.`),
  )
  const isOpen = !isLoopback(config.HOST)
  const isWeak = config.API_KEY !== undefined && config.API_KEY.length < 20
  return [
    fine(`Settings are valid. Roles: ${config.ROLES.join(', ')}.`),
    ...unknown,
    ...(isOpen && isWeak
      ? [fault('POSTWREN_API_KEY is easy to guess and the API listens beyond this machine: make it longer.')]
      : []),
    ...(isOpen && !config.PUBLIC_URL
      ? [worry('POSTWREN_PUBLIC_URL is unset: links in mails will point to localhost.')]
      : []),
  ]
}

function checkDataFolder(config: Config): Finding[] {
  const folder = resolve(config.DATA_DIR)
  let existing = folder
  while (!existsSync(existing)) existing = dirname(existing)
  try {
    accessSync(existing, constants.W_OK)
    return [fine(`Data folder: ${folder}${existing === folder ? '' : ' (will be made)'}.`)]
  } catch {
    return [fault(`${existing} is not writable: change its owner, or choose another folder with POSTWREN_DATA_DIR.`)]
  }
}

async function checkDatabase(config: Config): Promise<Finding[]> {
  const where = config.DATABASE_URL ? 'POSTWREN_DATABASE_URL' : 'the embedded PostgreSQL'
  let database: OpenDatabase | undefined
  try {
    database = await openDatabase(config, { info() {}, warn() {} })
    const [row] = await database.db.query<{ version: string; number: number }>(sql`
      select current_setting('server_version') as version, current_setting('server_version_num')::int as number`)
    if (row!.number < 140_000)
      return [fault(`PostgreSQL ${row!.version} at ${where} is too old: 14 or newer is needed.`)]
    return [fine(`Database: PostgreSQL ${row!.version}, ${where}, up to date.`)]
  } catch (error) {
    return [fault(databaseTrouble(config, error))]
  } finally {
    await database?.close()
  }
}

/** A port in use is a fault only for a service that has yet to start; the one that runs uses it rightly. */
async function checkPort(config: Config, setting: 'PORT' | 'SMTP_PORT'): Promise<Finding[]> {
  const port = config[setting]
  const code = await new Promise<string | null>((done) => {
    const server = createServer()
    server.once('error', (error: NodeJS.ErrnoException) => done(error.code ?? 'unknown'))
    server.listen(port, config.HOST, () => server.close(() => done(null)))
  })
  if (code === null) return [fine(`Port ${port} on ${config.HOST} is free.`)]
  if (code === 'EADDRINUSE')
    return [
      worry(`Port ${port} on ${config.HOST} is in use: by a running Postwren, or else change ${settingName(setting)}.`),
    ]
  return [
    fault(`Port ${port} on ${config.HOST} cannot be used (${code}): change ${settingName(setting)} or POSTWREN_HOST.`),
  ]
}
