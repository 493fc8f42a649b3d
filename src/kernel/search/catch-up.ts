import type { Steps } from '../../mail/steps.ts'
import { inTurns } from '../../platform/concurrency/in-turns.ts'
import { firstIdAt, isSandbox, momentOf } from '../../platform/ids.ts'
import { type Database, pooled, type Queryable } from '../db/database.ts'
import { rowsOf } from '../db/rows.ts'
import { type Sql, sql } from '../db/sql.ts'
import { SearchDeadline } from './deadline.ts'
import { type SearchDocument, vectorOf } from './document.ts'
import { isOf, keyOf, ownerOf, progressOf, tableOf } from './documents.ts'
import type { Kind, Scope } from './lexemes.ts'
import { before, FIRST_ID } from './ranges.ts'
import type { SearchSource } from './source.ts'

// Documents are written behind their items. Whoever searches writes those that are missing first, and a job writes them before anybody has to
// wait for it. Writing one twice changes nothing, and one that was not written is seen to be missing: there is nothing to lose in a crash.

/** Documents to a statement. */
const BATCH = 500
/** Of notes, so many that a search writes: some tenths of a second. */
const MAX_NOTE_BATCHES = 2
/**
 * An id is made before its item is committed. Items may turn up so long behind others that have greater ids, and are looked for by name until
 * then; what a request writes is committed within seconds.
 */
const SETTLE_MS = 120_000
/** When nothing newer has come for so long all of it is settled: whoever searches would compare the last minutes before a quiet night each time. */
const QUIET_MS = 900_000
/** Whether a kind is searched is written down once in so long. */
const SEARCHED_EVERY_MS = 3_600_000

/** From `low` up to `high` every item has its document. */
export interface Progress {
  readonly low: string
  readonly high: string
}

export const BEING_BUILT = 'The search index is being built; narrow the search or retry.'

/** Makes sure that what is new can be found. What is older than `low` of the progress may still be without a document. */
export async function catchUp(db: Database, team: string, source: SearchSource): Promise<Progress> {
  const deadline = new SearchDeadline(BEING_BUILT)
  if (source.follows === 'changes') {
    while (await indexChanges(db, team, source, BATCH)) deadline.check()
    return { low: FIRST_ID, high: FIRST_ID }
  }
  const progress = await readProgress(db, team, source)
  for (let after = progress.high; ; ) {
    const { last, isMore } = await indexAbove(db, team, source, { high: after, limit: BATCH })
    if (!isMore) return progress
    after = last
    deadline.check()
  }
}

/**
 * Makes sure that documents say what has changed of the few items that change. False: that is more than a search can wait for, after an upgrade or an
 * outage; the job is at work on it, and until then the items are asked.
 */
export async function catchUpNotes(db: Database, team: string, source: SearchSource): Promise<boolean> {
  for (let batches = 0; batches < MAX_NOTE_BATCHES; batches++)
    if (!(await indexChanges(db, team, source, BATCH))) return true
  return false
}

/** A piece of what is older than the progress, from the newest to the oldest; gives from where on all have their documents. */
export async function indexBelow(db: Database, team: string, source: SearchSource, limit: number): Promise<string> {
  const rows = await db.queryPooled<{ id: string }>(sql`
    select s.id from ${source.table} s
    where s.team_id = ${team} and s.id < (
      select p.low from search_progress p where p.team_id = ${team} and p.kind = ${progressOf(source)})
    order by s.id desc limit ${limit}`)
  const ids = rows.map(({ id }) => id)
  const known = await findDocuments(pooled(db), { team, source }, ids)
  const missing = ids.filter((id) => !known.has(id))
  await writeDocuments(db, { team, source }, await source.read(pooled(db), team, missing), { isFirst: true })
  const low = ids.length < limit ? FIRST_ID : ids.at(-1)!
  await db.query(sql.write`
    update search_progress p set low = least(p.low, ${low}::uuid) where p.team_id = ${team} and p.kind = ${progressOf(source)}`)
  return low
}

/** Those of the ids that have documents. */
async function findDocuments(db: Queryable, { team, source }: Owner, ids: readonly string[]): Promise<Set<string>> {
  const rows = await db.query<{ id: string }>(sql`
    select d.id from ${tableOf(source)} d where ${isOf(source, team)} and d.id = any (${ids}::uuid[])`)
  return new Set(rows.map(({ id }) => id))
}

