import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import Type, { type Static } from 'typebox'
import { fits } from '../../../kernel/http/validate.ts'
import { writeDurablySync } from '../../../platform/durable-file.ts'
import type { Config } from '../../../platform/settings/config.ts'
import { openDataFolder } from '../../../platform/settings/data-folder.ts'
import { OperatorError } from '../command.ts'
import { DamagedBackup } from './backup-key.ts'
import { type Manifest, type Part, settingsFile } from './manifest.ts'
import { describePart, type PartOptions, readStored } from './parts.ts'

// What an installation is beside its database and its blobs: settings, the secret key, the first API key.

/** Files of the data folder that are kept. */
const FILE = /^(?:secret-key(?:[.-][\w-]{1,40})?|api-key)$/
const MAX_FILE_BYTES = 64 * 1024

/** A backup does not contain its own key. */
const NOT_KEPT = /^POSTWREN_BACKUP_/

const InstallationShape = Type.Object({
  settings: Type.Record(Type.String({ pattern: '^POSTWREN_[A-Z0-9_]{1,80}$' }), Type.String()),
  secret_key: Type.String({ pattern: '^[0-9a-fA-F]{64}$' }),
  files: Type.Record(Type.String({ pattern: FILE.source }), Type.String({ maxLength: MAX_FILE_BYTES })),
})

export type Installation = Static<typeof InstallationShape>

type Sealed = Pick<PartOptions, 'store' | 'key'>

export function readInstallation(config: Config, environment: NodeJS.ProcessEnv, secretKey: string): Installation {
  const settings = Object.entries(environment).filter(
    (entry): entry is [string, string] =>
      /^POSTWREN_[A-Z0-9_]{1,80}$/.test(entry[0]) && !NOT_KEPT.test(entry[0]) && entry[1] !== undefined,
  )
  const names = existsSync(config.DATA_DIR) ? readdirSync(config.DATA_DIR).filter((name) => FILE.test(name)) : []
  const files = names
    .map((name) => ({ name, path: join(config.DATA_DIR, name) }))
    .filter(({ path }) => statSync(path).isFile() && statSync(path).size <= MAX_FILE_BYTES)
  return {
    settings: Object.fromEntries(settings),
    secret_key: secretKey,
    files: Object.fromEntries(files.map(({ name, path }) => [name, readFileSync(path, 'utf8')])),
  }
}

export async function saveInstallation(
  installation: Installation,
  name: string,
  { store, key }: Sealed,
): Promise<Part> {
  const file = settingsFile({ name })
  const stored = key.seal(Buffer.from(JSON.stringify(installation)), file)
  await store.put(file, stored)
  return describePart(stored)
}

export async function openInstallation(manifest: Manifest, { store, key }: Sealed): Promise<Installation> {
  const file = settingsFile(manifest)
  const content = key.open(await readStored({ store, file }, manifest.settings), file)
  const installation: unknown = JSON.parse(content.toString())
  if (!fits(InstallationShape, installation)) throw new DamagedBackup(`${file} of the backup is damaged.`)
  return installation as Installation
}

/** Before anything is written: a key that is here already may be of another installation, whose mail it opens. */
export function requireSameKey(config: Config, { files, secret_key }: Installation) {
  if (config.SECRET_KEY !== undefined && config.SECRET_KEY.toLowerCase() !== secret_key.toLowerCase())
    throw new OperatorError(
      'POSTWREN_SECRET_KEY is another key than that of the backup: unset it, and the key of the backup is restored into the data folder.',
    )
  for (const [name, content] of Object.entries(filesOf(config, { files, secret_key }))) {
    const path = join(config.DATA_DIR, name)
    if (name.startsWith('secret-key') && existsSync(path) && readFileSync(path, 'utf8').trim() !== content.trim())
      throw new OperatorError(`${path} is another key than that of the backup: choose another POSTWREN_DATA_DIR.`)
  }
}

/** Which of its files a restored installation gets: where the settings bring the secret key, none is written. */
const filesOf = (config: Config, { files, secret_key }: Pick<Installation, 'files' | 'secret_key'>) =>
  config.SECRET_KEY === undefined
    ? { 'secret-key': `${secret_key}\n`, ...files }
    : Object.fromEntries(Object.entries(files).filter(([name]) => name === 'api-key'))

const SETTINGS_FILE = 'restored-settings.env'

/** Returns the file with the settings as they were. They are not those of this machine: its operator takes what is right here. */
export function restoreInstallation(config: Config, installation: Installation): string {
  openDataFolder(config.DATA_DIR)
  for (const [name, content] of Object.entries(filesOf(config, installation)))
    writeDurablySync(join(config.DATA_DIR, name), content)
  const path = join(config.DATA_DIR, SETTINGS_FILE)
  const lines = Object.entries(installation.settings).map(([name, value]) => `${name}=${quoted(value)}`)
  writeDurablySync(
    path,
    `# The settings of the installation that was backed up.\n${lines.map((line) => `${line}\n`).join('')}`,
  )
  return path
}

/** As Node reads it: between quotes that are not in the value. */
function quoted(value: string): string {
  if (/^[\w./:@,+-]*$/.test(value)) return value
  const quote = [`'`, '"', '`'].find((one) => !value.includes(one)) ?? `'`
  return `${quote}${value}${quote}`
}
