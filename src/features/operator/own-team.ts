import type { Transaction } from '../../kernel/db/database.ts'
import { sql } from '../../kernel/db/sql.ts'
import type { Actor } from '../../kernel/http/actor.ts'
import { TEAMS_OF_PEOPLE } from '../teams/reads.ts'
import type { OperatorServices } from './services.ts'

/** Whose log has what an operator does to the installation: their own team's, or that of the installation when they are in none. */
export async function logTeamOf(trx: Transaction, services: OperatorServices, { team }: Actor): Promise<string> {
  const [own] = await trx.query(sql`select from ${TEAMS_OF_PEOPLE} t where id = ${team}`)
  return own ? team : services.systemTeam()
}
