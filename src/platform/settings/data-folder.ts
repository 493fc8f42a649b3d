import { chmodSync, existsSync, lstatSync, mkdirSync, type Stats } from 'node:fs'
import { join } from 'node:path'

/** What lies in the data folder is mail, keys and everything that the database holds: nobody else on the machine is to read it. */
export const PRIVATE_FOLDER = 0o700
export const PRIVATE_FILE = 0o600
/** Others may pass through to what is theirs in it, and neither list nor read anything. */
const PASSAGE = 0o711

const SECRETS = ['secret-key', 'api-key', 'smtp-certificate.pem', 'postgres.log']
/** By these a folder is known as one that was ours before. */
const OURS = ['postgres', 'blobs', 'secret-key']

/** Makes the folder, or closes one that an earlier version has left open. As root the embedded server is somebody else, who must get through. */
export function openDataFolder(folder: string) {
  const mode = process.getuid?.() === 0 ? PASSAGE : PRIVATE_FOLDER
  if (existsSync(folder)) return tightenDataFolder(folder)
  mkdirSync(folder, { recursive: true, mode })
  chmodSync(folder, mode)
}

/**
 * Takes away what others may do with the folder and with what we keep in it. Only from what is ours: a folder that was never used by us,
 * or belongs to somebody else, is the operator's to open or close; and so is one that `blobs` merely points to.
 */
export function tightenDataFolder(folder: string) {
  if (!OURS.some((name) => existsSync(join(folder, name)))) return
  const server = statsOf(join(folder, 'postgres'))
  const isPassedThrough = process.getuid?.() === 0 && server !== null
  tighten(folder, isPassedThrough ? PASSAGE : PRIVATE_FOLDER)
  tighten(join(folder, 'blobs'), PRIVATE_FOLDER)
  for (const name of SECRETS) tighten(join(folder, name), PRIVATE_FILE)
}

function tighten(path: string, mode: number) {
  const found = statsOf(path)
  if (!found || found.isSymbolicLink() || found.uid !== process.getuid?.()) return
  const tightened = found.mode & mode & 0o777
  if (tightened !== (found.mode & 0o777)) chmodSync(path, tightened)
}

const statsOf = (path: string): Stats | null => lstatSync(path, { throwIfNoEntry: false }) ?? null
