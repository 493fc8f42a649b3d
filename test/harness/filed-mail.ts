import type { Database } from '../../src/kernel/db/database.ts'
import { sql } from '../../src/kernel/db/sql.ts'
import { newId } from '../../src/platform/ids.ts'
import type { App, Client } from './app.ts'
import { arrive, receivingTeam } from './arriving.ts'

/** An inbox of a team of its own. */
export async function inboxOf(app: App, name: string, local = 'support') {
  const { client, domain } = await receivingTeam(app, name)
  const address = `${local}@${domain}`
  const { body } = await client.post('/inboxes', { email_address: address })
  return { client, domain, address, id: body.id as string }
}

export interface Letter {
  readonly from?: string
  readonly to?: string
  readonly cc?: string
  readonly subject?: string
  readonly id?: string
  readonly references?: readonly string[]
  readonly inReplyTo?: string
  readonly replyTo?: string
  readonly date?: Date
  readonly headers?: readonly string[]
  readonly body?: string
}

let written = 0

/** A message as another server hands it over. */
export function letter({
  from = 'Ada <ada@example.net>',
  to = 'support@inbox.example',
  subject = `Question ${++written}`,
  id = `<letter-${++written}@example.net>`,
  ...more
}: Letter = {}): Buffer {
  const lines = [
    `From: ${from}`,
    `To: ${to}`,
    ...(more.cc ? [`Cc: ${more.cc}`] : []),
    ...(more.replyTo ? [`Reply-To: ${more.replyTo}`] : []),
    `Subject: ${subject}`,
    `Message-ID: ${id}`,
    `Date: ${(more.date ?? new Date('2026-11-15T01:20:30Z')).toUTCString()}`,
    ...(more.references?.length ? [`References: ${more.references.join('\r\n ')}`] : []),
    ...(more.inReplyTo ? [`In-Reply-To: ${more.inReplyTo}`] : []),
    'MIME-Version: 1.0',
    ...(more.headers ?? ['Content-Type: text/plain; charset=utf-8']),
  ]
  return Buffer.from(`${lines.join('\r\n')}\r\n\r\n${more.body ?? 'Hello.\r\n'}`)
}

/** Has letters received and read, for one address, and filed. Gives their ids. */
export async function receive(
  app: App,
  to: string | readonly string[],
  ...letters: readonly Letter[]
): Promise<string[]> {
  const ids = await arriveAll(app, to, letters)
  await app.runDueJobs()
  await app.fileMail()
  return ids
}

/** The same without filing them. */
export async function arriveAll(
  app: App,
  to: string | readonly string[],
  letters: readonly Letter[],
): Promise<string[]> {
  const ids: string[] = []
  for (const one of letters) ids.push((await arrive(app, letter(one), { to: [to].flat() })).message)
  return ids
}

export interface StoredMessage {
  readonly id: string
  readonly thread: string
  readonly direction: string
  readonly subject: string | null
  readonly snippet: string
  readonly sent_at: Date
}

/** What is in an inbox, the oldest first. */
export const messagesIn = (app: App, { team }: Pick<Client, 'team'>, inbox: string) =>
  app.db.query<StoredMessage>(sql`
    select id, thread_id as thread, direction, subject, snippet, sent_at from inbox_messages
    where team_id = ${team} and inbox_id = ${inbox} order by id`)

export interface StoredThread {
  readonly id: string
  readonly subject: string | null
  readonly folder: string
  readonly traffic: string
  readonly labels: readonly string[]
  readonly emails: number
  readonly unread: number
  readonly with_attachment: number
  readonly drafts: number
  readonly newest_id: string
  readonly shown_id: string
}

export const threadsIn = (app: App, { team }: Pick<Client, 'team'>, inbox: string) =>
  app.db.query<StoredThread>(sql`
    select id, subject, folder, traffic, labels, emails, unread, with_attachment, drafts, newest_id, shown_id
    from inbox_threads where team_id = ${team} and inbox_id = ${inbox} order by id`)

/** Threads as sets of positions: which of the messages are together. */
export function partition(messages: readonly StoredMessage[], ids: readonly string[]): number[][] {
  const groups = new Map<string, number[]>()
  for (const [index, id] of ids.entries()) {
    const { thread } = messages.find((message) => message.id === id)!
    groups.set(thread, [...(groups.get(thread) ?? []), index])
  }
  return [...groups.values()].sort((a, b) => a[0]! - b[0]!)
}

export interface BroughtMail {
  readonly receivedFor: readonly string[]
  readonly from?: string
  readonly to?: readonly string[]
  readonly subject?: string
  readonly messageId?: string
  readonly references?: readonly string[]
  readonly date?: Date
  readonly text?: string
  readonly html?: string
}

/** Mail as if it had been received and read, many at once; it waits to be filed. Gives their ids. */
export async function bringMail(db: Database, team: string, mails: readonly BroughtMail[]): Promise<string[]> {
  const clock = db.clock.of(team)
  const rows = mails.map(({ receivedFor, from = 'Ada <ada@example.net>', to = receivedFor, ...mail }) => {
    const id = newId(clock)
    const messageId = mail.messageId ?? `<${id}@example.net>`
    const headers = [
      ...(mail.references?.length ? [{ name: 'references', value: mail.references.join(' ') }] : []),
      { name: 'date', value: (mail.date ?? clock.now()).toUTCString() },
    ]
    const subject = mail.subject ?? 'Hello'
    const { text = null, html = null } = mail
    return { id, event: newId(clock), from, to, receivedFor, subject, messageId, headers, text, html }
  })
  const now = clock.now()
  const none = sql`'[]'`
  await db.queryPooled(sql`
    with given as materialized (select * from json_to_recordset(${JSON.stringify(rows)}::json) as given (
      id uuid, event uuid, "from" text, "to" jsonb, "receivedFor" jsonb, subject text, "messageId" text, headers jsonb, text text, html text)),
    emails as (
      insert into received_emails (team_id, id, "from", "to", cc, bcc, reply_to, received_for, subject, message_id, envelope_from,
        client_address, helo, size, read_at, created_at)
      select ${team}, id, "from", "to", ${none}, ${none}, ${none}, "receivedFor", subject, "messageId", '', '192.0.2.1', 'x', 1000, ${now}, ${now}
      from given),
    bodies as (
      insert into received_bodies (team_id, received_id, headers, html, text, faults)
      select ${team}, id, headers, html, text, ${none} from given)
    insert into outbox (team_id, id, type, data, created_at)
    select ${team}, event, 'email.received', json_build_object('email_id', id, 'received_for', "receivedFor"), ${now} from given`)
  return rows.map(({ id }) => id)
}
