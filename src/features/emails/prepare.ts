import { type Actor, keyOf } from '../../kernel/http/actor.ts'
import { Problem } from '../../kernel/http/problem.ts'
import { domainOf, toAsciiDomain } from '../../mail/address.ts'
import { relayHeadersIn } from '../../mail/relay-headers.ts'
import { type MaybePromise, whenKnown } from '../../platform/concurrency/maybe-promise.ts'
import { newId } from '../../platform/ids.ts'
import { type Config, keepsMail } from '../../platform/settings/config.ts'
import type { Services } from '../services.ts'
import { renderTemplate } from '../templates/index.ts'
import { requireTopics } from '../topics/index.ts'
import { readAttachments } from './attachments.ts'
import { type Composed, compose, type Rendered, refuseMixedContent } from './compose.ts'
import type { NewEmail, StoredAttachment } from './delivery/acceptance/accept.ts'
import { readSchedule } from './schedule.ts'
import type { EmailRequest } from './schema.ts'
import type { PreparingServices } from './services.ts'
import type { StoredContent } from './stored-contents.ts'

/** An email that waits only for its attachments to be stored and its acceptance to be written. */
export interface PreparedEmail extends NewEmail {
  readonly attachments: readonly PreparedAttachment[]
  /** Set: this key or app had no policy before the attachments were downloaded, which takes as long as whoever has them likes. */
  readonly freeSender?: string | null
}

/** One without content is stored already: whoever accepts the email gives it up in the same transaction. */
export type PreparedAttachment = StoredAttachment & Partial<Pick<StoredContent, 'content'>>

/** What mail by SMTP has besides what a request can say. */
export interface Submitted {
  /** The recipients of the envelope. */
  readonly envelope: readonly string[]
  readonly messageId: string | null
  /** Whom the header names as senders besides From. */
  readonly senders: readonly string[]
  /** What its header has, also of what is not shown. */
  readonly headerNames: readonly string[]
}

/** From request to email, top to bottom. Each step refuses with the reason, and nothing is written yet. */
export async function prepare(
  services: PreparingServices,
  actor: Actor,
  request: EmailRequest,
  submitted: Submitted | null = null,
): Promise<PreparedEmail> {
  const { db, clock, config, sending } = services
  const { team } = actor
  const own = clock.of(team)
  const createdAt = own.now()
  refuseMixedContent(request)
  const template = request.template
    ? await renderTemplate(db, team, request.template.id, request.template.variables ?? {})
    : null
  const { fromAddress, composed } = compose(request, template, submitted?.envelope ?? null)
  const sender = requireSender(services, actor, domainOf(fromAddress))
  const domainId = sender instanceof Promise ? await sender : sender
  refuseUnreachable(config, team, composed)
  if (request.topic_id) await requireTopics(db, team, [request.topic_id])
  const scheduledAt = request.scheduled_at === undefined ? null : readSchedule(request.scheduled_at, createdAt)
  const id = newId(own)
  const ref = { team, emailId: id, clock: own }
  const attachments = request.attachments ? await readAttachments(request.attachments, ref, sending.download) : []
  const email = withComposed(composed, {
    id,
    team,
    messageId: submitted?.messageId ?? messageIdOf(id, fromAddress),
    domainId,
    apiKeyId: keyOf(actor),
    scheduledAt,
    createdAt,
    attachments,
  })
  if (actor.policyId) return guarded(email, { policyId: actor.policyId, template, submitted })
  const free = scheduledAt && actor.identity.kind === 'token' ? { ...email, scheduledBy: actor.identity.id } : email
  return request.attachments?.some(({ path }) => path !== undefined) ? { ...free, freeSender: senderOf(actor) } : free
}

/** The key or the grant that somebody acts with. */
const senderOf = (actor: Actor): string | null =>
  keyOf(actor) ?? (actor.identity.kind === 'token' ? actor.identity.id : null)

/** With what its policy asks about it. */
const guarded = (
  email: PreparedEmail,
  { policyId, template, submitted }: { policyId: string; template: Rendered | null; submitted: Submitted | null },
): PreparedEmail => ({
  ...email,
  policyId,
  isTemplateAsIs:
    template !== null &&
    email.subject === template.subject &&
    // The very list: an answer goes where the template says.
    email.replyTo === template.reply_to &&
    email.attachments.length === 0 &&
    email.headers === null,
  otherSenders: submitted?.senders ?? [],
  relayHeaders: relayHeadersIn(submitted?.headerNames ?? email.headers?.map(({ name }) => name) ?? []),
})

type Around = Omit<PreparedEmail, keyof Composed>

/** Assigned to the one that is there: V8 makes a literal with a spread in front of its fields in ten times as long. */
const withComposed = (composed: Composed, around: Around): PreparedEmail => Object.assign(composed, around)

const messageIdOf = (id: string, fromAddress: string) => `<${id}@${toAsciiDomain(domainOf(fromAddress))}>`

/** The same for mail of which everything is known already: what its template says, and the domain that it comes from. */
export function prepareAtOnce(
  { config }: Pick<Services, 'config'>,
  request: EmailRequest,
  {
    id,
    team,
    template,
    domainId,
    createdAt,
  }: Pick<NewEmail, 'id' | 'team' | 'domainId' | 'createdAt'> & {
    readonly template: Rendered
  },
): NewEmail {
  const { fromAddress, composed } = compose(request, template, null)
  refuseUnreachable(config, team, composed)
  const messageId = messageIdOf(id, fromAddress)
  return {
    ...composed,
    id,
    team,
    messageId,
    domainId,
    apiKeyId: null,
    scheduledAt: null,
    createdAt,
    attachments: [],
  }
}

/**
 * The domain that the mail comes from. While nothing leaves this machine anybody may be the sender; beyond it, only a domain that
 * the team has verified. A key that is bound to a domain sends from that one, always.
 */
export const requireSender = (
  { config, sending }: PreparingServices,
  { team, domainId }: Actor,
  name: string,
): MaybePromise<string | null> =>
  whenKnown(sending.senders.find(team, name), (sender) => {
    if (domainId && domainId !== sender?.id)
      throw new Problem('sender_not_allowed', `This API key is not authorized to send emails from ${name}`)
    if (keepsMail(config, team)) return sender?.id ?? null
    if (sender?.canSend) return sender.id
    throw new Problem(
      'sender_not_allowed',
      `The \`${name}\` domain is not verified. Please, add and verify your domain.`,
    )
  })

const NOBODY_THERE = /@(?:[^@]+\.)?(?:example\.(?:com|net|org)|test\.com)$|\.(?:example|invalid|test|localhost)$/i

/** Domains that exist for documents. Mail to them would only bounce; in the inbox it is a fine thing to try out. */
function refuseUnreachable(config: Config, team: string, email: Pick<Composed, 'recipients'>) {
  if (keepsMail(config, team) || !email.recipients.some((recipient) => NOBODY_THERE.test(recipient))) return
  throw new Problem(
    'validation_error',
    'Invalid `to` field. Please use our testing email address instead of domains like `example.com`.',
  )
}
