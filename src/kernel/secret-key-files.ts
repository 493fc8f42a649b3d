import { randomBytes } from 'node:crypto'
import { linkSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { writeDurablySync } from '../platform/durable-file.ts'
import type { Config } from '../platform/settings/config.ts'
import { PRIVATE_FOLDER } from '../platform/settings/data-folder.ts'
import { SettingError } from '../platform/settings/settings.ts'

// Where the secret key comes from: a setting, or a file in the data folder. While it is being changed, the next one stands beside it.

/** As 64 hexadecimal digits each. */
export interface SecretKeys {
  readonly current: string | undefined
  readonly next: string | undefined
}

type KeySettings = Pick<Config, 'DATA_DIR' | 'SECRET_KEY' | 'SECRET_KEY_NEXT'>

const keyFile = ({ DATA_DIR }: KeySettings) => join(DATA_DIR, 'secret-key')
const nextKeyFile = ({ DATA_DIR }: KeySettings) => join(DATA_DIR, 'secret-key-next')

/** Whether settings say which key it is; otherwise it is ours to keep, in the data folder. */
export const isKeySet = ({ SECRET_KEY }: KeySettings) => SECRET_KEY !== undefined

export const readKeys = (config: KeySettings): SecretKeys => ({
  current: config.SECRET_KEY ?? readKey(keyFile(config)),
  next: config.SECRET_KEY_NEXT ?? (isKeySet(config) ? undefined : readKey(nextKeyFile(config))),
})

/** Makes the first key of the data folder, or finds the one that another process has just made. */
export const makeKey = (config: KeySettings): string => writeKey(config.DATA_DIR, keyFile(config))

/** Makes the key that is to take over, or finds it. */
export const makeNextKey = (config: KeySettings): string => writeKey(config.DATA_DIR, nextKeyFile(config))

/** The next key has taken over: its file is the one of the key from now on. A crash before this is made up for by the next start. */
export function settleKeyFiles(config: KeySettings, current: string) {
  if (isKeySet(config) || config.SECRET_KEY_NEXT !== undefined || readKey(nextKeyFile(config)) !== current) return
  try {
    renameSync(nextKeyFile(config), keyFile(config))
  } catch (error) {
    // Of several processes with one folder, another one was faster.
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw unusable(keyFile(config), error)
  }
}

/** None of the keys is the one of the database. */
export function wrongKey(config: KeySettings, { current }: SecretKeys): SettingError {
  const file = keyFile(config)
  if (current === undefined)
    return new SettingError(
      `This database needs its secret key, and there is none in ${file}. Set POSTWREN_SECRET_KEY to it; the process that created the database has it in \`secret-key\` of its data folder.`,
    )
  return new SettingError(
    `This database was created with another secret key than the one ${isKeySet(config) ? 'in POSTWREN_SECRET_KEY' : `in ${file}`}. Set POSTWREN_SECRET_KEY to that key: without it DKIM keys and webhook secrets cannot be read.`,
  )
}

function readKey(file: string): string | undefined {
  let text: string
  try {
    text = readFileSync(file, 'utf8').trim()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw unusable(file, error)
  }
  if (!/^[0-9a-f]{64}$/i.test(text))
    throw new SettingError(`${file} does not hold a secret key: it must be 64 hexadecimal digits.`)
  return text.toLowerCase()
}

/**
 * Writes the key beside its place, makes sure that it is on the disk, and only then gives it its name. A link does not replace
 * what is there, so that of two processes with one folder and two databases the later one takes the key of the earlier.
 */
function writeKey(folder: string, file: string): string {
  const key = randomBytes(32).toString('hex')
  const draft = `${file}.${process.pid}`
  try {
    mkdirSync(folder, { recursive: true, mode: PRIVATE_FOLDER })
    writeDurablySync(draft, `${key}\n`)
    linkSync(draft, file)
    return key
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return readKey(file)!
    throw unusable(file, error)
  } finally {
    rmSync(draft, { force: true })
  }
}

const unusable = (file: string, error: unknown) =>
  new SettingError(
    `The secret key cannot be kept in ${file} (${(error as NodeJS.ErrnoException).code}): make the folder writable, choose another with POSTWREN_DATA_DIR, or set POSTWREN_SECRET_KEY.`,
  )
