import type { Command } from '../../src/app/commands/command.ts'
import { sql } from '../../src/kernel/db/sql.ts'
import { loadConfig } from '../../src/platform/settings/config.ts'
import type { App } from './app.ts'
import { freshDatabase } from './database.ts'

type Flags = Record<string, string | boolean>

/** Settings that lead to the database of this test file. */
export async function commandSettings(more: Record<string, string> = {}) {
  const { host, port, user, password, database } = await freshDatabase()
  const url = `postgres://${user}:${password ?? ''}@localhost:${port}/${database}?host=${encodeURIComponent(host!)}`
  return loadConfig({ POSTWREN_DATABASE_URL: url, POSTWREN_DATA_DIR: '/nowhere', ...more })
}

/** What a command prints, run in this process. The way there from a terminal is tested in test/processes/cli.test.ts. */
export async function runCommand(
  command: Command,
  words: string[] = [],
  flags: Flags = {},
  settings: Record<string, string> = {},
): Promise<string> {
  const lines: string[] = []
  const config = await commandSettings(settings)
  await command.run({ config, environment: {}, words, flags, print: (line) => lines.push(line) })
  return lines.join('\n')
}

/** What it tells programs. */
export const runForJson = async (
  command: Command,
  words: string[] = [],
  flags: Flags = {},
  settings: Record<string, string> = {},
) => JSON.parse(await runCommand(command, words, { ...flags, json: true }, settings))

export const teamNameOf = async (app: App, { team }: { readonly team: string }) =>
  (await app.db.query<{ name: string }>(sql`select name from teams where id = ${team}`))[0]!.name
