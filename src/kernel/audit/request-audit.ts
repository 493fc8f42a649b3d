import { isId } from '../../platform/ids.ts'
import type { Change, ChangeRecorder, Queryable, Transaction } from '../db/database.ts'
import type { Sql } from '../db/sql.ts'
import { annotationOf } from './annotations.ts'
import { type AuditedRequest, recordRequest } from './record-request.ts'

/**
 * Of a request whose endpoint is audited. The first transaction that changes something writes down who did what, before it commits:
 * neither is there without the other, and no act has to think of it. A statement that writes gets a transaction.
 */
export class RequestAudit implements ChangeRecorder {
  readonly #describe: () => AuditedRequest
  isDone = false

  /** What is to be said of the request is asked for when there is something to say: its body is read later. */
  constructor(describe: () => AuditedRequest) {
    this.#describe = describe
  }

  async record<Result>({ work, begin, before }: Change<Result>): Promise<Result> {
    let isRecorded = false
    const result = await begin(async (trx) => {
      const followed = new FollowedTransaction(trx)
      const done = await work(followed)
      isRecorded = await this.#write(trx, { followed, before, result: done })
      return done
    })
    this.isDone ||= isRecorded
    return result
  }

  async #write(
    trx: Transaction,
    { followed, before, result }: { followed: FollowedTransaction; before: Queryable; result: unknown },
  ): Promise<boolean> {
    const annotation = annotationOf(followed)
    if (!followed.hasWritten && !annotation) return false
    const request = this.#describe()
    const objectId = annotation?.objectId ?? idOf(result) ?? pathId(request.params, followed.writtenId)
    return recordRequest(trx, before, request, { objectId, annotation })
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
    if (statement.isWrite) {
      this.hasWritten = true
      if (rows.length === 1) this.writtenId ??= idOf(rows[0])
    }
    return rows
  }
}

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
