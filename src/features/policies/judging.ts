import type { Queryable, Transaction } from '../../kernel/db/database.ts'
import type { Problem } from '../../kernel/http/problem.ts'
import {
  type Counted,
  currentMinute,
  findAllowed,
  lockPolicies,
  type PolicyRef,
  readPolicies,
  readUses,
  type StoredPolicy,
  type Unlisted,
  type Use,
  writeUses,
} from './queries.ts'
import { insertRefusals } from './refusals.ts'
import { PolicyRefused, policyGone, type RefusedEmail } from './refused.ts'
import {
  countPersons,
  type JudgedEmail,
  type Leaving,
  PolicyBalance,
  PolicyRules,
  type Refusal,
  requiresApproval,
} from './rules.ts'
import { DAY_MINUTES, dateOf, HOUR_MINUTES, minuteOf, Timeline } from './timeline.ts'

/** An email that a policy may be asked about. */
export interface GuardedEmail extends JudgedEmail {
  readonly team: string
  readonly id: string
  /** Null or absent: no policy. */
  readonly policyId?: string | null
  /** Null or absent: it leaves at once. */
  readonly scheduledAt?: Date | null
}

/** What one request submits. All of its emails are of one actor, so under one policy. */
export interface Request {
  readonly emails: readonly GuardedEmail[]
}

interface Judged {
  readonly stored: StoredPolicy
  readonly rules: PolicyRules
  readonly balance: PolicyBalance
  /** The current one of the team. */
  readonly minute: number
  /** Who is allowed by a segment, or by mail that they have written. */
  readonly known: ReadonlySet<string>
}

interface JudgingOptions {
  /** Teams of which no mail leaves: a sender who wrote first need not be proven there. */
  keepsMail(team: string): boolean
}

const keyOf = ({ team, policyId }: PolicyRef) => `${team} ${policyId}`

const refOf = ({ emails: [first] }: Request): PolicyRef | null =>
  first?.policyId ? { team: first.team, policyId: first.policyId } : null

const distinct = <Item>(items: readonly Item[], nameOf: (item: Item) => string): Item[] => [
  ...new Map(items.map((item) => [nameOf(item), item])).values(),
]

/**
 * Judges requests in the transaction that accepts them, with their policies as they are at that moment. The policies are locked first and counted in
 * statements of their own, which see what those before have committed: no two spend the same allowance, in whatever processes they are.
 * Null: none of the requests has a policy.
 */
export async function lockAndJudge(
  trx: Transaction,
  requests: readonly Request[],
  options: JudgingOptions,
): Promise<PolicyJudge | null> {
  const refs = refsOf(requests)
  return refs.length === 0 ? null : judgeOf(trx, { requests, policies: await lockPolicies(trx, refs) }, options)
}

/** The same without a lock: what would be said now. Nothing may be accepted on its word. */
export async function judgeNow(
  db: Queryable,
  requests: readonly Request[],
  options: JudgingOptions,
): Promise<PolicyJudge> {
  return judgeOf(db, { requests, policies: await readPolicies(db, refsOf(requests)) }, options)
}

const refsOf = (requests: readonly Request[]) =>
  distinct(
    requests.map(refOf).filter((ref) => ref !== null),
    keyOf,
  )

