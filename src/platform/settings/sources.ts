import { closeSync, openSync, readSync, statSync } from 'node:fs'
import { parseEnv } from 'node:util'
import { type Config, loadConfig, SETTINGS, settingName } from './config.ts'
import { oldNameOf } from './old-names.ts'
import { CONFIG_NAME, fileName, isSecretFile, isSetting, objectionToName } from './setting-names.ts'
import { SettingError } from './settings.ts'

// Where settings come from: the environment, a file that is named, and `.env` in the folder. The first that has a name decides about it.

const MAX_SECRET_BYTES = 64 * 1024
const MAX_FILE_BYTES = 1024 * 1024

/** Where the value of a setting was found. `path`: of the file with it. */
export interface Origin {
  readonly source: 'default' | 'environment' | 'config_file' | 'env_file' | 'secret_file'
  readonly path?: string
}

interface Layer {
  readonly origin: Origin
  readonly values: Readonly<Record<string, string | undefined>>
}

/** A name that is no setting, or a setting whose value cannot be had. */
export interface Problem {
  readonly name: string
  readonly message: string
  readonly origin: Origin
}

/** What the settings are, before anything is said about their values. */
export interface Settings {
  readonly configFile: string | null
  /** Each setting that is set, under its full name; and everything else of the environment. */
  readonly environment: NodeJS.ProcessEnv
  /** By the name in `SETTINGS`. */
  readonly origins: ReadonlyMap<string, Origin>
  readonly problems: readonly Problem[]
}

/**
 * Throws a `SettingError` when the file that is named cannot be read; other mistakes are `problems`. What is no setting in the files is for
 * libraries, and put into `environment` unless it is there already.
 */
export function readSettings(
  environment: NodeJS.ProcessEnv,
  { configFile, dotEnvFile = '.env' }: { configFile?: string | undefined; dotEnvFile?: string } = {},
): Settings {
  const dotEnv = isFile(dotEnvFile) ? readLayer(dotEnvFile, { source: 'env_file', path: dotEnvFile }) : null
  const file = configFile ?? (environment[CONFIG_NAME]?.trim() || dotEnv?.values[CONFIG_NAME]?.trim() || null)
  const named = file === null ? null : readLayer(file, { source: 'config_file', path: file })
  const layers = [{ origin: { source: 'environment' }, values: { ...environment } } as Layer, named, dotEnv].filter(
    (layer) => layer !== null,
  )
  for (const { values } of layers.slice(1))
    for (const [name, value] of Object.entries(values)) if (!name.startsWith('POSTWREN_')) environment[name] ??= value
  const problems = layers.flatMap(namesAreWrong)
  const origins = new Map<string, Origin>()
  const found: NodeJS.ProcessEnv = {}
  for (const [name, { isSecret }] of Object.entries(SETTINGS)) {
    const own = layers.find(
      ({ values }) => namedIn(values, name) !== undefined || (isSecret && values[fileName(name)] !== undefined),
    )
    if (!own) continue
    try {
      const { text, origin } = valueIn(own, name, isSecret)
      if (text === '') continue
      found[settingName(name)] = text
      origins.set(name, origin)
    } catch (error) {
      problems.push({ name: settingName(name), message: (error as Error).message, origin: own.origin })
    }
  }
  const others = Object.entries(environment).filter(([name]) => !isSetting(name) && !isSecretFile(name))
  return { configFile: file, environment: { ...Object.fromEntries(others), ...found }, origins, problems }
}

/** The settings, all of them right: a mistake is one clear line. */
export function requireConfig({ environment, problems }: Settings): Config {
  const [problem] = problems
  if (problem) throw new SettingError(problem.message)
  return loadConfig(environment)
}

/** A folder of this name is somebody else's: Python has such. */
const isFile = (path: string) => statSync(path, { throwIfNoEntry: false })?.isDirectory() === false

/** The name under which a layer has the setting: today's, or the one from before. */
function namedIn(values: Layer['values'], name: string): string | undefined {
  const old = oldNameOf(name)
  return [settingName(name), ...(old ? [settingName(old)] : [])].find((one) => values[one] !== undefined)
}

function valueIn({ origin, values }: Layer, name: string, isSecret: boolean): { text: string; origin: Origin } {
  const text = values[namedIn(values, name) ?? '']?.trim() ?? ''
  const old = oldNameOf(name)
  if (old && values[settingName(name)] !== undefined && values[settingName(old)] !== undefined)
    throw new SettingError(
      `${settingName(name)} and ${settingName(old)}, its old name, are both set: leave the old one out.`,
    )
  const path = (isSecret && values[fileName(name)]?.trim()) || ''
  if (path === '') return { text, origin }
  if (text !== '')
    throw new SettingError(`${settingName(name)} and ${fileName(name)} are both set: leave one of them out.`)
  return { text: readSecret(name, path), origin: { source: 'secret_file', path } }
}

function readSecret(name: string, path: string): string {
  const bytes = readAtMost(path, MAX_SECRET_BYTES, (reason) => `${fileName(name)}: ${path} ${reason}.`)
  const text = bytes.toString('utf8').trim()
  if (text === '') throw new SettingError(`${fileName(name)}: ${path} is empty.`)
  return text
}

function readLayer(path: string, origin: Origin): Layer {
  const text = readAtMost(path, MAX_FILE_BYTES, (reason) => `The settings file ${path} ${reason}.`).toString('utf8')
  for (const line of text.split('\n')) {
    const [, name, rest = ''] = /^\s*(?:export\s+)?(POSTWREN_\w*)(.*)/.exec(line) ?? []
    if (name && !rest.trimStart().startsWith('='))
      throw new SettingError(`${path}: ${name} has no value. Write ${name}=value.`)
  }
  return { origin, values: parseEnv(text) as Record<string, string> }
}

function readAtMost(path: string, maxBytes: number, say: (reason: string) => string): Buffer {
  let file: number | null = null
  try {
    file = openSync(path, 'r')
    const buffer = Buffer.alloc(maxBytes + 1)
    let length = 0
    for (let read = 1; read > 0 && length < buffer.length; length += read)
      read = readSync(file, buffer, length, buffer.length - length, null)
    if (length <= maxBytes) return buffer.subarray(0, length)
  } catch (error) {
    throw new SettingError(say(`cannot be read (${(error as NodeJS.ErrnoException).code})`))
  } finally {
    if (file !== null) closeSync(file)
  }
  throw new SettingError(say(`is larger than ${maxBytes / 1024} kB`))
}

function namesAreWrong({ origin, values }: Layer): Problem[] {
  return Object.entries(values).flatMap(([name, value = '']) => {
    const message = objectionToName(name, value) ?? (origin.source === 'config_file' ? objectionInFile(name) : null)
    if (message === null) return []
    return [{ name, origin, message: origin.path === undefined ? message : `${origin.path}: ${message}` }]
  })
}

/** In a file that is ours alone, what would be a setting with its prefix is meant to be one. */
function objectionInFile(name: string): string | null {
  if (name === CONFIG_NAME) return `${CONFIG_NAME} cannot be set in the file that it names.`
  return isSetting(`POSTWREN_${name}`) ? `${name} is not a setting. Did you mean POSTWREN_${name}?` : null
}