/**
 * Documents of what is above the progress and has none, so many at most. The documents above it are named by themselves: with a million of them
 * PostgreSQL looked up each item's by its key, 1,218 buffers for 400 items where both lists beside each other are 21.
 */
export async function indexAbove(
  db: Database,
  team: string,
  source: SearchSource,
  { high, limit }: { high: string; limit: number },
): Promise<{ last: string; isMore: boolean }> {
  const rows = await db.queryPooled<{ id: string }>(sql`
    select s.id from ${source.table} s
    where s.team_id = ${team} and s.id > ${high} ${readyOf(db, source, team)}
      and not exists (${documentOf({ team, source }, sql`s.id`)} and d.id > ${high})
    order by s.id limit ${limit}`)
  const ids = rows.map(({ id }) => id)
  if (ids.length > 0)
    await writeDocuments(db, { team, source }, await source.read(pooled(db), team, ids), { isFirst: true })
  return { last: ids.at(-1) ?? high, isMore: ids.length === limit }
}

const readyOf = (db: Database, { isReady }: SearchSource, team: string): Sql =>
  isReady ? sql`and (${isReady(db, team)})` : sql``

const documentOf = ({ team, source }: Owner, id: Sql): Sql =>
  sql`select from ${tableOf(source)} d where ${isOf(source, team)} and d.id = ${id}`

/**
 * Moves `high` on to where every item is sure to be committed, after all above it have their documents. The ids of a sandbox are of a clock
 * that people move, and tell nothing about that; it has little mail, and none of it for long. Where it stands is given as a value: as a column of the progress it
 * could be anywhere to PostgreSQL, which compared all of ten million emails with all of their documents.
 */
export async function settleProgress(
  db: Database,
  team: string,
  source: SearchSource,
  { high: known }: Pick<Progress, 'high'>,
): Promise<void> {
  if (isSandbox(team)) return
  const [row] = await db.query<{ newest: string; unready: string | null }>(sql`
    select s.id as newest, ${source.isReady ? firstUnready(db, source, { team, above: known }) : sql`null::uuid`} as unready
    from ${source.table} s where s.team_id = ${team} order by s.id desc limit 1`)
  if (!row) return
  const quietSince = db.clock.now().getTime() - QUIET_MS
  const settled = firstIdAt(new Date(Math.max(momentOf(row.newest).getTime() - SETTLE_MS, quietSince)))
  // What is not ready yet stays above.
  const high = row.unready !== null && row.unready < settled ? before(row.unready) : settled
  if (high <= known) return
  const between = (id: Sql) => sql`${id} > ${known} and ${id} <= ${high}`
  await db.query(sql.write`
    update search_progress p set high = ${high} where p.team_id = ${team} and p.kind = ${progressOf(source)} and p.high = ${known}::uuid
      and not exists (
        select from ${source.table} s where s.team_id = ${team} and ${between(sql`s.id`)} ${readyOf(db, source, team)}
          and not exists (${documentOf({ team, source }, sql`s.id`)} and ${between(sql`d.id`)}))`)
}

const firstUnready = (
  db: Database,
  { table, isReady }: SearchSource,
  { team, above }: { readonly team: string; readonly above: string },
): Sql => sql`(
  select s.id from ${table} s
  where s.team_id = ${team} and s.id > ${above} and not (${isReady!(db, team)})
  order by s.id limit 1)`

/** Where a team is with a kind. Who searches it for the first time begins with what is newest. */
export async function readProgress(
  db: Database,
  team: string,
  source: SearchSource,
  { isSearch = true } = {},
): Promise<Progress> {
  const kind = progressOf(source)
  const now = db.clock.now()
  const [known] = await db.query<Progress & { searched_at: Date | null }>(sql`
    select p.low, p.high, p.searched_at from search_progress p where p.team_id = ${team} and p.kind = ${kind}`)
  const isFresh = !isSearch || (known?.searched_at && now.getTime() - known.searched_at.getTime() < SEARCHED_EVERY_MS)
  if (known && isFresh) return known
  const [newest] = await db.query<{ id: string }>(
    sql`select s.id from ${source.table} s where s.team_id = ${team} order by s.id desc limit 1`,
  )
  const begin = newest && !isSandbox(team) ? firstIdAt(new Date(momentOf(newest.id).getTime() - SETTLE_MS)) : FIRST_ID
  const searchedAt = isSearch ? now : null
  const [written] = await db.query<Progress>(sql.write`
    insert into search_progress as p (team_id, kind, low, high, searched_at) values (${team}, ${kind}, ${begin}, ${begin}, ${searchedAt})
    on conflict (team_id, kind) do update set searched_at = coalesce(excluded.searched_at, p.searched_at)
    returning low, high`)
  return written!
}

