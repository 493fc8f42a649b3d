import { domainToUnicode } from 'node:url'
import { canonicalAddress, parseMailbox, toAsciiDomain, withoutTag } from '../../mail/address.ts'
import { groupBy } from '../../platform/group-by.ts'
import { holdHoursOf, type Policy, type Rule } from './schema.ts'
import { DAY_MINUTES, HOUR_MINUTES, Timeline } from './timeline.ts'

/** What a policy asks about an email. */
export interface JudgedEmail {
  readonly from: string
  readonly to: readonly string[]
  readonly cc: readonly string[] | null
  readonly subject: string
  /** Bare addresses of everybody who gets it. */
  readonly recipients: readonly string[]
  /** True: all that it says comes from a template, and it has no attachments and no headers of its own. */
  readonly isTemplateAsIs?: boolean
  /** Other senders that it names besides From. */
  readonly otherSenders?: readonly string[]
  /** Names of its headers that relays take orders from. */
  readonly relayHeaders?: readonly string[]
}

/** Why an email is not allowed. */
export interface Refusal {
  readonly rule: Rule
  /** What the rule says, with its name. */
  readonly message: string
}

/** The ways in which a list that people keep may spell an address. */
export function spellingsOf(address: string): string[] {
  const at = address.lastIndexOf('@')
  const readable = `${address.slice(0, at)}@${domainToUnicode(address.slice(at + 1))}`
  return readable === address ? [address] : [address, readable]
}

/**
 * Whose mailbox it is: without what is behind a plus sign, and without the dots that Gmail does not see. Letters beyond ASCII are folded, as many servers do: what is
 * counted together and is not one mailbox is refused too early, and never too late.
 */
export function personOf(address: string): string {
  const canonical = canonicalAddress(address)
  const at = canonical.lastIndexOf('@')
  const domain = canonical.slice(at + 1)
  const [local = ''] = withoutTag(`${canonical.slice(0, at).normalize('NFKC').toLowerCase()}@`).split('@', 1)
  return domain === 'gmail.com' || domain === 'googlemail.com'
    ? `${local.replaceAll('.', '')}@gmail.com`
    : `${local}@${domain}`
}

/** Whether mail under a policy waits for approval. */
export const requiresApproval = ({ hold = false, dry_run = false }: Pick<Policy, 'hold' | 'dry_run'>): boolean =>
  hold !== false && !dry_run

/** How long mail that is held now waits for approval. */
export const heldUntil = ({ hold }: Pick<Policy, 'hold'>, now: Date): Date =>
  new Date(now.getTime() + holdHoursOf(hold) * HOUR_MS)

const HOUR_MS = 3_600_000

const domainIn = (address: string) => address.slice(address.lastIndexOf('@') + 1)

const addressIn = (mailbox: string): string | null => {
  const address = parseMailbox(mailbox)?.address
  return address === undefined ? null : canonicalAddress(address)
}

/** Addresses, and domains without their subdomains. */
class AddressList {
  readonly #addresses: ReadonlySet<string>
  readonly #domains: ReadonlySet<string>

  constructor(addresses: readonly string[], domains: readonly string[]) {
    this.#addresses = new Set(addresses.map(canonicalAddress))
    this.#domains = new Set(domains.map(toAsciiDomain))
  }

  has(address: string): boolean {
    return this.#addresses.has(address) || this.#domains.has(domainIn(address))
  }
}

/** A policy, ready to judge. Pure: what the database knows is handed in. */
export class PolicyRules {
  readonly policy: Policy
  readonly #recipients: AddressList
  readonly #senders: AddressList

  constructor(policy: Policy) {
    const { recipients, senders = [] } = policy
    this.policy = policy
    this.#recipients = new AddressList(recipients?.addresses ?? [], recipients?.domains ?? [])
    this.#senders = new AddressList(
      senders.filter((entry) => entry.includes('@')),
      senders.filter((entry) => !entry.includes('@')),
    )
  }

  /** Recipients that only a segment or received mail can allow, in canonical form. */
  unlisted({ recipients }: Pick<JudgedEmail, 'recipients'>): string[] {
    const { recipients: rule } = this.policy
    if (!rule || (rule.segment_id === undefined && !rule.wrote_first)) return []
    return recipients.map(canonicalAddress).filter((address) => !this.#recipients.has(address))
  }

  /** What is wrong with the email itself, in the order of the rules. `isKnown`: whether a segment or received mail allows a recipient. */
  objections(email: JudgedEmail, isKnown: (address: string) => boolean): Refusal[] {
    const { policy } = this
    return [
      refuseRelayHeaders(email),
      policy.senders && this.#refuseSenders(email),
      policy.templates_only && !email.isTemplateAsIs && NOT_A_TEMPLATE,
      policy.no_bcc && refuseBlindCopies(email),
      policy.recipients && this.#refuseRecipients(email, isKnown),
    ].filter((refusal) => !!refusal)
  }

  #refuseSenders({ from, otherSenders = [] }: JudgedEmail): Refusal | null {
    const refused = [from, ...otherSenders].filter((sender) => {
      const address = addressIn(sender)
      return address === null || !this.#senders.has(address)
    })
    const named = refused.map((sender) => addressIn(sender) ?? 'a sender without an address')
    return refusalOf('senders', 'does not allow', named)
  }

  #refuseRecipients({ recipients }: JudgedEmail, isKnown: (address: string) => boolean): Refusal | null {
    const refused = recipients
      .map(canonicalAddress)
      .filter((address) => !this.#recipients.has(address) && !isKnown(address))
    return refusalOf('recipients', 'does not allow', refused)
  }
}

