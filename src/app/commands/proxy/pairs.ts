import type { Database } from '../../../kernel/db/database.ts'
import { sql } from '../../../kernel/db/sql.ts'
import type { KnownIds } from './compare.ts'

/** An object of the upstream, and the same object on our side. */
export interface NewPair {
  readonly theirs: string
  readonly ours: string
}

interface Pair extends NewPair {
  readonly started_ms: number
  readonly ended_ms: number
}

/** When the call ran that made an object, or showed it. */
export interface CallTime {
  readonly startedAt: number
  readonly endedAt: number
}

/** Tables of the shadow's own database, and of no other: they are no part of the product's schema. */
export async function createShadowTables(db: Database) {
  await db.query(sql`
    create table if not exists shadow_pairs (
      team_id uuid not null, theirs uuid not null, ours uuid not null,
      started_ms double precision not null, ended_ms double precision not null,
      primary key (team_id, theirs))`)
  await db.query(sql`create index if not exists shadow_pairs_theirs on shadow_pairs ((theirs::text))`)
  await db.query(sql`
    create table if not exists shadow_teams (key_hash text primary key, team_id uuid not null)`)
}

/** Which object of ours is which of the upstream. */
export class Pairs {
  readonly #db: Database

  constructor(db: Database) {
    this.#db = db
  }

  async load(team: string, theirIds: readonly string[]): Promise<LoadedPairs> {
    const rows =
      theirIds.length === 0
        ? []
        : await this.#db.query<Pair>(sql`
            select theirs, ours, started_ms, ended_ms from shadow_pairs
            where team_id = ${team} and theirs = any(${theirIds}::uuid[])`)
    return new LoadedPairs(rows)
  }

  /** Of whoever it is: an event comes without a key. */
  async find(theirs: string): Promise<{ team: string; ours: string } | undefined> {
    const [row] = await this.#db.query<{ team: string; ours: string }>(sql`
      select team_id as team, ours from shadow_pairs where theirs::text = ${theirs} limit 1`)
    return row
  }

  async add(team: string, pairs: readonly NewPair[], { startedAt, endedAt }: CallTime) {
    if (pairs.length === 0) return
    await this.#db.query(sql.write`
      insert into shadow_pairs (team_id, theirs, ours, started_ms, ended_ms)
      select ${team}, p.theirs, p.ours, ${startedAt}, ${endedAt}
      from unnest(${pairs.map(({ theirs }) => theirs)}::uuid[], ${pairs.map(({ ours }) => ours)}::uuid[]) p (theirs, ours)
      on conflict (team_id, theirs) do nothing`)
  }
}

/** Those that one call needs. */
export class LoadedPairs implements KnownIds {
  readonly #pairs = new Map<string, Pair>()

  constructor(pairs: readonly Pair[]) {
    for (const pair of pairs) this.#pairs.set(pair.theirs, pair)
  }

  ourIdOf(theirs: string): string | undefined {
    return this.#pairs.get(theirs.toLowerCase())?.ours
  }

  mayBeInAnyOrder(theirs: string, other: string): boolean {
    const [a, b] = [this.#pairs.get(theirs.toLowerCase()), this.#pairs.get(other.toLowerCase())]
    return a !== undefined && b !== undefined && a.started_ms < b.ended_ms && b.started_ms < a.ended_ms
  }

  add(pairs: readonly NewPair[], { startedAt, endedAt }: CallTime) {
    for (const { theirs, ours } of pairs)
      this.#pairs.set(theirs.toLowerCase(), { theirs, ours, started_ms: startedAt, ended_ms: endedAt })
  }
}
