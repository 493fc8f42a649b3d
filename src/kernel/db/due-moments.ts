import type { Sql } from './sql.ts'

/** What is due from the one moment to the other, both included. */
export interface Span {
  readonly from: Sql
  readonly to: Sql
}

/**
 * Where it is written down when something is due for teams. The table is its owner's; whoever moves the clock of a sandbox puts these
 * parts into statements of its own. They are for sandboxes: of those there are indexes by team.
 */
export interface DueMoments {
  /** Wakes those who work it off. */
  readonly channel: string
  /** The earliest that is not before a moment, in somebody's hands or not: a value. */
  first(team: Sql, from: Sql): Sql
  /** The latest of a span: a value. */
  last(team: Sql, span: Span): Sql
  /** Statements that move what nobody has in flight, `by` an interval, if the condition holds. */
  move(team: Sql, span: Span, change: { readonly by: Sql; readonly when: Sql }): readonly Sql[]
  /** Statements that move what else ends at a moment in real time, when the sandbox gets a time of its own. */
  moveEnds?(team: Sql, by: Sql): readonly Sql[]
}
