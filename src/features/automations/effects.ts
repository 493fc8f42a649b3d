import type { Transaction } from '../../kernel/db/database.ts'
import { type Actor, EVERYTHING } from '../../kernel/http/actor.ts'
import { Problem } from '../../kernel/http/problem.ts'
import { validate } from '../../kernel/http/validate.ts'
import { domainOf, parseMailbox } from '../../mail/address.ts'
import { UNSUBSCRIBE_NAMES, type Variables, variablesOf } from '../../mail/personal.ts'
import { namesIn } from '../../mail/templates.ts'
import { unsubscribeHeaders } from '../../mail/unsubscribe.ts'
import { newId } from '../../platform/ids.ts'
import { addAddresses, changeContactIn, findValues, joinSegment, removeContacts } from '../contacts/index.ts'
import { UpdateContact } from '../contacts/schema.ts'
import { acceptEmails, type NewEmail } from '../emails/delivery/acceptance/accept.ts'
import { unsubscribeUrl } from '../emails/delivery/message/unsubscribe-link.ts'
import { prepareAtOnce, requireSender } from '../emails/index.ts'
import { lockCount } from '../limits/object-limits.ts'
import { lockBalance } from '../limits/quota.ts'
import { quotaProblem } from '../limits.ts'
import { requireSegments } from '../segments/index.ts'
import { fill, type PublishedTemplate, requirePublished } from '../templates/index.ts'
import { type Effects, Refused, type StepEmail } from './engine/effects.ts'
import type { SendEmail } from './engine/graph.ts'
import type { AutomationsServices } from './services.ts'

/** What the steps of automations do, with the acts of the resources. */
export const effectsWith = (services: AutomationsServices): Effects => ({
  findContacts: findValues,
  async addContacts(trx, team, emails) {
    const found = await lockCount(trx, team, 'contacts')
    // Whoever comes after the last that there is room for is no contact, and there is no run for them.
    await addAddresses(trx, team, found ? emails.slice(0, Math.max(0, found.limit - found.count)) : emails)
    return findValues(trx, team, { ids: [], emails: emails.map((email) => email.toLowerCase()) })
  },
  composer: (trx, team, configs) => composer(services, trx, team, configs),
  acceptEmails: (trx, emails) =>
    acceptEmails(trx, emails, {
      giveUpAfterSeconds: services.config.GIVE_UP_AFTER,
      storesCompactly: services.db.presence.storesCompactly,
    }),
  updateContact: (trx, team, id, changes) =>
    refusing(async () => {
      await changeContactIn(trx, team, { contact: { id }, body: validate(UpdateContact, changes, 'body') })
    }),
  deleteContacts: removeContacts,
  async addToSegment(trx, team, segment, contacts) {
    try {
      await requireSegments(trx, team, [segment])
    } catch (error) {
      if (error instanceof Problem) return false
      throw error
    }
    await joinSegment(trx, team, segment, contacts)
    return true
  },
})

/** A step with everything that all its emails have in common. */
interface Prepared {
  readonly template: PublishedTemplate
  /** The names that its texts ask for. */
  readonly names: readonly string[]
  readonly domainId: string | null
}

async function composer(
  services: AutomationsServices,
  trx: Transaction,
  team: string,
  configs: readonly SendEmail[],
): Promise<(email: StepEmail) => NewEmail> {
  const prepared = new Map<SendEmail, Prepared | Refused>()
  for (const config of configs) {
    const one = await refusing(() => prepare(services, trx, team, config)).catch((error: unknown) => {
      if (error instanceof Refused) return error
      throw error
    })
    prepared.set(config, one)
  }
  const own = services.clock.of(team)
  const createdAt = own.now()
  const balance = await lockBalance(trx, team, createdAt)
  return (wanted) => {
    const step = prepared.get(wanted.config)!
    if (step instanceof Refused) throw step
    return refusingNow(() => {
      const email = compose(services, wanted, step, { id: newId(own, createdAt), team, createdAt })
      const overQuota = balance.take(email.recipients.length)
      if (overQuota) throw quotaProblem(overQuota)
      return email
    })
  }
}

async function prepare(
  services: AutomationsServices,
  trx: Transaction,
  team: string,
  config: SendEmail,
): Promise<Prepared> {
  const template = await requirePublished(trx, team, config.template.id)
  const from = config.from ?? template.from
  if (!from) throw new Problem('missing_required_field', 'Neither the step nor its template has a `from`.')
  const mailbox = parseMailbox(from)
  if (!mailbox) throw new Problem('validation_error', 'The `from` of the template is not an address.')
  const actor: Actor = { team, identity: { kind: 'automation' }, permissions: EVERYTHING, domainId: null }
  const domainId = await requireSender(services, actor, domainOf(mailbox.address))
  const names = namesIn([template.subject, template.html, template.text].join('\n'))
  return { template, names, domainId }
}

function compose(
  services: AutomationsServices,
  { config, contact, to, variables }: StepEmail,
  { template, names, domainId }: Prepared,
  { id, team, createdAt }: Pick<NewEmail, 'id' | 'team' | 'createdAt'>,
): NewEmail {
  const { links, publicUrl } = services
  const url = unsubscribeUrl({ links, publicUrl: publicUrl() }, { team, id, topicId: null }, to)
  const about: Variables = {
    ...variablesOf({ ...contact, email: to }, names, (key) => contact.properties[key]),
    ...Object.fromEntries(UNSUBSCRIBE_NAMES.map((name) => [name, url.href])),
  }
  const request = {
    to,
    ...(config.from !== undefined && { from: config.from }),
    ...(config.subject !== undefined && { subject: config.subject }),
    ...(config.reply_to !== undefined && { reply_to: config.reply_to }),
  }
  const email = prepareAtOnce(services, request, {
    id,
    team,
    template: fill(template, variables, about),
    domainId,
    createdAt,
  })
  // Who is unsubscribed gets no more of it, so each has its way to unsubscribe.
  const headers = Object.entries(unsubscribeHeaders(url)).map(([name, value]) => ({ name, value: value! }))
  return { ...email, headers: [...(email.headers ?? []), ...headers] }
}

/** The step fails with the error that a caller of the API would get. */
async function refusing<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    throw refusalOf(error)
  }
}

function refusingNow<Result>(work: () => Result): Result {
  try {
    return work()
  } catch (error) {
    throw refusalOf(error)
  }
}

const refusalOf = (error: unknown) =>
  error instanceof Problem ? new Refused(error.message, error.toJSON().name) : error
