import { setTimeout as wait } from 'node:timers/promises'
import type { BlobStore } from '../../../adapters/blobs/blob-store.ts'
import type { Database } from '../../../kernel/db/database.ts'
import { raw, sql } from '../../../kernel/db/sql.ts'
import type { AddressPattern } from '../../../mail/address-pattern.ts'
import { unpackLine } from '../../../mail/packed-bodies.ts'
import type { ErasedAddresses } from '../../emails/delivery/ledger/erased-addresses.ts'
import { isMailUnread } from '../../inbound/index.ts'
import { actOn, type Found, inOrder, suppressErased } from './acts.ts'
import { actOnFile, blobRowsOf, isInBlob, removeLoose } from './blobs.ts'
import { readSearchedTables, type SearchedTable } from './catalogue.ts'
import { isNamed, type Outcome } from './redact-row.ts'
import { hasKey, type Key, type Row, readRow, slicesOf } from './scan.ts'

/** Rows by table, and what was done with them. */
export type Counts = Record<string, Partial<Record<'found' | 'deleted' | 'redacted' | 'files' | 'pending', number>>>

/** Where a search is. */
export interface Reached {
  readonly pass: number
  readonly table: string
  readonly key: Key | null
}

export interface Search {
  readonly db: Database
  readonly blobs: BlobStore
  readonly pattern: AddressPattern
  readonly erased: ErasedAddresses
  /** Null: the whole installation. */
  readonly team: string | null
  /** When it was asked for. */
  readonly since: Date
  /** Where one that was interrupted goes on. */
  readonly from: Reached | null
  readonly counts: Counts
  readonly signal?: AbortSignal
  /** After each slice: what is behind it need not be done again. */
  progress(reached: Reached, rows: number): Promise<void>
}

/**
 * A row that was changed after its turn is found by the next pass; the last one goes through all tables and finds nothing. Mail that is being delivered takes
 * seconds.
 */
const MAX_PASSES = 6
const PENDING_WAIT_MS = 1_000
/** Whoever has been written to, or has written, in a team is not written to again. */
const OF_CORRESPONDENTS = ['contacts', 'deliveries', 'received_emails', 'broadcast_recipients']

/** A recipient is deleted with the email alone, and the email is what a report is about. */
const DELETED_WITH: Readonly<Record<string, string>> = { deliveries: 'emails' }

export const countIn = (counts: Counts, table: string, added: Counts[string]) => {
  const before = counts[table] ?? {}
  const kinds = Object.keys(added) as (keyof Counts[string])[]
  counts[table] = { ...before, ...Object.fromEntries(kinds.map((kind) => [kind, (before[kind] ?? 0) + added[kind]!])) }
}

/** What belongs to teams, or, for the whole installation, everything. */
const tablesOf = async ({ db, team }: Search): Promise<SearchedTable[]> =>
  inOrder(await readSearchedTables(db)).filter(({ hasTeam, key }) => key.length > 0 && (team === null || hasTeam))

/** Those that are still to be searched in a pass. */
const remaining = (tables: readonly SearchedTable[], from: Reached | null, pass: number) =>
  from?.pass === pass
    ? tables.slice(
        Math.max(
          0,
          tables.findIndex(({ name }) => name === from.table),
        ),
      )
    : tables

const startIn = (table: SearchedTable, from: Reached | null, pass: number): Key | null =>
  from?.pass === pass && from.table === table.name ? from.key : null

/** Every row that names the address, counted, and handed to whoever wants it. Nothing is changed. */
export async function searchRows(search: Search, each?: (table: SearchedTable, row: string) => Promise<void>) {
  const { db, pattern, team, counts, from, signal } = search
  for (const table of remaining(await tablesOf(search), from, 0)) {
    for await (const slice of slicesOf(db, table, { pattern, team, after: startIn(table, from, 0) })) {
      signal?.throwIfAborted()
      for (const key of slice.hits) {
        const row = await readRow(db, table, { key })
        if (!row || !isNamed(row, namesOf(table), pattern)) continue
        countIn(counts, table.name, { found: 1 })
        await each?.(table, await jsonOf(db, table, key))
      }
      await search.progress({ pass: 0, table: table.name, key: slice.last }, slice.rows)
    }
  }
}

const namesOf = ({ columns }: SearchedTable) => columns.map(({ name }) => name)

