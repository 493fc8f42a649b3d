import {
  appendFileSync,
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import {
  connectTo,
  emptyInstallation,
  emptyTables,
  filesOf,
  installationOf,
  makeBackup,
  restoreBackup,
  runBackup,
  scratchFolder,
  verifyBackup,
} from '../../../../test/harness/backups.ts'
import { sendEmail, startAcme } from '../../../../test/harness/emails.ts'

let source: Record<string, string>
let folder: string

/** A backup that is as good as new, for each test to damage. */
beforeEach(async () => {
  pristine ??= await makePristine()
  folder = scratchFolder()
  cpSync(pristine, folder, { recursive: true })
})

let pristine: string | undefined

async function makePristine() {
  await emptyTables()
  const { app, acme } = await startAcme()
  await sendEmail(acme, { attachments: [{ filename: 'a.txt', content: 'aGVsbG8=' }] })
  await app.flush()
  source = await installationOf(app)
  const made = scratchFolder('file')
  await makeBackup(source, made)
  return made
}

const fileOf = (ending: string) => filesOf(folder).find((path) => path.endsWith(ending))!
const blobFile = () => filesIn(join(folder, 'blobs'))[0]!

function filesIn(path: string): string[] {
  return readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
}

function flip(path: string) {
  const bytes = readFileSync(path)
  bytes[bytes.length >> 1]! ^= 1
  writeFileSync(path, bytes)
}

const changeManifest = (change: (manifest: { tables: object[]; sequences: object[] }) => void) => {
  const path = fileOf('manifest.json')
  const content = JSON.parse(readFileSync(path, 'utf8'))
  change(content.manifest)
  writeFileSync(path, JSON.stringify(content))
}

const DAMAGED = /^manifest\.json of the backup \S+ is damaged, or was not written by Postwren\.$/

describe('a damaged backup is refused in one line, and the database stays empty', () => {
  test.each<[string, () => void, RegExp]>([
    [
      'one bit of a table',
      () => flip(fileOf('tables/emails.00001')),
      /^\S+\/tables\/emails\.00001 of the backup is damaged\.$/,
    ],
    [
      'a table that is cut off',
      () => writeFileSync(fileOf('tables/teams.00001'), 'x'),
      /teams\.00001 of the backup is damaged\.$/,
    ],
    ['a table that is missing', () => rmSync(fileOf('tables/teams.00001')), /teams\.00001 of the backup is missing\.$/],
    ['the files of two tables exchanged', () => exchange('emails', 'teams'), /of the backup is damaged\.$/],
    ['a file of a terabyte', () => grow(fileOf('tables/teams.00001')), /is larger than any file of a backup\.$/],
    ['one bit of a blob', () => flip(blobFile()), /^blobs\/\S+ of the backup is damaged\.$/],
    ['a blob that is missing', () => rmSync(blobFile()), /^1 blobs of the backup are missing\.$/],
    ['one bit of the settings', () => flip(fileOf('/settings')), /settings of the backup is damaged\.$/],
    ['a manifest that is no JSON', () => writeFileSync(fileOf('manifest.json'), '{'), DAMAGED],
    ['a number in the manifest', () => changeManifest((one) => Object.assign(one.tables[0]!, { rows: 1e15 })), DAMAGED],
    [
      'a number that is too large',
      () => changeManifest((one) => Object.assign(one.tables[0]!, { rows: 1e300 })),
      DAMAGED,
    ],
    [
      'a path in the manifest',
      () => changeManifest((one) => Object.assign(one.tables[0]!, { name: '../../etc/passwd' })),
      DAMAGED,
    ],
    ['a path as its name', () => changeManifest((one) => Object.assign(one, { name: '../2026' })), DAMAGED],
    [
      'SQL in the manifest',
      () => changeManifest((one) => Object.assign(one.sequences[0]!, { name: `x'); drop table teams` })),
      DAMAGED,
    ],
    [
      'a newer format',
      () => changeManifest((one) => Object.assign(one, { format: 2 })),
      /^The backup \S+ was made by a newer Postwren/,
    ],
    ['no key', () => rmSync(join(folder, 'key.json')), /^There is no backup in /],
    ['a key that is no JSON', () => writeFileSync(join(folder, 'key.json'), 'x'), /^key\.json in \S+ is damaged/],
  ])('%s', async (_what, damage, message) => {
    damage()
    const target = await emptyInstallation()

    await expect(restoreBackup(target, folder)).rejects.toThrow(message)
    await expect(verifyBackup(source, folder)).rejects.toThrow(message)

    const client = await connectTo(target.POSTWREN_DATABASE_URL!)
    expect(
      (await client.query(`select from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace`))
        .rowCount,
    ).toBe(0)
  })
})

function exchange(one: string, other: string) {
  const [first, second] = [fileOf(`tables/${one}.00001`), fileOf(`tables/${other}.00001`)]
  renameSync(first, `${first}.x`)
  renameSync(second, first)
  renameSync(`${first}.x`, second)
}

/** As sparse as `truncate` makes it. */
function grow(path: string) {
  truncateSync(path, 2 ** 40)
}

test('another passphrase opens nothing, and adds nothing', async () => {
  const wrong = { POSTWREN_BACKUP_PASSPHRASE: 'another one' }
  const message = /^POSTWREN_BACKUP_PASSPHRASE is not the passphrase of the backups in /

  await expect(restoreBackup({ ...(await emptyInstallation()), ...wrong }, folder)).rejects.toThrow(message)
  await expect(verifyBackup({ ...source, ...wrong }, folder)).rejects.toThrow(message)
  await expect(makeBackup({ ...source, ...wrong }, folder)).rejects.toThrow(message)
})

test('a database that is in use is not restored into', async () => {
  const target = { ...source, POSTWREN_DATA_DIR: join(scratchFolder(), 'data') }

  await expect(restoreBackup(target, folder)).rejects.toThrow(/^The database is not empty: table \w+ has rows\./)
})

test('a secret key that is there already stays', async () => {
  const target = await emptyInstallation()
  mkdirSync(target.POSTWREN_DATA_DIR!)
  appendFileSync(join(target.POSTWREN_DATA_DIR!, 'secret-key'), `${'0'.repeat(64)}\n`)

  await expect(restoreBackup(target, folder)).rejects.toThrow(/secret-key is another key than that of the backup/)
  await expect(restoreBackup({ ...target, POSTWREN_SECRET_KEY: 'f'.repeat(64) }, folder)).rejects.toThrow(
    /^POSTWREN_SECRET_KEY is another key than that of the backup/,
  )
})

test.each<[Record<string, string | boolean>, Record<string, string>, RegExp]>([
  [{}, {}, /^Missing --to DIR\. For S3 set POSTWREN_BACKUP_URL\.$/],
  [{ to: 'https://key:secret@s3/bucket' }, {}, /^--to takes a folder\. For S3 set POSTWREN_BACKUP_URL instead\.$/],
  [{ to: '/dev/null/x' }, {}, /^\/dev\/null\/x cannot be written \(ENOTDIR\)\.$/],
  [{ to: 'x' }, { POSTWREN_BACKUP_PASSPHRASE: '' }, /^POSTWREN_BACKUP_PASSPHRASE is not set/],
])('%j is one line', async (flags, settings, message) => {
  await expect(runBackup({ ...source, ...settings }, flags)).rejects.toThrow(message)
})
