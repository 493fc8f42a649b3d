import { parseArgs } from 'node:util'
import packageJson from '../../package.json' with { type: 'json' }
import { SettingError } from '../platform/settings/settings.ts'
import { readSettings, requireConfig } from '../platform/settings/sources.ts'
import { backup, restore, verify } from './commands/backup/backup.ts'
import { cellMove } from './commands/cell/commands.ts'
import { type Command, OperatorError, type SettingsCommand } from './commands/command.ts'
import { configShow } from './commands/config.ts'
import { conformance } from './commands/conformance/command.ts'
import { doctor } from './commands/doctor.ts'
import { exportCommand, importPostwren } from './commands/export.ts'
import { healthcheck } from './commands/healthcheck.ts'
import { importList, importResend } from './commands/import/commands.ts'
import { listJobs, retryJobs } from './commands/jobs.ts'
import { keyPolicy } from './commands/key-policy.ts'
import { createKey, listKeys, revokeKey } from './commands/keys.ts'
import { migrateCommand } from './commands/migrate.ts'
import { personErase, personExport } from './commands/person/person.ts'
import { proxy, proxyReport } from './commands/proxy.ts'
import { queueBounce } from './commands/queue/bounce.ts'
import { queueCancel } from './commands/queue/cancel.ts'
import { queueExplain } from './commands/queue/explain.ts'
import { queueHold, queueHolds, queueRelease } from './commands/queue/hold.ts'
import { queueList } from './commands/queue/list.ts'
import { queueMove } from './commands/queue/move.ts'
import { queueLift, queuePauses } from './commands/queue/pauses.ts'
import { queueRetry } from './commands/queue/retry.ts'
import { queueSummary } from './commands/queue/summary.ts'
import { holdRouteCommand, releaseRouteCommand } from './commands/routes/hold.ts'
import { listRoutesCommand } from './commands/routes/list.ts'
import {
  forgetSecretKeys,
  listSecretKeys,
  prepareSecretKey,
  rotateSecretKey,
} from './commands/secret-key/secret-key.ts'
import { serve } from './commands/serve.ts'
import { sourcesFinish, sourcesList, sourcesRestart } from './commands/sources/sources.ts'
import { suspendTeamCommand, teamLimitsCommand, unsuspendTeamCommand } from './commands/team-operations.ts'
import { teamRetentionCommand } from './commands/team-retention.ts'
import { createTeam, deleteTeam, listTeamsCommand } from './commands/teams.ts'
import { trace } from './commands/trace/trace.ts'
import { upgradeCommand } from './commands/upgrade.ts'
import { linkUser, listUsersCommand, removeUserCommand } from './commands/users.ts'

type AnyCommand = Command | SettingsCommand

const COMMANDS: readonly AnyCommand[] = [
  serve,
  createTeam,
  listTeamsCommand,
  deleteTeam,
  suspendTeamCommand,
  unsuspendTeamCommand,
  teamLimitsCommand,
  teamRetentionCommand,
  createKey,
  listKeys,
  revokeKey,
  keyPolicy,
  linkUser,
  listUsersCommand,
  removeUserCommand,
  migrateCommand,
  listSecretKeys,
  prepareSecretKey,
  rotateSecretKey,
  forgetSecretKeys,
  queueList,
  queueCancel,
  queueHold,
  queueRelease,
  queueHolds,
  queueRetry,
  queueMove,
  queueBounce,
  queueExplain,
  queuePauses,
  queueLift,
  // Behind those that begin with the same word.
  queueSummary,
  // `sources restart` before `sources`: the first name that fits is taken.
  sourcesRestart,
  sourcesFinish,
  sourcesList,
  trace,
  // `routes hold` before `routes`: the first name that fits is taken.
  holdRouteCommand,
  releaseRouteCommand,
  listRoutesCommand,
  listJobs,
  retryJobs,
  importResend,
  importList,
  backup,
  restore,
  verify,
  doctor,
  configShow,
  healthcheck,
  upgradeCommand,
  exportCommand,
  importPostwren,
  personExport,
  personErase,
  cellMove,
  // `proxy report` before `proxy`: the first name that fits is taken.
  proxyReport,
  proxy,
  conformance,
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
  const { words: named, configFile } = takeConfigFlag(given)
  const words = named.length === 0 ? [serve.name] : named
  const command = COMMANDS.find(({ name }) => name === words.slice(0, name.split(' ').length).join(' '))
  if (!command) return answerWithoutCommand(words)
  const rest = words.slice(command.name.split(' ').length)
  if (isAskingForHelp(rest)) return print(help(command))
  if (isUnknownOfGroup(command, rest)) return answerWithoutCommand(words)
  try {
    await runCommand(command, rest, configFile)
  } catch (error) {
    process.stderr.write(`${isUserError(error) ? (error as Error).message : ((error as Error).stack ?? error)}\n`)
    process.exitCode = 1
  }
}

