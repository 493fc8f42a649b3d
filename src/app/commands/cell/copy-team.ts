import { moves } from '../../../features/cells/index.ts'
import { requestBackfill } from '../../../features/metrics/index.ts'
import type { Transaction } from '../../../kernel/db/database.ts'
import { raw, sql } from '../../../kernel/db/sql.ts'
import { OperatorError } from '../command.ts'
import type { Kind } from '../export/catalogue.ts'
import type { InsertContext } from '../export/insert-rows.ts'
import { Scope } from '../export/scope.ts'
import type { Progress } from '../progress.ts'
import { type MovedKinds, WRITTEN_LATE } from './moved-kinds.ts'
import { beginSnapshot, countRows, isTooOld, notSeenBy, readBatches, readKeys, writtenAfter } from './read-rows.ts'
import { inTransaction, type Side, within } from './side.ts'
import { deleteOthers, insertLines, insertPeopleLines, replaceRows, resealSecrets } from './write-rows.ts'

const DUPLICATE = '23505'
const INTEGRITY = '23'

/** What each table of the team was like when it was last copied. */
interface CopiedKind {
  readonly snapshot: string
  readonly rows: number
}

/**
 * Copies a team from one cell to the other. A table is read in a snapshot of its own, so that none is open for long; what was written after it
 * is copied by the next pass. Rows that have gone are noticed by the number of rows. Which snapshot a table was copied in is kept in the
 * other cell, so that a command that was killed goes on with the table it was at.
 */
export class TeamCopy {
  readonly #from: Side
  readonly #to: Side
  readonly #team: string
  readonly #kinds: MovedKinds
  readonly #scope: Scope
  readonly #context: InsertContext
  readonly #progress: Progress
  readonly #copied = new Map<string, CopiedKind>()

  constructor(parts: { from: Side; to: Side; team: string; kinds: MovedKinds; progress: Progress }) {
    this.#from = parts.from
    this.#to = parts.to
    this.#team = parts.team
    this.#kinds = parts.kinds
    this.#progress = parts.progress
    this.#scope = new Scope(parts.team, parts.kinds.all)
    this.#context = { teams: [parts.team], exportedAt: parts.from.db.clock.now(), isFirst: false }
  }

