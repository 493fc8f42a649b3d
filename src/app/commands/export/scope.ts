import type { Kind } from './catalogue.ts'
import { EXPORTED_JOBS } from './exceptions.ts'
import { packedColumns } from './packed-lines.ts'

// Which rows an export has. COPY takes no parameters, so what comes from outside is checked before it becomes text.

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** One team, or all teams of people: neither that of the installation itself, nor sandboxes. */
export class Scope {
  readonly team: string | null
  readonly #kinds: readonly Kind[]

  constructor(team: string | null, kinds: readonly Kind[]) {
    if (team !== null && !UUID.test(team)) throw new Error(`Not the id of a team: ${team}`)
    this.team = team
    this.#kinds = kinds
  }

  /** The condition on a column with the id of a team. */
  #isOfTeams(column: string, type: 'uuid' | 'text' = 'uuid'): string {
    if (this.team !== null) return `${column} = '${this.team}'`
    return `${column} in (select t.id::${type} from teams t where not t.is_system and not t.is_sandbox)`
  }

  /** The people whom rows of the team name. Everybody, when all teams are exported. */
  #people(): string {
    if (this.team === null) return 'select id from users'
    return this.#kinds
      .filter(({ columns }) => columns.some(({ name }) => name === 'team_id'))
      .flatMap(({ name, people }) =>
        people.map((column) => `select ${column} from ${name} where ${this.#isOfTeams('team_id')}`),
      )
      .join(' union ')
  }

  conditionOf({ name, columns }: Kind): string {
    const special: Readonly<Record<string, () => string>> = {
      teams: () => this.#isOfTeams('id'),
      users: () => `id in (${this.#people()})`,
      passkeys: () => `user_id in (${this.#people()})`,
      oidc_identities: () => `user_id in (${this.#people()})`,
      oauth_clients: () =>
        this.team === null ? 'true' : `id in (select client_id from oauth_grants where ${this.#isOfTeams('team_id')})`,
      jobs: () =>
        `${this.#isOfTeams("payload ->> 'team'", 'text')} and name in (${EXPORTED_JOBS.map((job) => `'${job}'`).join(', ')})`,
      // One that is being handled has no answer yet; who asked repeats it.
      idempotency_keys: () => `${this.#isOfTeams('team_id')} and response is not null`,
    }
    const condition = special[name]
    if (condition) return condition()
    if (columns.some((column) => column.name === 'team_id')) return this.#isOfTeams('team_id')
    throw new Error(`Nothing says whose the rows of ${name} are`)
  }

  /** Its rows, each as a line of JSON. */
  linesOf(kind: Kind): string {
    const columns = kind.columns.map(({ name, type }) =>
      type === 'bytea' ? `translate(encode("${name}", 'base64'), e'\\n', '') as "${name}"` : `"${name}"`,
    )
    // A value of the type json is as it was written, with line breaks where PostgreSQL has put them.
    const hasJson = kind.columns.some(({ type }) => type === 'json')
    const line = hasJson ? `translate(row_to_json(r)::text, e'\\n\\r', '  ')` : 'row_to_json(r)::text'
    const rows = `select ${[...columns, ...packedColumns(kind)].join(', ')} from ${kind.name} where ${this.conditionOf(kind)}`
    return `select ${line} from (${rows} order by ${orderOf(kind)}) r`
  }

  /** The keys of its blobs. */
  blobsOf(kind: Kind, column: string): string {
    return `select ${column} from ${kind.name} where ${column} is not null and ${this.conditionOf(kind)}`
  }
}

/** Automations take events in the order of their acceptance. */
const orderOf = ({ name, primaryKey }: Kind) =>
  name === 'automation_events' ? 'seq' : primaryKey.map((column) => `"${column}"`).join(', ')