/** `queue lsit`: `queue` itself takes no word, but there are commands that begin with it. */
const isUnknownOfGroup = ({ name, words }: AnyCommand, [next = '-']: string[]) =>
  words === 0 && !next.startsWith('-') && COMMANDS.some((other) => other.name.startsWith(`${name} `))

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
function nearest([first = '', second]: string[]): readonly AnyCommand[] {
  const of = (command: AnyCommand) => command.name.split(' ')
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

/** Of every command, before its name or behind it. */
function takeConfigFlag(given: readonly string[]): { words: string[]; configFile: string | undefined } {
  const words: string[] = []
  let configFile: string | undefined
  for (let index = 0; index < given.length; index++) {
    const word = given[index]!
    if (word === '--') return { words: [...words, ...given.slice(index)], configFile }
    if (word === '--config') configFile = given[++index] ?? ''
    else if (word.startsWith('--config=')) configFile = word.slice('--config='.length)
    else words.push(word)
  }
  return { words, configFile }
}

async function runCommand(command: AnyCommand, rest: string[], configFile: string | undefined) {
  const { positionals, values } = parsed(command, rest)
  const [least, most = least] = [command.words].flat() as [number, number?]
  if (positionals.length < least || positionals.length > most)
    throw new OperatorError(`Usage: postwren ${command.name} ${command.usage}`)
  if (configFile === '') throw new OperatorError('--config needs the path of a file.')
  const settings = readSettings(process.env, { configFile })
  const flags = values as Record<string, string | boolean>
  if ('report' in command) return command.report(settings, { flags, print })
  const config = requireConfig(settings)
  await command.run({ config, environment: settings.environment, words: positionals, flags, print })
}

function parsed(command: AnyCommand, args: string[]) {
  try {
    return parseArgs({ args, options: command.options ?? {}, allowPositionals: true })
  } catch (error) {
    if (!String((error as { code?: unknown }).code).startsWith('ERR_PARSE_ARGS')) throw error
    // Node's advice is two more sentences, about something else.
    const [mistake] = (error as Error).message.split(/\.?(?:\n|$)|\. /, 1)
    throw new OperatorError(`${mistake}. See: postwren ${command.name} --help`, { cause: error })
  }
}

const isAskingForHelp = (words: string[]) =>
  words.some((word) => word === '--help' || word === '-h') || words[0] === 'help'

/** Of the operator's making: a setting, an argument, or something outside that it names. */
function isUserError(error: unknown) {
  return error instanceof OperatorError || error instanceof SettingError
}

const lineOf = ({ name, usage, summary }: AnyCommand) => `  ${`${name} ${usage}`.trim().padEnd(40)} ${summary}`

const help = (command: AnyCommand) => `postwren ${command.name} ${command.usage}\n\n${command.summary}.`

function overview() {
  return [
    `postwren ${packageJson.version}`,
    '',
    ...COMMANDS.map(lineOf),
    '',
    'Settings are environment variables, or lines of a file: --config FILE with any command. See `postwren config show`, and /docs/guide/configuration of a running service.',
  ].join('\n')
}
