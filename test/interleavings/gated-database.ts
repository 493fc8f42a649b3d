import type pg from 'pg'
import type { Database, Transaction, Work } from '../../src/kernel/db/database.ts'
import type { Presence } from '../../src/kernel/db/presence.ts'
import type { Signals } from '../../src/kernel/db/signals.ts'
import type { Sql } from '../../src/kernel/db/sql.ts'
import { DatabaseAway } from '../../src/platform/database-errors.ts'
import type { Barriers } from './barriers.ts'
import type { Sessions } from './sessions.ts'

/**
 * What goes wrong with the next statement, or commit, of a node: it is never sent; it is sent and its answer is lost; or the node gives up on
 * it while it is on its way, and it is executed later.
 */
export type StatementFault = 'refused' | 'unanswered' | 'late'

/** Whose statements they are. */
export interface GatedNode {
  readonly name: string
  readonly isDead: boolean
  readonly presence: Presence
  readonly signals: Signals
  takeFault(among: readonly StatementFault[]): StatementFault | null
}

interface Parts {
  readonly real: Database
  readonly sessions: Sessions
  readonly barriers: Barriers
  readonly node: GatedNode
}

/** What a process waits for that is not there any more. */
const NEVER = new Promise<never>(() => {})

const connectionLost = () => new DatabaseAway('The connection is lost.')

/** Statements of one node: each stops at a barrier before it is sent, and another before its answer is heard. */
class GatedStatements {
  readonly #parts: Parts

  constructor(parts: Parts) {
    this.#parts = parts
  }

  query<Row>(statement: Sql): Promise<Row[]> {
    return this.#gated(labelOf(statement), async () => (await this.#parts.sessions.query<Row>(statement)).rows)
  }

  async transaction<Result>(work: Work<Result>): Promise<Result> {
    const { sessions, node, real } = this.#parts
    if (node.isDead) return NEVER
    const client = await sessions.take()
    const announced: string[] = []
    const trx: Transaction = {
      clock: real.clock,
      query: (statement) => this.#withinTransaction(client, statement) as never,
      announce: (channel) => announced.push(channel),
    }
    const result = await this.#commitAfter(client, () => work(trx))
    for (const channel of announced) node.signals.announce(channel)
    return result
  }

  async #commitAfter<Result>(client: pg.Client, work: () => Promise<Result>): Promise<Result> {
    const { sessions, node } = this.#parts
    let isLate = false
    const end = async (how: 'commit' | 'rollback') => {
      await sessions.send(client, how)
      sessions.giveBack(client)
    }
    try {
      await sessions.send(client, 'begin')
      const result = await work()
      return await this.#gated(
        'commit',
        async () => {
          await end('commit')
          return result
        },
        (sendLater) => {
          isLate = true
          void sendLater()
        },
      )
    } catch (error) {
      if (!isLate && !isEnded(error)) await end('rollback').catch(() => {})
      return node.isDead ? NEVER : Promise.reject(error)
    }
  }

  /** The connection ends with its process, and the transaction with it. */
  async #withinTransaction(client: pg.Client, statement: Sql): Promise<unknown[]> {
    const { sessions, barriers, node } = this.#parts
    const label = labelOf(statement)
    await barriers.pass(`${node.name}: ${label}`)
    if (node.isDead || node.takeFault(['refused'])) throw connectionLost()
    const { rows } = await sessions.send(client, statement)
    await barriers.pass(`${node.name}: answer to ${label}`)
    if (node.isDead) throw connectionLost()
    return rows
  }

  async #gated<Result>(
    label: string,
    send: () => Promise<Result>,
    leave: (sendLater: () => Promise<unknown>) => void = (sendLater) => void sendLater(),
  ): Promise<Result> {
    const { barriers, node } = this.#parts
    if (node.isDead) return NEVER
    await barriers.pass(`${node.name}: ${label}`)
    if (node.isDead) return label === 'commit' ? Promise.reject(connectionLost()) : NEVER
    const fault = node.takeFault(['refused', 'late'])
    if (fault === 'late')
      leave(async () => {
        await barriers.pass(`${node.name}: late ${label}`)
        await send().catch(() => {})
      })
    if (fault) throw connectionLost()
    const answer = await send().then(
      (result) => () => result,
      (error) => () => {
        throw error
      },
    )
    await barriers.pass(`${node.name}: answer to ${label}`)
    if (node.isDead) return NEVER
    if (node.takeFault(['unanswered'])) throw new Unanswered('The connection is lost.')
    return answer()
  }
}

/** Sent and executed: there is nothing to roll back. */
class Unanswered extends DatabaseAway {}

const isEnded = (error: unknown) => error instanceof Unanswered

const WORDS = /\b(?:insert into|update|delete from|select from|from) (\w+)/

/** Enough to tell statements apart in a report. */
function labelOf(statement: Sql): string {
  const text = statement.strings.join('?').replace(/\s+/g, ' ').trim()
  return `${text.split(' ', 1)[0]} ${WORDS.exec(text)?.[1] ?? ''}`.trim()
}

/** The database as a node has it. Behind the barriers is a real one. */
export function gatedDatabase(parts: Parts): Database {
  const statements = new GatedStatements(parts)
  const { presence, signals } = parts.node
  const query: Database['query'] = (statement) => statements.query(statement)
  const transaction: Database['transaction'] = (work) => statements.transaction(work)
  const own = { query, queryPooled: query, queryWriting: query, transaction, presence, signals }
  const view = parts.real.withClock(parts.real.clock)
  for (const [name, value] of Object.entries(own)) Object.defineProperty(view, name, { value })
  return view
}
