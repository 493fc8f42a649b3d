import { raw, type Sql, sql } from '../../../kernel/db/sql.ts'

/** Where a thread can be moved to. */
export type Place = 'inbox' | 'archive' | 'spam' | 'trash'
/** Where it can be looked for: what was sent is in `sent` by itself. */
export type Folder = Place | 'sent'

type Traffic = 'inbound' | 'outbound' | 'both'

const RECEIVED: readonly Traffic[] = ['inbound', 'both']
const SENT: readonly Traffic[] = ['outbound', 'both']
const ANY: readonly Traffic[] = ['inbound', 'outbound', 'both']

/** Which threads each of them shows. One with mail in both directions is in `inbox` and in `sent`. */
const SHOWS: Record<Folder, readonly (readonly [Place, readonly Traffic[]])[]> = {
  inbox: [['inbox', RECEIVED]],
  sent: [
    ['inbox', SENT],
    ['archive', SENT],
  ],
  archive: [['archive', ANY]],
  spam: [['spam', ANY]],
  trash: [['trash', ANY]],
}

/** Conditions on `inbox_threads t`, of which a thread in these folders meets exactly one. An index has the rows of each in order. */
export function threadsIn(folders: readonly Folder[]): Sql[] {
  const pairs = folders.flatMap((folder) =>
    SHOWS[folder].flatMap(([place, traffic]) => traffic.map((one) => `t.folder = '${place}' and t.traffic = '${one}'`)),
  )
  return [...new Set(pairs)].sort().map(raw)
}

/** The id of a thread, or of the one that it has become part of. */
export const currentThread = (team: string, thread: string): Sql => sql`
  coalesce((select g.into_id from merged_inbox_threads g where g.team_id = ${team} and g.id = ${thread}), ${thread}::uuid)`
