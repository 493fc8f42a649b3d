import { existsSync } from 'node:fs'
import { parseArgs } from 'node:util'
import packageJson from '../package.json' with { type: 'json' }
import { type Command, OperatorError } from './commands/command.ts'
import { doctor } from './commands/doctor.ts'
import { createKey, createTeam } from './commands/keys.ts'
import { migrateCommand } from './commands/migrate.ts'
import { queueCancel, queueList } from './commands/queue.ts'
import { serve } from './commands/serve.ts'
import { loadConfig } from './platform/config.ts'
import { SettingError } from './platform/settings.ts'

const COMMANDS: readonly Command[] = [serve, createTeam, createKey, migrateCommand, queueList, queueCancel, doctor]

const print = (line: string) => void process.stdout.write(`${line}\n`)

/** The `postwren` command. Mistakes of the operator end in one clear line and exit 1; the rest keeps its stack. */
export async function run(words: string[]) {
  const command = COMMANDS.find(({ name }) => name === words.slice(0, name.split(' ').length).join(' '))
  if (!command) {
    print(overview())
    process.exitCode = isAskingForHelp(words) ? 0 : 1
    return
  }
  const rest = words.slice(command.name.split(' ').length)
  if (isAskingForHelp(rest)) return print(help(command))
  try {
    await obey(command, rest)
  } catch (error) {
    process.stderr.write(`${isTheirs(error) ? (error as Error).message : ((error as Error).stack ?? error)}\n`)
    process.exitCode = 1
  }
}

async function obey(command: Command, rest: string[]) {
  const { positionals, values } = parseArgs({ args: rest, options: command.options ?? {}, allowPositionals: true })
  if (positionals.length !== command.words) throw new OperatorError(`Usage: postwren ${command.name} ${command.usage}`)
  if (existsSync('.env')) process.loadEnvFile('.env')
  const environment = process.env
  const flags = values as Record<string, string | boolean>
  await command.run({ config: loadConfig(environment), environment, words: positionals, flags, print })
}

const isAskingForHelp = (words: string[]) =>
  words.some((word) => word === '--help' || word === '-h') || words[0] === 'help'

/** Of the operator's making: a setting, an argument, or something outside that it names. */
function isTheirs(error: unknown) {
  const code = String((error as { code?: unknown }).code)
  return error instanceof OperatorError || error instanceof SettingError || code.startsWith('ERR_PARSE_ARGS')
}

const help = (command: Command) => `postwren ${command.name} ${command.usage}\n\n${command.summary}.`

function overview() {
  const lines = COMMANDS.map(({ name, usage, summary }) => `  ${`${name} ${usage}`.trim().padEnd(40)} ${summary}`)
  return [
    `postwren ${packageJson.version}`,
    '',
    ...lines,
    '',
    'Settings are environment variables: docs/configuration.md.',
  ].join('\n')
}
