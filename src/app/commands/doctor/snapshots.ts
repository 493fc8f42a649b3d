import type pg from 'pg'
import { findSnapshotHolders, OLD_SNAPSHOT_SECONDS, type SnapshotHolder } from '../../../kernel/db/old-snapshots.ts'
import { asked } from './asked.ts'
import { type Finding, fine, warning } from './finding.ts'

const NAME = 'snapshots'
const PAGE = 'docs/operations/night/old-snapshot.md'
/** Of one whose age in seconds nobody knows. */
const OLD_TRANSACTIONS = 1_000_000

/** Who keeps PostgreSQL from removing dead rows. */
export async function checkSnapshots(client: pg.Client, oldSeconds = OLD_SNAPSHOT_SECONDS): Promise<Finding[]> {
  const old = (await findSnapshotHolders(asked(client))).filter((holder) => isOld(holder, oldSeconds))
  if (old.length === 0) return [fine(NAME, 'Snapshots: none is older than an hour.')]
  return old.map((holder) => warning(NAME, `${wordsOf(holder)}, so dead rows are not removed: see ${PAGE}.`))
}

function isOld({ kind, seconds, transactions, isInUse }: SnapshotHolder, oldSeconds: number): boolean {
  if (seconds !== null && seconds >= oldSeconds) return true
  if (kind === 'replication_slot' && !isInUse && seconds === null) return true
  return transactions >= OLD_TRANSACTIONS
}

function wordsOf({ kind, name, pid, seconds, transactions }: SnapshotHolder): string {
  const time = seconds === null ? `${transactions} transactions` : lengthOf(seconds)
  switch (kind) {
    case 'session':
      return `The session ${pid}${name && ` (${name})`} holds a snapshot for ${time}`
    case 'prepared_transaction':
      return `The prepared transaction ${name} is open for ${time}`
    case 'replication_slot':
      return `The replication slot ${name} holds a snapshot for ${time}`
  }
}

const lengthOf = (seconds: number) =>
  seconds < 7_200 ? `${Math.round(seconds / 60)} minutes` : `${Math.round(seconds / 3_600)} hours`
