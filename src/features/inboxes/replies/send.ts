import type { Transaction } from '../../../kernel/db/database.ts'
import type { Actor } from '../../../kernel/http/actor.ts'
import { found, Problem } from '../../../kernel/http/problem.ts'
import { KeyTaken } from '../../../kernel/idempotency/idempotency.ts'
import type { IdempotentRequest } from '../../../kernel/idempotency/queries.ts'
import { asText } from '../../../mail/parse/mailboxes.ts'
import type { Submission } from '../../emails/delivery/acceptance/accept.ts'
import { type PreparedEmail, prepare, submitEmails } from '../../emails/index.ts'
import type { EmailRequest } from '../../emails/schema.ts'
import type { StoredInbox } from '../actions.ts'
import { lockInbox } from '../filing/lock.ts'
import { fileNow } from '../filing/now.ts'
import { recordSending, type Sending } from '../filing/sendings.ts'
import { findThreadOf } from './original.ts'
import type { InboxesRepliesServices } from './services.ts'

/** Who sends, and from where. */
export interface Sender {
  readonly actor: Actor
  readonly inbox: StoredInbox
  readonly source: Sending['source']
  /** Set: commits together with the email, and what it throws rolls back all of it. The inbox is locked before. */
  alongside?(trx: Transaction): Promise<void>
}

/** An email that is to be sent from an inbox. */
export interface Outgoing {
  readonly idempotent: IdempotentRequest | null
  readonly email: PreparedEmail
  /** What it answers or forwards: it stays in the thread of that. */
  readonly about: string | null
  /** Set: the draft that it was, which changes in the transaction that accepts the email. */
  readonly draft?: DraftChanges
}

export interface DraftChanges {
  readonly id: string
  /** Before the email is accepted: refuses what has changed, and lets go of the files. */
  release(trx: Transaction): Promise<void>
  /** When it is accepted. Gives the draft if there is no event yet: its thread is not known before it is filed. */
  settle(trx: Transaction): Promise<object | null>
}

export interface SentEmail {
  readonly email_id: string
}

/**
 * Sends an email from an inbox. The email, where it belongs, and what becomes of its draft commit together, so that nothing is sent
 * twice or lost, whenever a process dies. The inbox is locked first, as everybody does who changes something in it.
 */
export const sendFromInbox = (
  services: InboxesRepliesServices,
  sender: Sender,
  outgoing: Outgoing,
): Promise<SentEmail> =>
  submitEmails(services, {
    emails: [outgoing.email],
    answer: { email_id: outgoing.email.id },
    idempotent: outgoing.idempotent,
    accept: (submission) =>
      services.db.transaction((trx) => acceptWithin(trx, services, { sender, outgoing, submission })),
  })

async function acceptWithin(
  trx: Transaction,
  { sending: { acceptance } }: InboxesRepliesServices,
  {
    sender: { actor, inbox, source, alongside },
    outgoing: { email, about, draft },
    submission,
  }: { readonly sender: Sender; readonly outgoing: Outgoing; readonly submission: Submission },
): Promise<true> {
  const { team } = actor
  found(await lockInbox(trx, team, inbox.id), 'Inbox')
  await alongside?.(trx)
  await draft?.release(trx)
  const thread = about === null ? null : ((await findThreadOf(trx, { team, inbox: inbox.id }, about)) ?? null)
  if (!(await acceptance.acceptWithin(trx, submission))) throw new KeyTaken()
  const sentDraft = (await draft?.settle(trx)) ?? null
  const sending = { team, email: email.id, inbox: inbox.id, thread, draft: draft?.id ?? null, sentDraft, source }
  await recordSending(trx, sending)
  return true
}

/** The email of a request, in the name of the inbox. */
export const prepareFrom = (
  services: InboxesRepliesServices,
  { actor, inbox }: Sender,
  {
    html,
    text,
    cc,
    bcc,
    ...request
  }: Omit<EmailRequest, 'from' | 'html' | 'text' | 'cc' | 'bcc'> & {
    readonly html: string | null
    readonly text: string | null
    readonly cc: readonly string[]
    readonly bcc: readonly string[]
  },
): Promise<PreparedEmail> =>
  prepare(services, actor, {
    ...request,
    from: fromOf(inbox),
    ...(cc.length > 0 && { cc: [...cc] }),
    ...(bcc.length > 0 && { bcc: [...bcc] }),
    ...(html !== null && { html }),
    ...(text !== null && { text }),
  })

const fromOf = ({ from_name, email_address }: StoredInbox) =>
  asText({ name: (from_name ?? '').replace(/[\p{Cc}\p{Cs}\u2028\u2029]+/gu, ' ').trim(), address: email_address })

const SET_BY_US = new Set(['in-reply-to', 'references', 'reply-to'])

/** Those of a request, and ours, which say where it belongs. */
export function headersWith(
  given: Readonly<Record<string, string>> | null | undefined,
  own: Readonly<Record<string, string>>,
): Record<string, string> {
  for (const name of Object.keys(given ?? {}))
    if (SET_BY_US.has(name.trim().toLowerCase()))
      throw new Problem('validation_error', `Invalid \`headers\` field. \`${name.trim()}\` is set by the service.`)
  return { ...given, ...own }
}

/**
 * The thread that a sent email has come into. Undefined: it is not filed yet. The email is sent by now, so whatever goes wrong here is no
 * reason to tell its sender otherwise: it is filed later.
 */
export async function threadOfSent(
  services: InboxesRepliesServices,
  { actor: { team }, inbox }: Sender,
  email: string,
): Promise<string | undefined> {
  try {
    await fileNow(services, team)
    return await findThreadOf(services.db, { team, inbox: inbox.id }, email)
  } catch {
    return undefined
  }
}
