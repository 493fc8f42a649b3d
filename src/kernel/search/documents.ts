import { raw, type Sql, sql } from '../db/sql.ts'
import type { SearchSource } from './source.ts'

type Kept = Pick<SearchSource, 'kind' | 'documents'>

/** What those of all other kinds are in. */
const SHARED = 'search_documents'

/** The table with the documents of a kind. */
export const tableOf = ({ documents }: Kept): Sql => raw(documents ?? SHARED)

/** Whether a document `d` is of a team and a kind. */
export const isOf = ({ kind, documents }: Kept, team: string): Sql =>
  documents === undefined ? sql`d.team_id = ${team} and d.kind = ${kind}` : sql`d.team_id = ${team}`

/** The columns of their key. */
export const keyOf = ({ documents }: Kept): Sql => (documents === undefined ? sql`team_id, kind, id` : sql`team_id, id`)

/** The values of the key before the id, behind each other. */
export const ownerOf = ({ kind, documents }: Kept, team: string): Sql =>
  documents === undefined ? sql`${team}::uuid, ${kind}` : sql`${team}::uuid`

/** Under what name it is written down how far documents have come. Programs from before tables by time go on with their own, under the kind. */
export const progressOf = ({ kind, documents }: Kept): string => documents ?? kind
