import { loadConfig } from '../../platform/settings/config.ts'
import { type ShownSetting, shownSettings } from '../../platform/settings/shown-settings.ts'
import type { Origin, Settings } from '../../platform/settings/sources.ts'
import { JSON_FLAG, oneLine, type SettingsCommand, tableOf } from './command.ts'

export const configShow: SettingsCommand = {
  name: 'config show',
  usage: '[--json]',
  summary:
    'List each setting with its value and where it comes from. Secrets are blanked; exits with 1 if one is wrong',
  options: JSON_FLAG,
  words: 0,
  async report(settings, { flags, print }) {
    const shown = shownSettings(settings)
    const errors = errorsOf(settings, shown)
    if (flags.json) print(JSON.stringify(inJson(settings, shown, errors)))
    else {
      for (const line of tableOf(shown.map(rowOf))) print(line)
      for (const error of errors) process.stderr.write(`${oneLine(error)}\n`)
    }
    if (errors.length > 0) process.exitCode = 1
  },
}

/** Of settings alone, of names that are none, and, when all of those are right, of settings that do not go together. */
function errorsOf(settings: Settings, shown: readonly ShownSetting[]): string[] {
  const single = [
    ...new Set([...settings.problems.map(({ message }) => message), ...shown.flatMap(({ error }) => error ?? [])]),
  ]
  if (single.length > 0) return single
  try {
    loadConfig(settings.environment)
    return []
  } catch (error) {
    return [(error as Error).message]
  }
}

const SOURCES: Readonly<Record<Origin['source'], string>> = {
  default: 'default',
  environment: 'environment',
  config_file: 'file',
  env_file: '',
  secret_file: '_FILE',
}

function rowOf({ name, value, origin, error }: ShownSetting) {
  const words = origin.source === 'secret_file' ? `${name}${SOURCES.secret_file}` : SOURCES[origin.source]
  const from = [words, origin.path].filter(Boolean).join(' ')
  return { setting: name, value: value ?? 'unset', from: error === null ? from : `${from} (wrong)` }
}

const inJson = ({ configFile, problems }: Settings, shown: readonly ShownSetting[], errors: readonly string[]) => ({
  object: 'config',
  ok: errors.length === 0,
  config_file: configFile,
  settings: shown.map(({ name, value, origin, isSecret, error }) => ({
    ...{ name, value, source: origin.source, path: origin.path ?? null, is_secret: isSecret, error },
  })),
  unknown: problems
    .filter(({ name }) => !shown.some((setting) => setting.name === name))
    .map(({ name, message, origin }) => ({ name, message, source: origin.source, path: origin.path ?? null })),
  errors,
})
