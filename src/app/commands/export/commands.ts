import { openBlobStore } from '../../../adapters/blobs/open-blob-store.ts'
import { adoptCellKeys } from '../../../features/cells/index.ts'
import { Connector } from '../../../kernel/db/connector.ts'
import { LIMITS } from '../../../kernel/db/limits.ts'
import { openSealer } from '../../../kernel/secrets.ts'
import { systemClock } from '../../../platform/clock.ts'
import type { Config } from '../../../platform/settings/config.ts'
import { type CommandInput, OperatorError, oneLine } from '../command.ts'
import { requireDatabase } from '../database.ts'
import { numberOf, Progress } from '../progress.ts'
import { quiet } from '../quiet.ts'
import { requireTeam } from '../teams.ts'
import { ExportFolder } from './folder.ts'
import { type Manifest, SESSION } from './format.ts'
import { type ImportReport, readImport } from './read-import.ts'
import { readManifest } from './read-manifest.ts'
import { type Envelope, PLAIN, sealedBy } from './secrets.ts'
import { writeExport } from './write-export.ts'

export async function runExport({ config, flags, print }: CommandInput) {
  if (typeof flags.to !== 'string' || flags.to === '')
    throw new OperatorError('Missing --to DIR: the folder to write to.')
  const envelope = config.BACKUP_PASSPHRASE ? sealedBy(config.BACKUP_PASSPHRASE) : flags['with-secrets'] ? PLAIN : null
  const database = await requireDatabase(config, quiet)
  const progress = new Progress()
  try {
    const { db, connection } = database
    const team = flags.team === undefined ? null : await requireTeam(db, flags.team)
    const [sealer, blobs] = [await openSealer(db, config), await openBlobStore(config)]
    await adoptCellKeys(db, sealer)
    const folder = await ExportFolder.prepare(flags.to)
    const { client } = await new Connector(connection, LIMITS).connect({
      name: 'postwren export',
      settings: { ...SESSION, statement_timeout: '0', idle_in_transaction_session_timeout: '0' },
    })
    try {
      const manifest = await writeExport(
        { client, clock: systemClock, blobs, sealer, folder, progress },
        { team, envelope },
      )
      progress.end()
      if (flags.json) print(JSON.stringify(summaryOf(folder.path, manifest)))
      else for (const line of wordsOf(folder.path, manifest)) print(line)
    } finally {
      await client.end().catch(() => {})
    }
  } catch (error) {
    throw inWords(error)
  } finally {
    progress.end()
    await database.close()
  }
}

/** A full disk, a folder that is not ours: one line, with the path. */
function inWords(error: unknown): unknown {
  const { code, path, syscall, message } = error as NodeJS.ErrnoException
  const isOfFiles =
    syscall !== undefined && /^E(?:ACCES|DQUOT|EXIST|IO|ISDIR|LOOP|NOENT|NOSPC|NOTDIR|PERM|ROFS)$/.test(code ?? '')
  return isOfFiles
    ? new OperatorError(path && !message.includes(path) ? `${message}: ${path}` : message, { cause: error })
    : error
}

const rowsOf = ({ kinds }: Manifest) => Object.values(kinds).reduce((sum, { rows }) => sum + rows, 0)

const summaryOf = (path: string, manifest: Manifest) => ({
  ...{ object: 'export', path, teams: manifest.teams, rows: rowsOf(manifest) },
  ...{ blobs: manifest.blobs.rows, missing_blobs: manifest.blobs.missing, secrets: manifest.secrets.mode },
})

function wordsOf(path: string, manifest: Manifest): string[] {
  const { teams, blobs, secrets } = manifest
  const what = `${counted(teams, 'team')}, ${counted(rowsOf(manifest), 'row')}, ${counted(blobs.rows, 'blob')}`
  return [
    `Exported to ${path}: ${what}. Sandboxes are not included.`,
    ...(blobs.missing > 0 ? [`${counted(blobs.missing, 'blob')} could not be found in the blob store.`] : []),
    SECRETS_WORDS[secrets.mode],
  ]
}

const SECRETS_WORDS: Record<Manifest['secrets']['mode'], string> = {
  left_out:
    'DKIM keys and webhook signing secrets are left out: set POSTWREN_BACKUP_PASSPHRASE or use --with-secrets to include them.',
  plain: 'secrets.jsonl has DKIM keys and webhook signing secrets in the clear: keep the folder private.',
  sealed: 'DKIM keys and webhook signing secrets are sealed with POSTWREN_BACKUP_PASSPHRASE.',
}

const counted = (count: number, noun: string) => `${numberOf(count)} ${noun}${count === 1 ? '' : 's'}`

export async function runImport({ config, flags, print }: CommandInput) {
  if (typeof flags.from !== 'string' || flags.from === '')
    throw new OperatorError('Missing --from DIR: the folder of an export.')
  const { folder, manifest } = await readManifest(flags.from)
  const envelope = envelopeOf(config, manifest)
  const teamName = flags['team-name'] === undefined ? undefined : String(flags['team-name'])
  const database = await requireDatabase(config, quiet)
  const progress = new Progress()
  try {
    const { db } = database
    const parts = { db, progress, sealer: await openSealer(db, config), blobs: await openBlobStore(config) }
    const report = await readImport(parts, { folder, manifest, envelope, teamName })
    progress.end()
    if (flags.json) print(JSON.stringify(reportOf(report)))
    else for (const line of reportWords(report)) print(line)
  } catch (error) {
    throw inWords(error)
  } finally {
    progress.end()
    await database.close()
  }
}

function envelopeOf({ BACKUP_PASSPHRASE }: Config, { secrets }: Manifest): Envelope | null {
  if (secrets.mode === 'left_out') return null
  if (secrets.mode === 'plain') return PLAIN
  if (!BACKUP_PASSPHRASE)
    throw new OperatorError(
      'The secrets of this export are sealed: set POSTWREN_BACKUP_PASSPHRASE to their passphrase.',
    )
  return sealedBy(BACKUP_PASSPHRASE, secrets.salt ?? '')
}

const reportOf = ({ teams, rows, blobs, missingBlobs, held, ignored }: ImportReport) => ({
  object: 'import',
  teams,
  rows,
  blobs,
  missing_blobs: missingBlobs,
  held: { emails: held.emails, broadcasts: held.broadcasts, webhook_deliveries: held.webhookDeliveries },
  ignored_kinds: ignored,
})

function reportWords({ teams, rows, blobs, missingBlobs, held, ignored }: ImportReport): string[] {
  const all = Object.values(rows).reduce((sum, count) => sum + count, 0)
  return [
    `Imported ${counted(teams.length, 'team')}, ${counted(all, 'row')}, ${counted(blobs, 'blob')}.`,
    ...(missingBlobs > 0 ? [`${counted(missingBlobs, 'blob')} had no content in the export.`] : []),
    ...(ignored.length > 0 ? [`Unknown to this version and ignored: ${oneLine(ignored.join(', '))}.`] : []),
    `Held: ${counted(held.emails, 'email')}, ${counted(held.broadcasts, 'broadcast')}, ${numberOf(held.webhookDeliveries)} webhook ${held.webhookDeliveries === 1 ? 'delivery' : 'deliveries'}. The imported teams are suspended, so that two installations do not send the same mail.`,
    'When the old installation no longer sends for a team: postwren team unsuspend NAME',
  ]
}