const jsonOf = async (db: Database, table: SearchedTable, key: Key): Promise<string> => {
  const [row] = await db.query<{ json: string }>(sql`
    select row_to_json(r)::text as json from ${raw(table.name)} r where ${hasKey(table, key)}`)
  if (!row) return 'null'
  return table.hasPackedBodies ? unpackLine(row.json, 'hex') : row.json
}

/** Takes the address out of every row and file. Gives whether nothing of it is left. */
export async function erase(search: Search): Promise<boolean> {
  const tables = await tablesOf(search)
  const loose = new Set<string>()
  const teams = new Set<string>()
  const first = search.from?.pass ?? 1
  // Files are searched once, and again when one could not go yet: what comes later comes with mail that names the address.
  let withFiles = true
  for (let pass = first; pass < first + MAX_PASSES; pass++) {
    // One that is taken up in the middle does not see what came into the tables before.
    const isWhole = search.from?.pass !== pass || search.from.table === ''
    const isUnread = await isMailUnread(search.db, search)
    const rest = await erasePass(search, { tables, pass, loose, teams, withFiles })
    await removeLoose(search.db, search.blobs, loose)
    if (isWhole && rest.changed === 0 && rest.pending === 0 && !isUnread) return true
    withFiles = !isWhole || rest.pendingFiles > 0 || isUnread
    if (rest.pending > 0 || isUnread)
      await wait(PENDING_WAIT_MS, undefined, search.signal ? { signal: search.signal } : {})
  }
  return false
}

/** Takes it out of one table, in one pass. */
export async function eraseIn(name: string, search: Search) {
  const tables = (await tablesOf(search)).filter((table) => table.name === name)
  await erasePass(search, { tables, pass: 1, loose: new Set(), teams: new Set(), withFiles: false })
}

interface Pass {
  readonly tables: readonly SearchedTable[]
  readonly pass: number
  readonly loose: Set<string>
  /** Those that the person is suppressed in already. */
  readonly teams: Set<string>
  readonly withFiles: boolean
}

async function erasePass(search: Search, { tables, pass, loose, teams, withFiles }: Pass) {
  const { db, pattern, erased, team, from, counts, signal } = search
  const rest = { changed: 0, pending: 0, pendingFiles: 0 }
  const note = (table: SearchedTable, outcome: Outcome, kind: 'rows' | 'files' = 'rows') => {
    if (outcome === 'pending') rest.pending++
    if (outcome === 'pending' && kind === 'files') rest.pendingFiles++
    if (outcome === 'deleted' || outcome === 'redacted') {
      rest.changed++
      const what = kind === 'files' ? kind : outcome
      countIn(counts, (what === 'deleted' && DELETED_WITH[table.name]) || table.name, { [what]: 1 })
    }
  }
  for (const table of remaining(tables, from, pass)) {
    for await (const slice of slicesOf(db, table, { pattern, team, after: startIn(table, from, pass) })) {
      signal?.throwIfAborted()
      for (const key of slice.hits) {
        const outcome = await actOn({ db, table, key, pattern, erased, loose })
        note(table, outcome)
        if (outcome !== 'nothing' && OF_CORRESPONDENTS.includes(table.name)) await suppressIn(search, key[0]!, teams)
      }
      await search.progress({ pass, table: table.name, key: slice.last }, slice.rows)
    }
    if (withFiles && table.blobs.length > 0)
      for await (const [found, blob] of filesOf(search, { table, pass, loose })) {
        if (await isInBlob(search.blobs, blob, pattern)) note(table, await actOnFile(found, blob), 'files')
      }
  }
  return rest
}

async function* filesOf(
  search: Search,
  { table, pass, loose }: Pick<Pass, 'pass' | 'loose'> & { table: SearchedTable },
) {
  const { db, pattern, erased, team, signal } = search
  for await (const slice of blobRowsOf(db, table, team)) {
    signal?.throwIfAborted()
    for (const key of slice.hits) {
      const row: Row | undefined = await readRow(db, table, { key, more: table.blobs })
      const blob = row?.[table.blobs[0]!]
      if (blob) yield [{ db, table, key, pattern, erased, loose } satisfies Found, blob as string] as const
    }
    await search.progress({ pass, table: table.name, key: slice.last }, slice.rows)
  }
}

async function suppressIn({ db, pattern, erased }: Search, team: string, teams: Set<string>) {
  if (teams.has(team)) return
  teams.add(team)
  await db.transaction((trx) => suppressErased(trx, team, erased.nameOf(pattern.address)))
}
