import { plainLine } from '../../mail/plain-name.ts'
import { holdHoursOf, type Policy } from './schema.ts'

/** Of a list that may have a thousand entries. */
const MAX_LISTED = 5
const MAX_ENTRY_LENGTH = 80

/** What a policy names by its id. Null: it does not exist any more. */
export interface PolicyNames {
  readonly segment?: string | null
}

/**
 * What a policy allows, in sentences for people (the dashboard shows them) and for models. They are of bounded length, and what somebody else
 * has named stands in them on one line and in quotes.
 */
export function policyWords(policy: Policy, names: PolicyNames = {}): string[] {
  const { recipients, senders, templates_only, no_bcc, hold, dry_run } = policy
  return [
    dry_run && 'This is a dry run: nothing is refused or held, and what would have been is recorded.',
    recipients ? recipientWords(recipients, names) : 'It can write to anyone.',
    senders && `It can send only from: ${listed(senders)}.`,
    capWords(policy),
    templates_only && 'Subject, content and Reply-To must be those of a template, without attachments and headers.',
    no_bcc && 'Blind copies are not allowed.',
    hold && holdWords(hold),
  ].filter((sentence) => typeof sentence === 'string')
}

function recipientWords(recipients: NonNullable<Policy['recipients']>, { segment }: PolicyNames): string {
  const { addresses = [], domains = [], segment_id, wrote_first } = recipients
  const parts = [
    addresses.length > 0 && listed(addresses),
    domains.length > 0 && `any address at ${listed(domains)}`,
    segment_id !== undefined && `contacts of ${segment ? `the segment ${quoted(segment)}` : 'a segment'}`,
    wrote_first && 'people who have written to the team before, from an address that could be verified',
  ]
  const allowed = parts.filter((part) => typeof part === 'string')
  return allowed.length === 0 ? 'It can write to nobody.' : `It can write only to: ${allowed.join('; ')}.`
}

function capWords(policy: Policy): string | undefined {
  const { max_emails_per_hour: hourly, max_emails_per_day: daily, max_emails_per_recipient_per_day: each } = policy
  if ([hourly, daily, each].includes(0)) return 'It can send nothing: a limit is 0.'
  const caps = inRow([
    hourly !== undefined && `${emails(hourly)} in 60 minutes`,
    daily !== undefined && `${emails(daily)} in 24 hours`,
    each !== undefined && `${emails(each)} in 24 hours to one recipient`,
  ])
  return caps === '' ? undefined : `It can send at most ${caps}; each recipient counts as an email.`
}

function holdWords(hold: NonNullable<Policy['hold']>): string {
  const hours = holdHoursOf(hold)
  return `Each email waits until a person approves it, and is canceled after ${hours} ${hours === 1 ? 'hour' : 'hours'}; until then its status is queued.`
}

const emails = (count: number) => `${count} ${count === 1 ? 'email' : 'emails'}`

function listed(entries: readonly string[]): string {
  const others = entries.length - MAX_LISTED
  const shown = entries.slice(0, MAX_LISTED).map((entry) => plainLine(entry, MAX_ENTRY_LENGTH))
  return inRow([...shown, others > 0 && `${others} ${others === 1 ? 'other' : 'others'}`])
}

function inRow(parts: readonly (string | false | undefined)[]): string {
  const words = parts.filter((part) => typeof part === 'string')
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`
}

/** On one line and in quotes that it cannot end. */
const quoted = (name: string) => JSON.stringify(plainLine(name, MAX_ENTRY_LENGTH))
