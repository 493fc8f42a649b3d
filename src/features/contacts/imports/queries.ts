import type { Static } from 'typebox'
import type { Database, Queryable } from '../../../kernel/db/database.ts'
import { sql } from '../../../kernel/db/sql.ts'
import { columnsOf } from '../../../kernel/http/columns.ts'
import type { Rows } from '../../../kernel/http/rows.ts'
import type { Expired } from '../../../kernel/jobs/retention.ts'
import { ContactImport, type Counts, type ImportFilter, type ImportPlan } from './schema.ts'

/** A piece of an upload. Every piece but the last has just this size, so that a byte's place tells its piece. */
export const PIECE_BYTES = 512 * 1024

const COLUMNS = columnsOf(ContactImport, 'i', {
  counts: sql`json_build_object('total', i.total, 'created', i.created, 'updated', i.updated, 'skipped', i.skipped, 'failed', i.failed)`,
})

export const contactImportRows = (team: string, { status }: Static<typeof ImportFilter> = {}): Rows => ({
  columns: COLUMNS,
  from: sql`contact_imports i`,
  where: sql`i.team_id = ${team} and ${status === undefined ? sql`true` : sql`i.status = ${status}`}`,
  id: sql`i.id`,
})

export const insertPiece = (
  db: Queryable,
  team: string,
  { id, position, content }: { id: string; position: number; content: Buffer },
) =>
  db.query(sql.write`
    insert into contact_import_pieces (team_id, import_id, position, content, created_at)
    values (${team}, ${id}, ${position}, ${content}, ${db.clock.now()})`)

export async function findPiece(db: Database, team: string, id: string, position: number): Promise<Buffer | undefined> {
  const [piece] = await db.queryPooled<{ content: Buffer }>(sql`
    select content from contact_import_pieces where team_id = ${team} and import_id = ${id} and position = ${position}`)
  return piece?.content
}

export const deletePieces = (db: Queryable, team: string, id: string) =>
  db.query(sql.write`delete from contact_import_pieces where team_id = ${team} and import_id = ${id}`)

/** Uploads that never became an import, because the client or the process went away in the middle. */
export async function deleteAbandonedPieces(db: Queryable, { moment: before, limit }: Expired): Promise<boolean> {
  const rows = await db.query(sql.write`
    delete from contact_import_pieces where (team_id, import_id, position) in (
      select team_id, import_id, position from contact_import_pieces p
      where p.created_at < ${before}
        and not exists (select 1 from contact_imports i where i.team_id = p.team_id and i.id = p.import_id)
      limit ${limit})
    returning position`)
  return rows.length === limit
}

export const insertImport = (
  db: Queryable,
  team: string,
  { id, plan, readTo }: { id: string; plan: ImportPlan; readTo: number },
) =>
  db.query(sql.write`
    insert into contact_imports (team_id, id, settings, read_to, created_at)
    values (${team}, ${id}, ${plan}, ${readTo}, ${db.clock.of(team).now()})`)

/** The import as the job finds it; undefined when there is nothing left to do. */
export async function beginImport(db: Queryable, team: string, id: string) {
  const [row] = await db.query<{ plan: ImportPlan; readTo: number; total: number; failed: number }>(sql.write`
    update contact_imports set status = 'in_progress'
    where team_id = ${team} and id = ${id} and status in ('queued', 'in_progress')
    returning settings as plan, read_to::float8 as "readTo", total::float8 as total, failed::float8 as failed`)
  return row
}

type Outcome = Omit<Static<typeof Counts>, 'total'>

/** Moves on from one place in the file to the next. False: somebody else has already gone on from here. */
export async function advanceImport(
  db: Queryable,
  team: string,
  id: string,
  step: { from: number; to: number; outcome: Outcome },
): Promise<boolean> {
  const { created, updated, skipped, failed } = step.outcome
  const rows = await db.query(sql.write`
    update contact_imports set read_to = ${step.to}, total = total + ${created + updated + skipped + failed},
      created = created + ${created}, updated = updated + ${updated}, skipped = skipped + ${skipped}, failed = failed + ${failed}
    where team_id = ${team} and id = ${id} and status = 'in_progress' and read_to = ${step.from}
    returning id`)
  return rows.length > 0
}

export const endImport = (db: Queryable, team: string, id: string, status: 'completed' | 'failed') =>
  db.query(sql.write`
    update contact_imports set status = ${status}, completed_at = ${db.clock.of(team).now()}
    where team_id = ${team} and id = ${id} and status in ('queued', 'in_progress')`)
