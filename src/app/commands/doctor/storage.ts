import { randomUUID } from 'node:crypto'
import { accessSync, constants, existsSync } from 'node:fs'
import { open, readFile, rm, statfs } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { openBlobStore } from '../../../adapters/blobs/open-blob-store.ts'
import type { Config } from '../../../platform/settings/config.ts'
import { type CheckInput, type Finding, fault, fine, warning } from './finding.ts'

const MB = 1024 * 1024

/** Below the first PostgreSQL is about to stop; below the second somebody should look. */
const FULL_BYTES = 200 * MB
const NEARLY_FULL_BYTES = 2_000 * MB

export async function checkDataFolder({ config }: CheckInput): Promise<Finding[]> {
  const folder = resolve(config.DATA_DIR)
  const existing = existingAt(folder)
  try {
    accessSync(existing, constants.W_OK)
  } catch {
    return [
      fault(
        'data_folder',
        `${existing} is not writable: change its owner, or choose another folder with POSTWREN_DATA_DIR.`,
      ),
    ]
  }
  return [
    fine('data_folder', `Data folder: ${folder}${existing === folder ? '' : ' (will be created)'}.`),
    ...(await checkSpace(existing)),
  ]
}

async function checkSpace(folder: string): Promise<Finding[]> {
  const { bavail, bsize } = await statfs(folder)
  const free = bavail * bsize
  const words = `${free < 10_000 * MB ? `${Math.floor(free / MB)} MB` : `${Math.floor(free / MB / 1_024)} GB`} free`
  if (free < FULL_BYTES) return [fault('disk', `The disk of ${folder} is full (${words}): free some space.`)]
  if (free < NEARLY_FULL_BYTES) return [warning('disk', `The disk of ${folder} is nearly full (${words}).`)]
  return [fine('disk', `Disk: ${words}.`)]
}

/** Writes something, reads it back and removes it. */
export async function checkBlobStore({ config }: CheckInput): Promise<Finding[]> {
  try {
    return config.S3_URL ? await checkBucket(config) : await checkBlobFolder(config)
  } catch (error) {
    const { message, code, cause } = error as NodeJS.ErrnoException
    const reason = message || code || String(cause ?? error)
    const advice = config.S3_URL
      ? 'Check POSTWREN_S3_URL, and that the key may put, get and delete.'
      : 'Check that its folder is writable.'
    return [fault('blob_store', `The blob store cannot be used: ${reason}. ${advice}`)]
  }
}

async function checkBucket(config: Config): Promise<Finding[]> {
  const store = await openBlobStore(config)
  const key = `doctor/${randomUUID()}`
  const content = Buffer.from(key)
  await store.put(key, content)
  const found = await store.get(key)
  await store.remove(key)
  if (!found?.equals(content))
    return [fault('blob_store', 'The blob store returned other data than was written. Check POSTWREN_S3_URL.')]
  const { host, pathname } = new URL(config.S3_URL!)
  return [fine('blob_store', `Blob store: the bucket ${pathname.slice(1)} at ${host}, written and read back.`)]
}

async function checkBlobFolder(config: Config): Promise<Finding[]> {
  const folder = resolve(config.DATA_DIR, 'blobs')
  const note = 'Several machines need POSTWREN_S3_URL, or a data folder that they share'
  if (!existsSync(folder)) return [fine('blob_store', `Blob store: ${folder} (will be created). ${note}.`)]
  // Beside the blobs and not among them: a folder that this made there could be removed under a service that uses it.
  const file = join(folder, `doctor-${randomUUID()}`)
  try {
    const handle = await open(file, 'wx', 0o600)
    await handle.writeFile(file)
    await handle.sync()
    await handle.close()
    if ((await readFile(file, 'utf8')) !== file)
      return [fault('blob_store', `${folder} returned other data than was written.`)]
  } finally {
    await rm(file, { force: true })
  }
  const isShared = NETWORK_FILE_SYSTEMS.has((await statfs(folder)).type)
  return [
    fine(
      'blob_store',
      `Blob store: ${folder}, written and read back${isShared ? ', on a network file system' : `. ${note}`}.`,
    ),
  ]
}

/** From linux/magic.h: NFS, SMB, CIFS, SMB2, Ceph, 9P, GFS2, Lustre. */
const NETWORK_FILE_SYSTEMS = new Set([
  0x6969, 0x517b, 0xff534d42, 0xfe534d42, 0x00c36400, 0x01021997, 0x01161970, 0x0bd00bd0,
])

function existingAt(folder: string): string {
  let existing = folder
  while (!existsSync(existing)) existing = dirname(existing)
  return existing
}