  /** Copies what is not in the other cell yet, or not any more as it is here. Gives the number of rows. */
  async pass(): Promise<number> {
    await this.#copyPeople()
    const before = await moves.readCopied(within(this.#to), this.#team)
    let rows = 0
    for (const kind of this.#kinds.copied) rows += await this.#copyKind(kind, before[kind.name] ?? null)
    return rows
  }

  /**
   * The rest of a team that is held: the team itself, and what nobody may work on before it lives there. Gives the keys of that: at the switch it
   * must be the same.
   */
  async finish(): Promise<ReadonlySet<string>> {
    const teams = this.#kinds.all.find(({ name }) => name === 'teams')!
    await beginSnapshot(this.#from)
    const lines = await this.#readAll(teams)
    const parked = new Map<string, string[]>()
    for (const kind of this.#kinds.parked) parked.set(kind.name, await this.#readAll(kind))
    await this.#from.client.query('commit')
    await inTransaction(this.#to, async (trx) => {
      await trx.query(sql.write`delete from teams where id = ${this.#team}`)
      await trx.query(insertLines(teams, lines, this.#context))
      // Counters were written without the trigger that adds them up.
      await requestBackfill(trx, this.#team)
      await moves.deleteParked(trx, this.#team)
      for (const [kind, rows] of parked)
        if (rows.length > 0) await moves.parkRows(trx, this.#team, { kind, lines: rows })
    })
    return new Set([...parked].flatMap(([kind, rows]) => rows.map((row) => parkedKey(kind, JSON.parse(row)))))
  }

  async #readAll(kind: Kind): Promise<string[]> {
    const all: string[] = []
    for await (const lines of readBatches(this.#from, kind, { scope: this.#scope })) all.push(...lines)
    return all
  }

  /** The tables that have changed since the last pass, but for those that are written behind answers. */
  async changedSince(): Promise<string[]> {
    const changed: string[] = []
    for (const kind of this.#kinds.copied) {
      const { snapshot, rows } = this.#copied.get(kind.name)!
      if (WRITTEN_LATE.includes(kind.name)) continue
      const { rows: found } = await this.#from.client.query(`
        select count(*)::int as rows, count(*) filter (where ${notSeenBy(snapshot)})::int as changed
        from ${kind.name} where ${this.#scope.conditionOf(kind)}`)
      if (found[0].changed > 0 || found[0].rows !== rows) changed.push(kind.name)
    }
    return changed
  }

  /** Rows that were written here after the last pass are added there; those that are there stay as they are. Gives how many there were. */
  async addLate(): Promise<number> {
    const context = { ...this.#context, skipsExisting: true }
    const before = await moves.readCopied(within(this.#to), this.#team)
    let added = 0
    await this.#copyPeople()
    // With triggers: others have to learn of these.
    await this.#to.client.query('set session_replication_role = origin')
    for (const kind of this.#kinds.copied) {
      const snapshot = before[kind.name]
      if (snapshot === undefined) continue
      const condition = notSeenBy(snapshot)
      for await (const lines of readBatches(this.#from, kind, { scope: this.#scope, condition })) {
        added += await this.#addSome(kind, lines, context)
      }
    }
    return added
  }

  /** A row about something that was deleted there meanwhile has nowhere to go. */
  async #addSome(kind: Kind, lines: readonly string[], context: InsertContext): Promise<number> {
    try {
      const [done] = await within(this.#to).query<{ added: number }>(insertLines(kind, lines, context))
      return done!.added
    } catch (error) {
      if (!String((error as { code?: string }).code).startsWith(INTEGRITY)) throw error
      return 0
    }
  }

  /** Each time anew: somebody may have joined the team, and the session may be another one. */
  async #copyPeople() {
    await beginSnapshot(this.#from)
    await inTransaction(this.#to, async (trx) => {
      await trx.query(sql.write`delete from imported_people`)
      for (const kind of this.#kinds.people)
        for await (const lines of readBatches(this.#from, kind, { scope: this.#scope }))
          await trx.query((kind.name === 'users' ? insertPeopleLines : insertLines)(kind, lines, this.#context))
    })
    await this.#from.client.query('commit')
  }

  async #copyKind(kind: Kind, before: string | null): Promise<number> {
    const snapshot = await beginSnapshot(this.#from)
    const since = before !== null && !isTooOld(before, snapshot) ? writtenAfter(before) : 'true'
    const condition = this.#scope.conditionOf(kind)
    await resealSecrets({ from: this.#from, to: this.#to }, kind, condition)
    let { copied, isWhole } = await this.#copyRows(kind, since)
    const rows = await countRows(this.#from, kind, condition)
    const isSame = async () => (await countRows(this.#to, kind, condition)) === rows
    if (isWhole && !(await isSame()))
      await deleteOthers(this.#to, kind, { keys: readKeys(this.#from, kind, this.#scope), condition })
    if (!isWhole || !(await isSame())) {
      await within(this.#to).query(sql.write`delete from ${raw(kind.name)} where ${raw(condition)}`)
      ;({ copied, isWhole } = await this.#copyRows(kind, 'true'))
      if (!isWhole || !(await isSame()))
        throw new OperatorError(
          `The other cell does not take ${kind.name} of this team: it has other rows with the same keys.`,
        )
    }
    await this.#from.client.query('commit')
    await moves.noteCopied(within(this.#to), this.#team, { kind: kind.name, snapshot })
    this.#copied.set(kind.name, { snapshot, rows })
    return copied
  }

  /** Not whole: a row has the place of another one, which has gone or has changed. */
  async #copyRows(kind: Kind, condition: string): Promise<{ copied: number; isWhole: boolean }> {
    let copied = 0
    let isWhole = true
    for await (const lines of readBatches(this.#from, kind, { scope: this.#scope, condition })) {
      if (!isWhole) continue
      try {
        await replaceRows({ from: this.#from, to: this.#to }, kind, { lines, context: this.#context })
      } catch (error) {
        if ((error as { code?: string }).code !== DUPLICATE) throw error
        isWhole = false
      }
      copied += lines.length
      this.#progress.show(kind.name, copied)
    }
    return { copied, isWhole }
  }
}

/** Of a job, or of a pending event. What the search has still to read is read again by whoever looks. */
export const parkedKey = (kind: string, { id, event_id }: { id?: string; event_id?: string }) =>
  kind === 'search_changes' ? '' : `${kind} ${event_id ?? id}`

/** What waits becomes rows of its tables. */
export async function unparkRows(trx: Transaction, team: string, kinds: MovedKinds) {
  const context = { teams: [team], exportedAt: trx.clock.now(), isFirst: false }
  for (const { kind: name, lines } of await moves.parkedRows(trx, team)) {
    const kind = kinds.parked.find((one) => one.name === name)
    if (kind) await trx.query(insertLines(kind, [lines.slice(1, -1)], context))
  }
  await moves.deleteParked(trx, team)
}
