import type { Static } from 'typebox'
import type { Queryable, Transaction } from '../../../kernel/db/database.ts'
import { type Actor, userOf } from '../../../kernel/http/actor.ts'
import type { JsonText } from '../../../kernel/http/endpoint.ts'
import { inPieces } from '../../../kernel/http/long-answer.ts'
import { found, Problem } from '../../../kernel/http/problem.ts'
import { findSentShown } from '../../emails/index.ts'
import { findReceived, presentShown } from '../../inbound/index.ts'
import { emailOf, findMemberEmail } from '../../people/memberships.ts'
import { requireInbox, sourceOf } from '../actions.ts'
import { assignThreads, markThreads, moveThreads, type ThreadsRef } from '../filing/changes.ts'
import { lockInbox } from '../filing/lock.ts'
import { findThreadEmail } from './email-queries.ts'
import { findThread, type InboxRef } from './queries.ts'
import type { InboxEmail, Thread, UpdateThread } from './schema.ts'
import type { InboxesThreadsServices } from './services.ts'

export interface ThreadPath {
  readonly inbox: string
  readonly thread: string
}

type ShownThread = Static<typeof Thread>

/** The inbox and the thread that a path names. */
export async function requireThread(
  db: Queryable,
  team: string,
  path: ThreadPath,
): Promise<{ ref: InboxRef; thread: ShownThread }> {
  const { id: inbox } = await requireInbox(db, team, path.inbox)
  const ref = { team, inbox }
  return { ref, thread: found(await findThread(db, ref, path.thread), 'Thread') }
}

/** The same, and it stays as it is until the transaction ends. */
export async function lockThread(trx: Transaction, team: string, path: ThreadPath) {
  const { id: inbox } = await requireInbox(trx, team, path.inbox)
  await lockInbox(trx, team, inbox)
  const { id: thread } = found(await findThread(trx, { team, inbox }, path.thread), 'Thread')
  return { team, inbox, thread }
}

export async function changeThread(
  { db }: InboxesThreadsServices,
  actor: Actor,
  path: ThreadPath,
  changes: Static<typeof UpdateThread>,
): Promise<ShownThread> {
  return db.transaction(async (trx) => {
    const ref = await lockThread(trx, actor.team, path)
    await applyChanges(trx, { ...ref, threads: [ref.thread] }, { actor, changes })
    return (await findThread(trx, ref, ref.thread))!
  })
}

/** Changes threads of an inbox that is locked. */
export async function applyChanges(
  trx: Transaction,
  ref: ThreadsRef,
  { actor, changes }: { readonly actor: Actor; readonly changes: Static<typeof UpdateThread> },
) {
  const { read, folder, assignee_email } = changes
  const source = sourceOf(actor)
  if (assignee_email !== undefined) {
    const assignee = assignee_email === null ? null : await requireMember(trx, actor.team, assignee_email)
    await assignThreads(trx, ref, { assignee, by: await addressOf(trx, actor), source })
  }
  if (folder !== undefined) await moveThreads(trx, ref, folder, source)
  if (read !== undefined) await markThreads(trx, ref, read, source)
}

/** Whether this call has moved it there. */
export async function trashThread({ db }: InboxesThreadsServices, actor: Actor, path: ThreadPath) {
  return db.transaction(async (trx) => {
    const ref = await lockThread(trx, actor.team, path)
    const moved = await moveThreads(trx, { ...ref, threads: [ref.thread] }, 'trash', sourceOf(actor))
    return { id: ref.thread, deleted: moved.length > 0 }
  })
}

/** The address of a member as the team knows it. */
export async function requireMember(db: Queryable, team: string, email: string): Promise<string> {
  const member = await findMemberEmail(db, team, email)
  if (member !== undefined) return member
  throw new Problem(
    'validation_error',
    'Invalid `assignee_email` field. It must be the address of a member of the team.',
  )
}

/** Of the person who acts; keys are nobody. */
async function addressOf(db: Queryable, actor: Actor): Promise<string | null> {
  const userId = userOf(actor)
  return userId === null ? null : ((await emailOf(db, userId)) ?? null)
}

type ShownEmail = Static<typeof InboxEmail>

/** With its bodies, and the images that it shows. They may be gone before the thread is. */
export async function readThreadEmail(
  services: InboxesThreadsServices,
  actor: Actor,
  path: ThreadPath & { readonly email: string },
): Promise<ShownEmail | JsonText | AsyncIterable<string>> {
  const { db } = services
  const { team } = actor
  const { ref, thread } = await requireThread(db, team, path)
  const email = found(await findThreadEmail(db, ref, thread.id, path.email), 'Email')
  if (email.direction === 'inbound') {
    const row = await findReceived(services, team, email.id)
    return row ? presentShown(services, team, row, email) : { ...email, html: null, text: null }
  }
  const sent = await findSentShown(services, team, email.id)
  return inPieces({ ...email, html: sent?.html ?? null, text: sent?.text ?? null })
}
