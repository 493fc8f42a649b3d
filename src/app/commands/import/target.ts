import { KeyMaker } from '../../../features/domains/index.ts'
import type { DomainsServices } from '../../../features/domains/services.ts'
import { TeamStates } from '../../../features/limits/team-states.ts'
import type { Database, Transaction } from '../../../kernel/db/database.ts'
import { sql } from '../../../kernel/db/sql.ts'
import { type Actor, EVERYTHING } from '../../../kernel/http/actor.ts'
import { openSealer } from '../../../kernel/secrets.ts'
import type { Config } from '../../../platform/settings/config.ts'

/** Where an import writes: a team of this installation, whose service may be running. */
export interface Target {
  readonly db: Database
  readonly team: string
  readonly actor: Actor
  readonly services: DomainsServices
  readonly isDryRun: boolean
  /** Writes a batch in one transaction; of a dry run nothing stays. */
  write<Result>(work: (trx: Transaction) => Promise<Result>): Promise<Result>
}

export async function openTarget(
  whole: Database,
  { config, team, isDryRun }: { readonly config: Config; readonly team: string; readonly isDryRun: boolean },
): Promise<Target> {
  const db = await whole.forTeam(team, { share: 'jobs' })
  const teamStates = new TeamStates(whole)
  await teamStates.load()
  const actor: Actor = { team, identity: { kind: 'anonymous' }, permissions: EVERYTHING, domainId: null }
  const resolver = undefined as never // nothing is looked up here: the running service checks domains
  const sealer = await openSealer(whole, config)
  const services = { db, clock: db.clock, config, sealer, resolver, domainKeys: new KeyMaker(), teamStates }
  return {
    db,
    team,
    actor,
    services,
    isDryRun,
    write: (work) => (isDryRun ? tryOut(db, team, work) : write(db, team, work)),
  }
}

/** One batch of a team at a time, whoever writes: what is looked for before it is written is not written meanwhile by another import. */
const write = <Result>(db: Database, team: string, work: (trx: Transaction) => Promise<Result>): Promise<Result> =>
  db.transaction(async (trx) => {
    await trx.query(sql`select pg_advisory_xact_lock(hashtextextended(${`import:${team}`}, 0))`)
    return work(trx)
  })

class Undone extends Error {
  readonly result: unknown

  constructor(result: unknown) {
    super('a dry run writes nothing')
    this.result = result
  }
}

async function tryOut<Result>(db: Database, team: string, work: (trx: Transaction) => Promise<Result>) {
  try {
    return await write(db, team, async (trx) => {
      throw new Undone(await work(trx))
    })
  } catch (error) {
    if (error instanceof Undone) return error.result as Result
    throw error
  }
}