/**
 * Documents of items that have changed. The notes are deleted first and the items read after that, under a lock that keeps them from being
 * deleted: a change that commits later has a note of its own. Who finds notes that somebody is at work on waits for their documents. False: there
 * are no notes.
 */
export function indexChanges(db: Database, team: string, source: SearchSource, limit: number): Promise<boolean> {
  return db.transaction(async (trx) => {
    const notes = await trx.query<{ id: string }>(sql.write`
      delete from search_changes where ctid = any (array(
        select c.ctid from search_changes c where c.team_id = ${team} and c.kind = ${source.kind} order by c.id limit ${limit} for update))
      returning id`)
    if (notes.length === 0) return false
    const ids = [...new Set(notes.map(({ id }) => id))].sort()
    await trx.query(sql`
      select s.id from ${source.table} s where s.team_id = ${team} and s.id = any (${ids}::uuid[]) order by s.id for key share`)
    await writeDocuments(trx, { team, source }, await source.read(trx, team, ids))
    return true
  })
}

/** Documents of items that say less than before: those that have one get another. */
export async function indexAgain(db: Database, team: string, source: SearchSource, ids: readonly string[]) {
  const known = [...(await findDocuments(db, { team, source }, ids))]
  if (known.length > 0) await writeDocuments(db, { team, source }, await source.read(pooled(db), team, known))
}

/** Deletes some documents of a range that are among `search_documents`. False: none is left. */
export async function deleteDocuments(
  db: Queryable,
  { team, kind, range: { from, to }, limit }: Scope & { readonly range: Span; readonly limit: number },
): Promise<boolean> {
  const rows = await db.query(sql.write`
    delete from search_documents where (team_id, kind, id) in (
      select team_id, kind, id from search_documents
      where team_id = ${team} and kind = ${kind} and id >= ${from}::uuid and id < ${to}::uuid limit ${limit})
    returning 1 as deleted`)
  return rows.length === limit
}

/** Items of a kind up to an id get documents again where they have none, from the newest to the oldest. */
export const indexOlder = (db: Queryable, kind: Kind, id: string) =>
  db.query(sql.write`update search_progress p set low = ${id}::uuid where p.kind = ${kind} and p.low < ${id}::uuid`)

interface Span {
  readonly from: string
  readonly to: string
}

/** Whose documents. */
interface Owner {
  readonly team: string
  readonly source: SearchSource
}

/**
 * Of items that are still there: one that was deleted since it was read would be found by its words for ever. In the order of their ids, so that two
 * who write the same ones do not wait for each other in a circle. What was read to write a first document may be older than what a note has led to.
 */
export async function writeDocuments(
  db: Queryable,
  { team, source }: Owner,
  documents: readonly SearchDocument[],
  { isFirst = false } = {},
): Promise<void> {
  if (documents.length === 0) return
  const rows = await inTurns(vectorsOf({ team, kind: source.kind }, documents))
  const ids = rows.map(({ id }) => id)
  const isKept = isFirst && source.isNoted
  await db.query(sql.write`
    with here as materialized (
      select s.id from ${source.table} s where s.team_id = ${team} and s.id = any (${ids}::uuid[]))
    insert into ${tableOf(source)} as d (${keyOf(source)}, words)
    select ${ownerOf(source, team)}, given.id, given.words::tsvector from ${rowsOf(rows, { id: 'uuid', words: 'text' })}
    where given.id in (select here.id from here) order by given.id
    on conflict (${keyOf(source)}) do update set words = excluded.words where ${isKept ? sql`false` : sql`d.words is distinct from excluded.words`}`)
}

function* vectorsOf(scope: Scope, documents: readonly SearchDocument[]): Steps<{ id: string; words: string }[]> {
  const rows: { id: string; words: string }[] = []
  for (const document of documents) {
    rows.push({ id: document.id, words: vectorOf(scope, document) })
    yield
  }
  return rows
}
