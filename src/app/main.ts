import { existsSync } from 'node:fs'
import { parseArgs } from 'node:util'
import packageJson from '../../package.json' with { type: 'json' }
import { loadConfig } from '../platform/settings/config.ts'
import { SettingError } from '../platform/settings/settings.ts'
import { type Command, OperatorError } from './commands/command.ts'
import { doctor } from './commands/doctor.ts'
import { healthcheck } from './commands/healthcheck.ts'
import { listJobs, retryJobs } from './commands/jobs.ts'
import { createKey, listKeys, revokeKey } from './commands/keys.ts'
import { migrateCommand } from './commands/migrate.ts'
import { queueCancel } from './commands/queue/cancel.ts'
import { queueList } from './commands/queue/list.ts'
import { serve } from './commands/serve.ts'
import { suspendTeamCommand, teamLimitsCommand, unsuspendTeamCommand } from './commands/team-operations.ts'
import { createTeam, deleteTeam, listTeamsCommand } from './commands/teams.ts'
import { linkUser, listUsersCommand, removeUserCommand } from './commands/users.ts'

const COMMANDS: readonly Command[] = [
  serve,
  createTeam,
  listTeamsCommand,
  deleteTeam,
  suspendTeamCommand,
  unsuspendTeamCommand,
  teamLimitsCommand,
  createKey,
  listKeys,
  revokeKey,
  linkUser,
  listUsersCommand,
  removeUserCommand,
  migrateCommand,
  queueList,
  queueCancel,
  listJobs,
  retryJobs,
  doctor,
  healthcheck,
]

const print = (line: string) => void process.stdout.write(`${line}\n`)

/** `postwren … | head` reads as much as it likes: what nobody reads is dropped, and the command does what it was asked for. */
function ignoreClosedPipes() {
  for (const stream of [process.stdout, process.stderr])
    if (!stream.listeners('error').includes(ignoreClosedPipe)) stream.on('error', ignoreClosedPipe)
}

function ignoreClosedPipe(error: NodeJS.ErrnoException) {
  if (error.code !== 'EPIPE') throw error
}

/**
 * The `postwren` command; without any word it starts the service, as `npx postwren` should. Mistakes of the operator end in one clear
 * line and exit 1; the rest keeps its stack.
 */
export async function run(given: string[]) {
  ignoreClosedPipes()
  const words = given.length === 0 ? [serve.name] : given
  const command = COMMANDS.find(({ name }) => name === words.slice(0, name.split(' ').length).join(' '))
  if (!command) return answerWithoutCommand(words)
  const rest = words.slice(command.name.split(' ').length)
  if (isAskingForHelp(rest)) return print(help(command))
  try {
    await runCommand(command, rest)
  } catch (error) {
    process.stderr.write(`${isUserError(error) ? (error as Error).message : ((error as Error).stack ?? error)}\n`)
    process.exitCode = 1
  }
}

function answerWithoutCommand(words: string[]) {
  if (words[0] === '--version' || words[0] === '-v' || words[0] === 'version') return print(packageJson.version)
  if (isAskingForHelp(words)) return print(overview())
  process.exitCode = 1
  const unknown = words.filter((word) => !word.startsWith('-')).slice(0, 2)
  if (unknown.length === 0) return print(overview())
  const meant = nearest(unknown)
  const advice = meant.length > 0 ? '' : ' See: postwren --help'
  process.stderr.write(`There is no command \`${unknown.join(' ')}\`.${advice}\n`)
  if (meant.length > 0) print(`Did you mean:\n${meant.map(lineOf).join('\n')}`)
}

/** The commands that begin with the same word, or with one that is spelled nearly so. */
function nearest([first = '', second]: string[]): readonly Command[] {
  const of = (command: Command) => command.name.split(' ')
  const group = COMMANDS.filter((command) => isNearly(of(command)[0]!, first))
  const exact = group.filter((command) => second !== undefined && isNearly(of(command)[1] ?? '', second))
  return exact.length > 0 ? exact : group
}

/** One letter too many, one too few, another one, or two in the wrong order; or the plural. */
function isNearly(word: string, given: string): boolean {
  const end = Math.max(word.length, given.length)
  if (Math.abs(word.length - given.length) > 1) return false
  let same = 0
  while (same < end && word[same] === given[same]) same++
  const [rest, other] = [word.slice(same), given.slice(same)]
  const isSwapped = rest[0] === other[1] && rest[1] === other[0] && rest.slice(2) === other.slice(2)
  return rest.slice(1) === other.slice(1) || rest.slice(1) === other || rest === other.slice(1) || isSwapped
}

async function runCommand(command: Command, rest: string[]) {
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
function isUserError(error: unknown) {
  const code = String((error as { code?: unknown }).code)
  return error instanceof OperatorError || error instanceof SettingError || code.startsWith('ERR_PARSE_ARGS')
}

const lineOf = ({ name, usage, summary }: Command) => `  ${`${name} ${usage}`.trim().padEnd(40)} ${summary}`

const help = (command: Command) => `postwren ${command.name} ${command.usage}\n\n${command.summary}.`

function overview() {
  return [
    `postwren ${packageJson.version}`,
    '',
    ...COMMANDS.map(lineOf),
    '',
    'Settings are environment variables: docs/configuration.md.',
  ].join('\n')
}
