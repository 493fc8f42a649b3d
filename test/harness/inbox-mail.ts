import { peopleLines, peopleOf } from '../../src/features/inboxes/filing/people.ts'
import { searchDocument } from '../../src/features/inboxes/filing/search-document.ts'
import { rowsOf } from '../../src/kernel/db/rows.ts'
import { sql } from '../../src/kernel/db/sql.ts'
import type { App } from './app.ts'
import { newId } from './ids.ts'
import type { MadeInbox, ThreadToFile } from './inboxes.ts'

export interface MailToFind {
  readonly id?: string
  readonly thread?: string
  readonly from?: string
  readonly to?: readonly string[]
  readonly cc?: readonly string[]
  readonly bcc?: readonly string[]
  readonly subject?: string
  readonly text?: string
  readonly html?: string
  readonly files?: readonly string[]
  readonly folder?: ThreadToFile['folder']
  readonly createdAt?: Date
}

/** A received email as filing leaves it, which may be in another inbox already, in a thread of its own unless one is named, with all that it can be found by. */
export async function addMail(
  { db }: Pick<App, 'db'>,
  { team, id: inbox, address }: MadeInbox,
  { subject = 'Hello', text = '', html, files = [], folder = 'inbox', ...given }: MailToFind,
): Promise<{ thread: string; email: string }> {
  const id = given.id ?? newId()
  const message = {
    ...{ id, inbox, subject, text: text || (html ?? ''), cc: given.cc ?? [], bcc: given.bcc ?? [] },
    ...{ from: given.from ?? 'Ada <ada@example.net>', to: given.to ?? [address] },
    attachments: files.map((filename) => ({ id: newId(), filename, size: 1, content_type: 'application/pdf' })),
  }
  const createdAt = given.createdAt ?? new Date(Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16))
  const thread = given.thread ?? newId()
  const json = (value: unknown) => JSON.stringify(value)
  await db.transaction(async (trx) => {
    await trx.query(sql`select from inboxes where team_id = ${team} and id = ${inbox} for update`)
    await trx.query(sql`
      insert into inbox_threads (team_id, inbox_id, id, subject, folder, traffic, newest_id, shown_id, trashed_at, created_at)
      values (${team}, ${inbox}, ${thread}, ${subject}, ${folder}, 'inbound', ${id}, ${id},
        ${folder === 'trash' ? createdAt : null}, ${createdAt})
      on conflict (team_id, id) do update set newest_id = greatest(inbox_threads.newest_id, excluded.newest_id)`)
    await trx.query(sql`
      insert into inbox_messages (team_id, inbox_id, id, thread_id, direction, is_read, "from", "to", cc, bcc, reply_to, subject,
        "references", attachments, snippet, people, search, sent_at, created_at)
      values (${team}, ${inbox}, ${id}, ${thread}, 'inbound', false, ${message.from}, ${json(message.to)}, ${json(message.cc)},
        ${json(message.bcc)}, '[]', ${subject}, '[]', ${json(message.attachments)}, ${text.slice(0, 200)},
        ${peopleLines(message)}, ${searchDocument(message)}, ${createdAt}, ${createdAt})`)
    await trx.query(sql`
      insert into inbox_people (team_id, inbox_id, address, name, folded)
      select ${team}, ${inbox}, address, name, folded
      from ${rowsOf(peopleOf(message), { address: 'text', name: 'text', folded: 'text' })} on conflict do nothing`)
    await trx.query(sql`
      insert into received_emails (team_id, id, "from", "to", cc, bcc, reply_to, received_for, subject, envelope_from,
        client_address, helo, size, read_at, created_at)
      values (${team}, ${id}, ${message.from}, ${json(message.to)}, '[]', '[]', '[]', '[]', ${subject}, '', '', '', 1,
        ${createdAt}, ${createdAt}) on conflict do nothing`)
    await trx.query(sql`
      insert into received_bodies (team_id, received_id, headers, html, text, faults)
      values (${team}, ${id}, '[]', ${html ?? null}, ${text || null}, '[]') on conflict do nothing`)
  })
  return { thread, email: id }
}
