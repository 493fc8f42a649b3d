import type { MessageFile } from '../../src/features/inboxes/filing/message.ts'
import { peopleLines } from '../../src/features/inboxes/filing/people.ts'
import { searchDocument } from '../../src/features/inboxes/filing/search-document.ts'
import { sql } from '../../src/kernel/db/sql.ts'
import type { App, Client } from './app.ts'
import { receivingDomain } from './arriving.ts'
import { newId } from './ids.ts'

export interface MadeInbox {
  readonly team: string
  readonly id: string
  readonly address: string
  readonly path: string
}

/** An inbox of the client's team, on a domain of its own that receives. */
export async function makeInbox(client: Client, localPart = 'desk'): Promise<MadeInbox> {
  const { domain } = await receivingDomain(client)
  const address = `${localPart}@${domain}`
  const { status, body, text } = await client.post('/inboxes', { email_address: address })
  if (status !== 201) throw new Error(`no inbox: ${text}`)
  return { team: client.team, id: body.id, address, path: `/inboxes/${body.id}` }
}

export interface MessageToFile {
  readonly direction?: 'inbound' | 'outbound'
  readonly isRead?: boolean
  readonly from?: string
  readonly attachments?: readonly MessageFile[]
}

export interface ThreadToFile {
  readonly id?: string
  readonly subject?: string
  readonly folder?: 'inbox' | 'archive' | 'spam' | 'trash'
  readonly messages?: readonly MessageToFile[]
}

/** A thread as if its mail had arrived long ago: what filing writes, without the mail. The newest message is the last one. */
export async function addThread(
  app: Pick<App, 'db'>,
  inbox: Pick<MadeInbox, 'team' | 'id'>,
  { id, subject = 'Hello', folder = 'inbox', messages = [{}] }: ThreadToFile = {},
): Promise<{ id: string; emails: string[] }> {
  const { team } = inbox
  const emails = messages.map(newId)
  const newest = emails.at(-1)!
  const received = emails.filter((_email, n) => messages[n]!.direction !== 'outbound')
  const thread = id ?? newest
  const traffic = received.length === 0 ? 'outbound' : received.length === emails.length ? 'inbound' : 'both'
  await app.db.query(sql`
    insert into inbox_threads (team_id, inbox_id, id, subject, folder, traffic, newest_id, shown_id, trashed_at, created_at)
    values (${team}, ${inbox.id}, ${thread}, ${subject}, ${folder}, ${traffic}, ${newest}, ${received.at(-1) ?? newest},
      case when ${folder}::text = 'trash' then now() end, now())`)
  for (const [n, message] of messages.entries()) await addMessage(app, inbox, thread, emails[n]!, message)
  return { id: thread, emails }
}

/** Only the row of the message: the thread does not know that it is the newest. */
export async function addMessage(
  { db }: Pick<App, 'db'>,
  { team, id: inbox }: Pick<MadeInbox, 'team' | 'id'>,
  thread: string,
  id: string,
  { direction = 'inbound', isRead = direction === 'outbound', from, attachments = [] }: MessageToFile = {},
) {
  const people = {
    from: from ?? (direction === 'inbound' ? 'Ada <ada@example.net>' : 'desk@acme.example'),
    ...{ to: ['desk@acme.example'], cc: [], bcc: [] },
  }
  const search = searchDocument({ ...people, id, inbox, subject: 'Hello', attachments, text: 'Hi' })
  await db.query(sql`
    insert into inbox_messages (team_id, inbox_id, id, thread_id, direction, is_read, "from", "to", cc, bcc, reply_to,
      subject, message_id, "references", attachments, snippet, people, search, sent_at, created_at)
    values (${team}, ${inbox}, ${id}, ${thread}, ${direction}, ${isRead}, ${people.from}, ${JSON.stringify(people.to)},
      '[]', '[]', '[]', 'Hello', ${`<${id}@example.net>`}, '[]', ${JSON.stringify(attachments)}, 'How it begins',
      ${peopleLines(people)}, ${search}, now(), now())`)
}

/** As if they had never been. */
export async function forgetThread({ db }: Pick<App, 'db'>, { team }: Pick<MadeInbox, 'team'>, id: string) {
  await db.query(sql`delete from inbox_messages where team_id = ${team} and thread_id = ${id}`)
  await db.query(sql`delete from inbox_threads where team_id = ${team} and id = ${id}`)
}

/** Where the counts of an inbox are not what is really there: nothing, if all is well. */
export const wrongCounts = ({ db }: Pick<App, 'db'>, { team, id: inbox }: Pick<MadeInbox, 'team' | 'id'>) =>
  db.query(sql`
    with real as (
      select t.id, count(m.id)::int as emails, (count(*) filter (where not m.is_read))::int as unread,
        (count(*) filter (where m.attachments <> '[]'))::int as with_attachment,
        (select count(*) from inbox_drafts d where d.team_id = t.team_id and d.thread_id = t.id and d.sent_at is null)::int as drafts
      from inbox_threads t left join inbox_messages m on m.team_id = t.team_id and m.thread_id = t.id
      where t.team_id = ${team} and t.inbox_id = ${inbox} group by t.team_id, t.id)
    select to_json(t) as counted, to_json(real) as real from inbox_threads t join real using (id)
    where t.team_id = ${team}
      and (t.emails, t.unread, t.with_attachment, t.drafts) is distinct from (real.emails, real.unread, real.with_attachment, real.drafts)
    union all
    select to_json(i), to_json(really) from inboxes i, lateral (
      select (count(*) filter (where t.folder = 'inbox' and t.unread > 0))::int as unread,
        (select count(*) from inbox_drafts d where d.team_id = i.team_id and d.inbox_id = i.id and d.sent_at is null)::int as drafts
      from inbox_threads t where t.team_id = i.team_id and t.inbox_id = i.id) really
    where i.team_id = ${team} and i.id = ${inbox} and (i.unread, i.drafts) is distinct from (really.unread, really.drafts)`)
