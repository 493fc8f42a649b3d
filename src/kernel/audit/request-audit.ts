import { isId } from '../../platform/ids.ts'
import type { Database, Queryable, Transaction } from '../db/database.ts'
import type { Sql } from '../db/sql.ts'
import { TeamDatabase } from '../db/team-database.ts'
import { annotationOf } from './annotations.ts'
import { type AuditedRequest, recordRequest } from './record-request.ts'

/**
 * The database as a request has it whose endpoint is audited. The first transaction that changes something writes down who did what,
 * before it commits: neither is there without the other, and no act has to think of it. A statement that writes gets a transaction.
 */
export class AuditedDatabase extends TeamDatabase {
  readonly #request: AuditedRequest
  #isRecorded = false

  constructor(database: Database, request: AuditedRequest) {
    super(database, request.team)
    this.#request = request
  }

  override query<Row = Record<string, unknown>>(statement: Sql): Promise<Row[]> {
    if (this.#isRecorded || !isWriting(statement)) return super.query<Row>(statement)
    return this.transaction((trx) => trx.query<Row>(statement))
  }

  override queryWriting<Row = Record<string, unknown>>(statement: Sql): Promise<Row[]> {
    return this.#isRecorded ? super.queryWriting<Row>(statement) : this.transaction((trx) => trx.query<Row>(statement))
  }

  override async transaction<Result>(work: (trx: Transaction) => Promise<Result>): Promise<Result> {
    if (this.#isRecorded) return super.transaction(work)
    let isRecorded = false
    const result = await super.transaction(async (trx) => {
      const followed = new FollowedTransaction(trx)
      const done = await work(followed)
      isRecorded = await this.#record(trx, followed, done)
      return done
    })
    this.#isRecorded ||= isRecorded
    return result
  }

  async #record(trx: Transaction, followed: FollowedTransaction, result: unknown): Promise<boolean> {
    const annotation = annotationOf(followed)
    if (!followed.hasWritten && !annotation) return false
    const objectId = annotation?.objectId ?? idOf(result) ?? pathId(this.#request.params, followed.writtenId)
    // On the pipeline, which sees what this transaction has not committed as it was before.
    const before: Queryable = { clock: this.clock, query: (statement) => super.query(statement) }
    return recordRequest(trx, before, this.#request, { objectId, annotation })
  }
}

/** Sees what is written, and which row it was when it was one. */
class FollowedTransaction implements Transaction {
  readonly #trx: Transaction
  hasWritten = false
  writtenId: string | undefined

  constructor(trx: Transaction) {
    this.#trx = trx
  }

  get clock() {
    return this.#trx.clock
  }

  announce(channel: string) {
    this.#trx.announce(channel)
  }

  async query<Row = Record<string, unknown>>(statement: Sql): Promise<Row[]> {
    const rows = await this.#trx.query<Row>(statement)
    if (isWriting(statement)) {
      this.hasWritten = true
      if (rows.length === 1) this.writtenId ??= idOf(rows[0])
    }
    return rows
  }
}

// `for update` and `for no key update` only lock, and `do update` stands behind an insert.
const WRITES = /\b(?:insert|merge)\s+into\b|\bdelete\s+from\b|(?<!\b(?:for|key|do)\s+)\bupdate\s/i

/** The strings are the constant parts of the statement: what callers send is not among them. */
export const isWriting = ({ strings }: Sql): boolean => strings.some((piece) => WRITES.test(piece))

/** What an act returns is the object or its id, or a list when there could have been more of them. */
function idOf(result: unknown): string | undefined {
  const one: unknown = Array.isArray(result) && result.length === 1 ? result[0] : result
  const id = typeof one === 'object' && one !== null && 'id' in one ? one.id : one
  return typeof id === 'string' && isId(id) ? id : undefined
}

/** The last one in the path: `/audiences/:audienceId/contacts/:idOrEmail`. A name or an address there is not its id. */
function pathId(params: Readonly<Record<string, string>>, writtenId: string | undefined): string | undefined {
  const last = Object.values(params).at(-1)
  return last !== undefined && isId(last) ? last : (writtenId ?? last)
}
