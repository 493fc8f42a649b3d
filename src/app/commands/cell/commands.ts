import { type Config, settingName } from '../../../platform/settings/config.ts'
import { readSettings, requireConfig } from '../../../platform/settings/sources.ts'
import { type Command, type CommandFlags, JSON_FLAG, OperatorError, oneLine } from '../command.ts'

export const cellMove: Command = {
  name: 'cell move',
  usage: 'TEAM --to URL [--to-settings FILE] [--abort] [--json]',
  summary:
    'Move a team to another cell while it sends. URL is the database of that cell, without a password; FILE has its settings. Can be run again; --abort gives it up before the switch',
  options: {
    to: { type: 'string' },
    'to-settings': { type: 'string' },
    abort: { type: 'boolean' },
    ...JSON_FLAG,
  },
  words: 1,
  async run({ config, words: [name = ''], flags, print }) {
    const other = settingsOf(flags)
    const { runMove } = await import('./run-move.ts')
    await runMove({ config, other, name, flags, print })
  },
}

/** Of the other cell, all of them from the file: a setting of this one must not become one of that. */
function settingsOf(flags: CommandFlags): Config {
  const url = typeof flags.to === 'string' ? flags.to.trim() : ''
  const file = typeof flags['to-settings'] === 'string' ? flags['to-settings'] : ''
  if (url === '' && file === '')
    throw new OperatorError('Missing --to URL, the database of the other cell, and --to-settings FILE, its settings.')
  if (file === '')
    throw new OperatorError(
      `Missing --to-settings FILE: POSTWREN_CELL, POSTWREN_PUBLIC_URL, POSTWREN_SECRET_KEY and the blob store of the other cell.`,
    )
  const settings = readSettings({}, { configFile: file, dotEnvFile: '/dev/null' })
  const known = settings.environment[settingName('DATABASE_URL')]
  if (url !== '') {
    const given = addressOf(url)
    if (new URL(url).password !== '')
      throw new OperatorError(
        `A password in --to can be read by everybody on this machine. Put the URL with it into POSTWREN_DATABASE_URL of the --to-settings file.`,
      )
    if (known !== undefined && addressOf(known) !== given)
      throw new OperatorError(`--to and POSTWREN_DATABASE_URL of ${oneLine(file)} name different databases.`)
    settings.environment[settingName('DATABASE_URL')] = known ?? url
  }
  return requireConfig(settings)
}

/** Which database a URL means. A password has no place on a command line: everybody on the machine can read it there. */
function addressOf(text: string): string {
  let url: URL
  try {
    url = new URL(text)
  } catch {
    throw new OperatorError('--to must be the URL of a database like `postgres://host/postwren`.')
  }
  return `${url.host}${url.pathname}${url.searchParams.get('host') ?? ''}`
}
