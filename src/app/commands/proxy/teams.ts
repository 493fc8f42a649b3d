import { createHmac } from 'node:crypto'
import { insertApiKey } from '../../../features/api-keys/queries.ts'
import { ensureTeam } from '../../../features/teams/queries.ts'
import type { Database } from '../../../kernel/db/database.ts'
import { sql } from '../../../kernel/db/sql.ts'
import type { Sealer } from '../../../kernel/secrets.ts'
import { hashKey } from './key-hash.ts'

/** One API key of the upstream, on our side. */
export interface ShadowTeam {
  readonly id: string
  /** Our own key for it. */
  readonly token: string
}

/** What keys of the upstream are hashed with. */
export const keyHashSecret = (sealer: Sealer) => sealer.deriveKey('shadow-keys')

const MAX_HASH_CHARACTERS_IN_NAME = 12

/** A team of our own for each key of the upstream, so that no key is kept and none sees what another does. */
export class ShadowTeams {
  readonly #db: Database
  readonly #sealer: Sealer
  readonly #known = new Map<string, Promise<ShadowTeam>>()

  constructor(db: Database, sealer: Sealer) {
    this.#db = db
    this.#sealer = sealer
  }

  of(keyHash: string): Promise<ShadowTeam> {
    let team = this.#known.get(keyHash)
    if (!team) {
      team = this.#open(keyHash)
      this.#known.set(keyHash, team)
      team.catch(() => this.#known.delete(keyHash))
    }
    return team
  }

  /** A key that the application has just made at the upstream acts for the same account. */
  async addKey(key: string, team: ShadowTeam) {
    await this.#save(hashKey(keyHashSecret(this.#sealer), key), team.id)
  }

  async #open(keyHash: string): Promise<ShadowTeam> {
    const [row] = await this.#db.query<{ team_id: string }>(sql`
      select team_id from shadow_teams where key_hash = ${keyHash}`)
    const id =
      row?.team_id ?? (await ensureTeam(this.#db, `Shadow ${keyHash.slice(0, MAX_HASH_CHARACTERS_IN_NAME)}`)).id
    if (!row) await this.#save(keyHash, id)
    const token = this.tokenOf(id)
    await insertApiKey(this.#db, id, { name: 'Shadow', permission: 'full_access', token })
    return { id, token }
  }

  #save(keyHash: string, team: string) {
    return this.#db.query(sql.write`
      insert into shadow_teams (key_hash, team_id) values (${keyHash}, ${team}) on conflict (key_hash) do nothing`)
  }

  /** The same at each start, so that it need not be kept. */
  tokenOf(team: string): string {
    const digest = createHmac('sha256', this.#sealer.deriveKey('shadow-tokens')).update(team).digest('base64url')
    return `re_${digest.slice(0, 8)}_${digest}`
  }
}
