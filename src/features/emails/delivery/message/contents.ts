import { MAX_ROW_BYTES } from '../../../../adapters/blobs/blob-store.ts'
import type { Database } from '../../../../kernel/db/database.ts'
import { sql } from '../../../../kernel/db/sql.ts'
import { withRetries } from '../../../../kernel/db/with-retries.ts'
import type { PreparedContent } from '../../../../mail/broadcast.ts'
import type { Variables } from '../../../../mail/personal.ts'
import type { Layout } from '../../../../mail/submitted/layout.ts'
import { Batcher } from '../../../../platform/concurrency/batcher.ts'
import type { MaybePromise } from '../../../../platform/concurrency/maybe-promise.ts'
import { JOIN_RECIPIENT } from '../../../broadcasts/reads.ts'
import { allUnpacked, type StoredBodies } from '../../reads.ts'
import type { Email } from '../email.ts'
import { type LoadedEmail, wanted } from '../ledger/load.ts'
import { BroadcastContents } from './broadcast-contents.ts'
import type { LoadedBroadcast } from './broadcasts.ts'

/** What an email says: all that can be large. */
export interface Content {
  readonly html: string | null
  readonly text: string | null
  readonly headers: Email['headers']
  readonly attachments: readonly {
    filename: string | null
    contentType: string
    contentId: string | null
    size: number
    blob: string
  }[]
  /** Of a recipient email: what it is made from, and what is its recipient's own. */
  readonly broadcastContent: PreparedContent | null
  readonly variables: Variables | null
  /** Of an email that leaves as it was submitted: the message, or where it is in the blob store. All of the above is null then. */
  readonly submitted: { readonly raw: Buffer | null; readonly blob: string | null; readonly layout: Layout } | null
}

type Row = Omit<Content, 'letter' | 'submitted'> & {
  readonly id: string
  readonly raw: Buffer | null
  readonly blob: string | null
  readonly layout: Layout | null
}

/** Small emails share a statement, and PostgreSQL's answer is in memory as a whole before it is taken apart. */
const STATEMENT_BYTES = 4 * 1024 * 1024
const STATEMENT_EMAILS = 100
const TRY_SECONDS = 60

const weigh = (email: LoadedEmail) => ({
  tenant: email.team,
  weight: Math.max(1, (storedBytes(email) * STATEMENT_EMAILS) / STATEMENT_BYTES),
})

/** Loads what emails say. Whoever asks has made sure that there is room for it. */
export class Contents {
  readonly #broadcastContents: BroadcastContents
  readonly #emails: Batcher<LoadedEmail, Row | undefined>
  /** Apart: a single email does not wait for the statement that copies of a broadcast share. */
  readonly #copies: Batcher<LoadedEmail, Row | undefined>

  constructor(db: Database) {
    this.#broadcastContents = new BroadcastContents(db)
    const batcher = (maxWrites: number) =>
      new Batcher((emails: readonly LoadedEmail[]) => loadRows(db, emails), {
        maxItems: STATEMENT_EMAILS,
        maxWrites,
        weigh,
      })
    this.#emails = batcher(3)
    this.#copies = batcher(1)
  }

  /** What went straight through has its content, but for what its broadcast says. */
  load(email: LoadedEmail): MaybePromise<Content> {
    const { content, broadcast } = email
    if (!content) return this.#load(email)
    return broadcast ? this.#complete(content, broadcast) : content
  }

  async #load(email: LoadedEmail): Promise<Content> {
    const { broadcast } = email
    const batcher = broadcast ? this.#copies : this.#emails
    const [row, broadcastContent] = await withRetries(
      () => Promise.all([batcher.add(email), broadcast ? this.#broadcastContents.of(broadcast) : null]),
      { seconds: TRY_SECONDS },
    )
    if (!row) throw new Error('The email was deleted')
    const { raw, blob, layout, ...rest } = row
    return { ...rest, broadcastContent, submitted: layout && { raw, blob, layout } }
  }

  async #complete(content: Content, broadcast: LoadedBroadcast): Promise<Content> {
    const load = () => this.#broadcastContents.of(broadcast)
    return { ...content, broadcastContent: await withRetries(load, { seconds: TRY_SECONDS }) }
  }
}

const storedBytes = ({ sizes }: LoadedEmail) =>
  sizes.head +
  (sizes.submitted > 0 ? Math.min(sizes.submitted, MAX_ROW_BYTES) : sizes.html + sizes.text) +
  sizes.attachmentRows +
  sizes.variables

async function loadRows(db: Database, emails: readonly LoadedEmail[]): Promise<(Row | undefined)[]> {
  const rows = await db.queryPooled<Row & StoredBodies>(sql`
    select e.id, e.headers, b.html, b.text, b.content, r.variables, m.raw, m.blob, m.layout,
      coalesce((select json_agg(json_build_object('filename', a.filename, 'contentType', a.content_type,
        'contentId', a.content_id, 'size', a.size, 'blob', a.blob) order by a.id)
        from email_attachments a where m.email_id is null and a.team_id = e.team_id and a.email_id = e.id), '[]') as attachments
    from ${wanted(emails)}
    join emails e using (team_id, id)
    left join submitted_messages m on m.team_id = e.team_id and m.email_id = e.id
    left join email_bodies b on m.email_id is null and b.team_id = e.team_id and b.email_id = e.id
    ${JOIN_RECIPIENT}`)
  const byId = new Map((await allUnpacked(rows)).map((row) => [row.id, row]))
  return emails.map(({ id }) => byId.get(id))
}