const NOT_A_TEMPLATE: Refusal = {
  rule: 'templates_only',
  message: '`templates_only` allows the subject, content and Reply-To of a template, without attachments and headers.',
}

/** Whatever the policy says about an envelope would not hold behind a relay that reads another one in them. */
const refuseRelayHeaders = ({ relayHeaders = [] }: JudgedEmail): Refusal | null =>
  refusalOf('relay_headers', 'does not allow headers that can add recipients at a relay:', relayHeaders)

function refuseBlindCopies({ to, cc, recipients }: JudgedEmail): Refusal | null {
  const named = new Set([...to, ...(cc ?? [])].map(addressIn))
  const blind = recipients.map(canonicalAddress).filter((address) => !named.has(address))
  return refusalOf('no_bcc', 'allows no blind copy to', blind)
}

const refusalOf = (rule: Rule, verb: string, refused: readonly string[]): Refusal | null =>
  refused.length === 0 ? null : { rule, message: `\`${rule}\` ${verb} ${listed(refused)}.` }

const MAX_LISTED = 3

/** The first few: a request may have a thousand. */
function listed(items: readonly string[]): string {
  const others = items.length - MAX_LISTED
  const shown = items.slice(0, MAX_LISTED).join(', ')
  return others > 0 ? `${shown} and ${others} ${others === 1 ? 'other' : 'others'}` : shown
}

/** What leaves under a policy, up to now and later. */
export interface Used {
  readonly all: Timeline
  readonly byPerson: ReadonlyMap<string, Timeline>
}

/** Mail that is to leave in a minute. */
export interface Leaving {
  readonly recipients: readonly string[]
  readonly minute: number
}

/** How much may still be sent under a policy. Whoever has it has locked the policy, so nobody else takes from it meanwhile. */
export class PolicyBalance {
  readonly #policy: Policy
  readonly #all: Timeline
  readonly #byPerson: Map<string, Timeline>

  constructor(policy: Policy, { all, byPerson }: Used) {
    this.#policy = policy
    this.#all = all
    this.#byPerson = new Map(byPerson)
  }

  /** What is too much when all of this leaves. */
  objections(mail: readonly Leaving[]): Refusal[] {
    const { max_emails_per_hour, max_emails_per_day } = this.#policy
    this.take(mail)
    const persons = this.#refusePersons(mail)
    const [hour, day] = [this.#fullest(mail, HOUR_MINUTES), this.#fullest(mail, DAY_MINUTES)]
    this.#count(mail, -1)
    return [
      persons,
      tooMany('max_emails_per_hour', '60 minutes', {
        ...{ max: max_emails_per_hour, wanted: hour },
        used: () => this.#fullest(mail, HOUR_MINUTES),
      }),
      tooMany('max_emails_per_day', '24 hours', {
        ...{ max: max_emails_per_day, wanted: day },
        used: () => this.#fullest(mail, DAY_MINUTES),
      }),
    ].filter((refusal) => refusal !== null)
  }

  take(mail: readonly Leaving[]) {
    this.#count(mail, 1)
  }

  #count(mail: readonly Leaving[], sign: 1 | -1) {
    for (const { recipients, minute } of mail) {
      this.#all.add(minute, sign * recipients.length)
      for (const [person, count] of countPersons(recipients)) this.#of(person).add(minute, sign * count)
    }
  }

  #of(person: string): Timeline {
    const known = this.#byPerson.get(person) ?? new Timeline()
    this.#byPerson.set(person, known)
    return known
  }

  #fullest(mail: readonly Leaving[], length: number): number {
    return this.#all.fullest(
      mail.map(({ minute }) => minute),
      length,
    )
  }

  #refusePersons(mail: readonly Leaving[]): Refusal | null {
    const max = this.#policy.max_emails_per_recipient_per_day
    if (max === undefined) return null
    const minutesOf = groupBy(
      mail.flatMap(({ recipients, minute }) =>
        [...countPersons(recipients).keys()].map((person) => ({ person, minute })),
      ),
      ({ person }) => person,
    )
    const refused = [...minutesOf].flatMap(([person, times]) => {
      const minutes = times.map(({ minute }) => minute)
      return this.#of(person).fullest(minutes, DAY_MINUTES) > max ? [person] : []
    })
    return refusalOf('max_emails_per_recipient_per_day', `allows ${emails(max)} in 24 hours to`, refused)
  }
}

export function countPersons(recipients: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const recipient of recipients) {
    const person = personOf(recipient)
    counts.set(person, 1 + (counts.get(person) ?? 0))
  }
  return counts
}

const emails = (count: number) => `${count} ${count === 1 ? 'email' : 'emails'}`

function tooMany(
  rule: Rule,
  period: string,
  { max, used, wanted }: { readonly max: number | undefined; readonly used: () => number; readonly wanted: number },
): Refusal | null {
  if (max === undefined || wanted <= max) return null
  const count = used()
  return {
    rule,
    message: `\`${rule}\` allows ${emails(max)} in ${period}, and ${count} ${count === 1 ? 'was' : 'were'} sent.`,
  }
}
