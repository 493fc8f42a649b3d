import { holdHoursOf, Policy } from '../../../../src/features/policies/schema.ts'
import { ApiProblem } from '../../api.ts'
import { formatNumber } from '../locale.ts'
import { texts } from './texts.ts'

/** A policy while it is written: each field under its path in the API, so that what is wrong with one can be shown at it. */
export interface PolicyDraft {
  readonly recipients: boolean
  readonly 'recipients.addresses': string
  readonly 'recipients.domains': string
  readonly 'recipients.segment_id': string
  readonly 'recipients.wrote_first': boolean
  readonly max_emails_per_hour: string
  readonly max_emails_per_day: string
  readonly max_emails_per_recipient_per_day: string
  readonly senders: string
  readonly templates_only: boolean
  readonly no_bcc: boolean
  readonly hold: boolean
  readonly 'hold.notify': string
  readonly 'hold.expires_in_hours': string
  readonly dry_run: boolean
}

export type PolicyField = keyof PolicyDraft
export type PolicyProblems = Readonly<Partial<Record<PolicyField, string>>>

/** The part of a JSON Schema that is asked here. */
interface Schema {
  readonly minimum?: number
  readonly maximum?: number
  readonly maxItems?: number
  readonly default?: unknown
  readonly properties?: Readonly<Record<string, Schema>>
  readonly anyOf?: readonly Schema[]
}

/** What the server checks a field against. */
const schemaAt = (path: PolicyField): Schema =>
  path.split('.').reduce<Schema>((schema, name) => {
    const { properties } = schema.properties ? schema : schema.anyOf!.find((choice) => choice.properties)!
    return properties![name]!
  }, Policy as Schema)

const lines = (entries: readonly string[] | undefined) => entries?.join('\n') ?? ''
const figure = (value: number | undefined) => (value === undefined ? '' : String(value))

/** What stands in the form at first. */
export function draftOf(policy: Policy | null): PolicyDraft {
  const { recipients, hold = false } = policy ?? {}
  const { notify } = typeof hold === 'object' ? hold : {}
  return {
    recipients: recipients !== undefined,
    'recipients.addresses': lines(recipients?.addresses),
    'recipients.domains': lines(recipients?.domains),
    'recipients.segment_id': recipients?.segment_id ?? '',
    'recipients.wrote_first': recipients?.wrote_first ?? false,
    max_emails_per_hour: figure(policy?.max_emails_per_hour),
    max_emails_per_day: figure(policy?.max_emails_per_day),
    max_emails_per_recipient_per_day: figure(policy?.max_emails_per_recipient_per_day),
    senders: lines(policy?.senders),
    templates_only: policy?.templates_only ?? false,
    no_bcc: policy?.no_bcc ?? false,
    hold: hold !== false,
    'hold.notify': lines(notify),
    'hold.expires_in_hours': String(holdHoursOf(hold)),
    dry_run: policy?.dry_run ?? false,
  }
}

export interface ReadPolicy {
  readonly policy: Policy
  readonly problems: PolicyProblems
}

/** The policy that a form means, as far as its fields are right, and what is wrong with the others. */
export function readDraft(draft: PolicyDraft): ReadPolicy {
  const problems: Partial<Record<PolicyField, string>> = {}
  const fail = (field: PolicyField, problem: string) => {
    problems[field] = problem
    return undefined
  }
  const list = (field: ListField): string[] | undefined => {
    const entries = [
      ...new Set(
        draft[field]
          .split(/[\s,;]+/)
          .filter(Boolean)
          .map(LISTS[field].tidy),
      ),
    ]
    const most = schemaAt(field).maxItems!
    const wrong = entries.find((entry) => !LISTS[field].isRight(entry))
    if (wrong !== undefined) return fail(field, LISTS[field].problem(wrong))
    if (entries.length > most) return fail(field, texts.problems.tooMany(formatNumber(most)))
    return entries.length > 0 ? entries : undefined
  }
  const number = (field: NumberField): number | undefined => {
    const text = draft[field].trim()
    if (text === '') return undefined
    const { minimum = 0, maximum = Number.MAX_SAFE_INTEGER } = schemaAt(field)
    const value = Number(text)
    const isRight = /^\d+$/.test(text) && value >= minimum && value <= maximum
    return isRight ? value : fail(field, texts.problems.number(formatNumber(minimum), formatNumber(maximum)))
  }
  const recipients = draft.recipients && {
    addresses: list('recipients.addresses'),
    domains: list('recipients.domains'),
    segment_id: draft['recipients.segment_id'] || undefined,
    wrote_first: draft['recipients.wrote_first'] || undefined,
  }
  const hold = draft.hold && {
    notify: list('hold.notify'),
    expires_in_hours: number('hold.expires_in_hours'),
  }
  const policy = defined({
    recipients: recipients && defined(recipients),
    max_emails_per_hour: number('max_emails_per_hour'),
    max_emails_per_day: number('max_emails_per_day'),
    max_emails_per_recipient_per_day: number('max_emails_per_recipient_per_day'),
    templates_only: draft.templates_only,
    senders: list('senders'),
    no_bcc: draft.no_bcc,
    hold: hold && defined(hold),
    dry_run: draft.dry_run,
  }) as Policy
  if (Object.keys(problems).length === 0) {
    if (policy.recipients && Object.keys(policy.recipients).length === 0)
      fail('recipients', texts.problems.noRecipients)
    // A dry run of nothing is no policy either.
    if (Object.keys(policy).every((name) => name === 'dry_run')) fail('dry_run', texts.problems.empty)
  }
  return { policy, problems }
}

type ListField = 'recipients.addresses' | 'recipients.domains' | 'senders' | 'hold.notify'
type NumberField =
  | 'max_emails_per_hour'
  | 'max_emails_per_day'
  | 'max_emails_per_recipient_per_day'
  | 'hold.expires_in_hours'

/** Roughly: the server knows better, and says so at the same field. */
const isAddress = (text: string) => /^[^\s@<>()[\],;:"]+@[^\s@]+\.[^\s@.]+$/.test(text)
const isDomain = (text: string) => /^[^\s@<>()[\],;:"/]+\.[^\s@.]+$/.test(text)

const asWritten = (entry: string) => entry
/** `@example.com` means the domain. */
const withoutAt = (entry: string) => entry.replace(/^@/, '')

const LISTS: Readonly<
  Record<
    ListField,
    { isRight(entry: string): boolean; problem(entry: string): string; readonly tidy: (entry: string) => string }
  >
> = {
  'recipients.addresses': { isRight: isAddress, problem: texts.problems.address, tidy: asWritten },
  'recipients.domains': { isRight: isDomain, problem: texts.problems.domain, tidy: withoutAt },
  senders: { isRight: (one) => isAddress(one) || isDomain(one), problem: texts.problems.sender, tidy: withoutAt },
  'hold.notify': { isRight: isAddress, problem: texts.problems.address, tidy: asWritten },
}

/** Without what is false or undefined: a rule that is absent allows everything. */
const defined = (fields: object) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined && value !== false))

/** Which field of a policy the server has refused: `policy.recipients.addresses[3]` is the field of addresses. */
export function refusedField(error: Error): PolicyField | undefined {
  if (!(error instanceof ApiProblem) || error.status !== 422) return undefined
  const path = /`policy\.([\w.[\]]+)`/.exec(error.message)?.[1]?.replace(/\[\d+\]/g, '')
  return path === undefined ? undefined : FIELDS.find((field) => field === path)
}

const FIELDS = Object.keys(draftOf(null)) as PolicyField[]