async function judgeOf(
  db: Queryable,
  { requests, policies }: { readonly requests: readonly Request[]; readonly policies: readonly StoredPolicy[] },
  { keepsMail }: JudgingOptions,
): Promise<PolicyJudge> {
  const compiled = policies.map((stored) => {
    const key = keyOf(stored)
    const emails = requests.flatMap((request) => {
      const ref = refOf(request)
      return ref && keyOf(ref) === key ? request.emails : []
    })
    return { stored, rules: new PolicyRules(stored.policy), minute: currentMinute(db, stored.team), emails }
  })
  const uses = await readUses(db, compiled.flatMap(countedOf))
  const allowed = await findAllowed(db, compiled.flatMap(unlistedOf), keepsMail)
  const judged = compiled.map(({ stored, rules, minute }): Judged => {
    const isOwn = (one: PolicyRef) => keyOf(one) === keyOf(stored)
    const own = uses.filter(isOwn)
    const all = own.find(({ person }) => person === null)
    const byPerson = new Map(own.map(({ person, timeline }) => [person ?? '', timeline]))
    const balance = new PolicyBalance(stored.policy, { all: all?.timeline ?? new Timeline(), byPerson })
    return { stored, rules, balance, minute, known: new Set(allowed.filter(isOwn).map(({ address }) => address)) }
  })
  return new PolicyJudge(judged)
}

interface Compiled extends Pick<Judged, 'stored' | 'rules' | 'minute'> {
  readonly emails: readonly GuardedEmail[]
}

/** Only what a rule asks for. */
function countedOf({ stored: { team, policyId, policy }, minute, emails }: Compiled): Parameters<typeof readUses>[1] {
  const minutes = emails.map((email) => leavesIn(email, minute))
  const around = (length: number) => ({ from: Math.min(...minutes) - length, to: Math.max(...minutes) + length })
  const counted: (Counted & ReturnType<typeof around>)[] = []
  if (policy.max_emails_per_hour !== undefined || policy.max_emails_per_day !== undefined)
    counted.push({
      team,
      policyId,
      person: null,
      ...around(policy.max_emails_per_day === undefined ? HOUR_MINUTES : DAY_MINUTES),
    })
  if (policy.max_emails_per_recipient_per_day !== undefined)
    for (const person of countPersons(emails.flatMap(({ recipients }) => recipients)).keys())
      counted.push({ team, policyId, person, ...around(DAY_MINUTES) })
  return counted
}

function unlistedOf({ stored: { team, policyId, policy }, rules, emails }: Compiled): Unlisted[] {
  const { segment_id: segmentId = null, wrote_first: wroteFirst = false } = policy.recipients ?? {}
  const addresses = new Set(emails.flatMap((email) => rules.unlisted(email)))
  return [...addresses].map((address) => ({ team, policyId, address, segmentId, wroteFirst }))
}

/** Says of each request whether its policy allows it, one after the other. */
export class PolicyJudge {
  readonly #judged: ReadonlyMap<string, Judged>
  /** What dry runs let pass. */
  readonly #passed = new Map<Request, RefusedEmail[]>()

  constructor(judged: readonly Judged[]) {
    this.#judged = new Map(judged.map((one) => [keyOf(one.stored), one]))
  }

