import type { Queryable } from '../../../kernel/db/database.ts'
import { sql } from '../../../kernel/db/sql.ts'
import { shownFiles } from '../../../mail/quote/quote.ts'
import { newId } from '../../../platform/ids.ts'
import { attachments, type PreparedAttachment, type PreparedEmail } from '../../emails/index.ts'
import { attachmentsOf } from '../../emails/reads.ts'
import { receivedAttachmentsOf } from '../../inbound/reads.ts'
import { refusedFile, refuseTooMuch } from './files.ts'
import type { Original } from './original.ts'
import type { InboxesRepliesServices } from './services.ts'

/** A file of the email that is answered or forwarded. */
interface OriginalFile {
  readonly filename: string | null
  readonly content_type: string
  readonly content_id: string | null
  readonly size: number
  readonly blob: string
}

const FILE_COLUMNS = sql`a.filename, a.content_type, a.content_id, a.size::float8 as size, a.blob`

const findOriginalFiles = (db: Queryable, team: string, { id, direction }: Original) =>
  db.query<OriginalFile>(
    direction === 'inbound'
      ? sql`select ${FILE_COLUMNS} from ${receivedAttachmentsOf({ team, id })} order by a.id`
      : sql`select ${FILE_COLUMNS} from ${attachmentsOf({ team, id })} order by a.id`,
  )

/** With all files of what it forwards. Those that its html shows are part of it, and do not count as files. */
export async function withForwarded(
  services: InboxesRepliesServices,
  email: PreparedEmail,
  original: Original,
): Promise<PreparedEmail> {
  const files = await findOriginalFiles(services.db, email.team, original)
  const isShown = shownBy(email)
  const sizes = [...email.attachments, ...files].map(({ size }) => size)
  refuseTooMuch(sizes, files.filter(isShown).length)
  for (const { filename } of files) attachments.refuseExtension(filename ?? '')
  return carrying(services, email, files)
}

/** A reply shows the pictures of what it quotes, as long as they are small: nobody asked for them. */
const MAX_INLINE_IMAGES = 20
const MAX_INLINE_BYTES = 5 * 1024 * 1024

export async function withShown(
  services: InboxesRepliesServices,
  email: PreparedEmail,
  original: Original,
): Promise<PreparedEmail> {
  if (shownFiles(email.html).size === 0) return email
  const files = (await findOriginalFiles(services.db, email.team, original))
    .filter(shownBy(email))
    .slice(0, MAX_INLINE_IMAGES)
  const bytes = files.reduce((sum, { size }) => sum + size, 0)
  return bytes <= MAX_INLINE_BYTES ? carrying(services, email, files) : email
}

/** Whether the html shows a file of the original. What the email itself brings under the same name is what is meant. */
function shownBy({ html, attachments }: PreparedEmail) {
  const own = new Set(attachments.map(({ contentId }) => contentId?.toLowerCase()))
  const shown = shownFiles(html)
  return ({ content_id }: OriginalFile) => {
    const name = content_id?.toLowerCase()
    return name !== undefined && shown.has(name) && !own.has(name)
  }
}

/** Copies of the files, read when they are written: each email has its own. */
function carrying(
  { blobs, clock }: InboxesRepliesServices,
  email: PreparedEmail,
  files: readonly OriginalFile[],
): PreparedEmail {
  const isShown = shownBy(email)
  const copies = files.map((file): PreparedAttachment => {
    const id = newId(clock.of(email.team))
    return {
      id,
      filename: file.filename,
      contentType: TYPE.test(file.content_type) ? file.content_type : 'application/octet-stream',
      // What is not shown is attached, also when it had a name for being shown.
      contentId: isShown(file) && CONTENT_ID.test(file.content_id!) ? file.content_id : null,
      size: file.size,
      blob: attachments.blobOf({ team: email.team, emailId: email.id }, id),
      content: async () => {
        const content = await blobs.get(file.blob)
        if (!content)
          throw refusedFile(`The attachment \`${file.filename ?? ''}\` is not stored, and cannot be forwarded.`)
        return content
      },
    }
  })
  return { ...email, attachments: [...email.attachments, ...copies] }
}

// Untrusted text goes into a header of ours.
const TYPE = /^[\w.+-]{1,100}\/[\w.+-]{1,100}$/
const CONTENT_ID = /^[!-;=?-~]{1,127}$/