  /** The policy of a request, as it is now. Null: it has none. */
  policyOf(request: Request): StoredPolicy | null {
    const ref = refOf(request)
    return (ref && this.#judged.get(keyOf(ref))?.stored) ?? null
  }

  /** The first reason why it is refused. Null: it is allowed, or a dry run lets it pass. */
  refuse(request: Request): Problem | null {
    const ref = refOf(request)
    if (!ref) return null
    const judged = this.#judged.get(keyOf(ref))
    if (!judged) return policyGone()
    const { holder, policy } = judged.stored
    const refused = this.#objections(request, judged)
    if (!policy.dry_run) return refused.length === 0 ? null : new PolicyRefused(holder, refused)
    this.#passed.set(request, refused)
    return null
  }

  /** All reasons, whatever follows from them. */
  objections(request: Request): RefusedEmail[] {
    const ref = refOf(request)
    const judged = ref && this.#judged.get(keyOf(ref))
    return judged ? this.#objections(request, judged) : []
  }

  /** What is wrong with each email by itself, without what is counted: by their places. */
  objectionsByEmail({ emails }: Request): (PolicyRefused | null)[] {
    return emails.map((email) => {
      const ref = refOf({ emails: [email] })
      const judged = ref && this.#judged.get(keyOf(ref))
      if (!judged || judged.stored.policy.dry_run) return null
      const refused = ownObjections(email, judged).map((refusal) => ({ ...ref, refusal, email }))
      return refused.length > 0 ? new PolicyRefused(judged.stored.holder, refused) : null
    })
  }

  /** Counts a request that will be accepted, so that the next one is judged with it. */
  take(request: Request) {
    const ref = refOf(request)
    const judged = ref && this.#judged.get(keyOf(ref))
    if (judged) judged.balance.take(leavingOf(request, judged))
  }

  /** Writes down what was accepted. */
  async record(trx: Transaction, accepted: readonly Request[]) {
    const emails = this.#countedIn(accepted, ({ stored: { policy } }) => requiresApproval(policy))
    if (emails.length === 0) return
    await writeUses(trx, emails, this.#usesOf(accepted))
    const passed = accepted.flatMap((request) => this.#passed.get(request) ?? [])
    if (passed.length > 0) await insertRefusals(trx, passed, { isDryRun: true })
  }

  /** Writes down what was held before, and leaves now. */
  async recordFreed(trx: Transaction, freed: readonly Request[]) {
    const emails = this.#countedIn(freed, () => true)
    if (emails.length > 0) await writeUses(trx, emails, this.#usesOf(freed))
  }

  #countedIn(requests: readonly Request[], isHeld: (judged: Judged) => boolean) {
    return requests.flatMap((request) => {
      const ref = refOf(request)
      const judged = ref && this.#judged.get(keyOf(ref))
      if (!judged) return []
      return request.emails.map((email) => ({
        ...{ ...ref, id: email.id, recipients: email.recipients.length, isHeld: isHeld(judged) },
        countedAt: dateOf(leavesIn(email, judged.minute)),
      }))
    })
  }

  #usesOf(requests: readonly Request[]): Use[] {
    return usesOf(
      requests.flatMap((request) => {
        const ref = refOf(request)
        const judged = ref && this.#judged.get(keyOf(ref))
        return judged ? leavingOf(request, judged).map((one) => ({ ...one, ...ref })) : []
      }),
    )
  }

  #objections(request: Request, judged: Judged): RefusedEmail[] {
    const ref = refOf(request)!
    const own = request.emails.flatMap((email) =>
      ownObjections(email, judged).map((refusal) => ({ ...ref, refusal, email })),
    )
    const counted = judged.balance.objections(leavingOf(request, judged))
    return [...own, ...counted.map((refusal) => ({ ...ref, refusal, email: request.emails[0]! }))]
  }
}

const ownObjections = (email: GuardedEmail, { rules, known }: Judged): Refusal[] =>
  rules.objections(email, (address) => known.has(address))

/** When it is scheduled for, or now: a limit is about what leaves in an hour, and not about when somebody asked for it. */
const leavesIn = ({ scheduledAt }: GuardedEmail, now: number): number =>
  scheduledAt ? Math.max(now, minuteOf(scheduledAt)) : now

const leavingOf = ({ emails }: Request, { minute }: Pick<Judged, 'minute'>): Leaving[] =>
  emails.map((email) => ({ recipients: email.recipients, minute: leavesIn(email, minute) }))

/** Of each policy all recipients together, and each person, by the minute. */
export function usesOf(mail: readonly (Leaving & PolicyRef)[]): Use[] {
  const uses = new Map<string, Counted & { readonly minute: number; emails: number }>()
  const add = (use: Counted & { readonly minute: number }, emails: number) => {
    const key = `${keyOf(use)} ${use.minute} ${use.person ?? ''}`
    const known = uses.get(key)
    if (known) known.emails += emails
    else uses.set(key, { ...use, emails })
  }
  for (const { team, policyId, recipients, minute } of mail) {
    const ref = { team, policyId }
    add({ ...ref, person: null, minute }, recipients.length)
    for (const [person, emails] of countPersons(recipients)) add({ ...ref, person, minute }, emails)
  }
  return [...uses.values()]
}
