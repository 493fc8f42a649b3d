import Type, { type Static } from 'typebox'
import { Email, EXACT, Id, nullable, oneOf, referenceTo, Timestamp } from '../../kernel/http/shapes.ts'
import { LAST_EVENTS } from '../../mail/last-event.ts'

const MAX_ENTRIES = 1_000
const MAX_COUNT = 1_000_000
const DEFAULT_HOLD_HOURS = 72

const Domain = Type.String({ maxLength: 253, pattern: '^[^\\s@]+$', examples: ['example.com'] })

const count = (description: string) => Type.Optional(Type.Integer({ minimum: 0, maximum: MAX_COUNT, description }))

/** Whoever one of these names may be written to. */
const Recipients = Type.Object(
  {
    addresses: Type.Optional(Type.Array(Email, { maxItems: MAX_ENTRIES })),
    domains: Type.Optional(Type.Array(Domain, { maxItems: MAX_ENTRIES, description: 'Without their subdomains.' })),
    segment_id: Type.Optional(Id),
    wrote_first: Type.Optional(
      Type.Boolean({ description: 'Whoever has written to the team, with a sender that could be verified.' }),
    ),
  },
  { minProperties: 1, description: 'Who may be written to: whoever one of these names.' },
)

const Hold = Type.Object(
  {
    notify: Type.Optional(
      Type.Array(Email, { maxItems: 20, description: 'Who is asked by email, besides the members who can approve.' }),
    ),
    expires_in_hours: Type.Optional(Type.Integer({ minimum: 1, maximum: 720, default: DEFAULT_HOLD_HOURS })),
  },
  { description: 'How approval is asked for.' },
)

/** What mail of an API key, of an app or of an inbox's agent is allowed to be. A rule that is absent allows everything. */
export const Policy = Type.Object(
  {
    recipients: Type.Optional(Recipients),
    max_emails_per_hour: count('Each recipient counts as an email. Of any 60 minutes.'),
    max_emails_per_day: count('Each recipient counts as an email. Of any 24 hours.'),
    max_emails_per_recipient_per_day: count('Of any 24 hours. `ada+news@example.com` counts as `ada@example.com`.'),
    templates_only: Type.Optional(
      Type.Boolean({
        description: 'Subject, content and Reply-To are those of a template, and there are no attachments.',
      }),
    ),
    senders: Type.Optional(
      Type.Array(Type.String({ maxLength: 320 }), {
        minItems: 1,
        maxItems: MAX_ENTRIES,
        description: 'Addresses, or domains, that mail may come from.',
        examples: [['support@example.com']],
      }),
    ),
    no_bcc: Type.Optional(Type.Boolean({ description: 'Everybody who gets a mail is named in it.' })),
    hold: Type.Optional(
      Type.Union([Type.Boolean(), Hold], { description: 'Mail waits until a person has approved it.' }),
    ),
    dry_run: Type.Optional(
      Type.Boolean({ description: 'Nothing is refused or held: what would have been is recorded.' }),
    ),
  },
  { title: 'Policy', minProperties: 1, ...EXACT },
)
export type Policy = Static<typeof Policy>

/** How long mail waits for approval. */
export const holdHoursOf = (hold: Policy['hold']): number =>
  (typeof hold === 'object' ? hold.expires_in_hours : undefined) ?? DEFAULT_HOLD_HOURS

/** In answers to whoever sets a policy. */
export const Hint = Type.Optional(
  Type.String({
    description:
      'What to know about the policy: that nobody is emailed about mail that waits for approval, for instance.',
  }),
)

/** What whoever sets a policy is answered. */
export const hintedReference = <const Name extends string>(object: Name) =>
  Type.Object({ ...referenceTo(object).properties, hint: Hint })

/** The rules that can refuse a mail, in the order in which they are asked. The first is one of every policy. */
export const RULES = [
  'relay_headers',
  'senders',
  'templates_only',
  'no_bcc',
  'recipients',
  'max_emails_per_recipient_per_day',
  'max_emails_per_hour',
  'max_emails_per_day',
] as const
export type Rule = (typeof RULES)[number]

/** What is recorded of what a policy does not allow: also a call of an endpoint that it leaves no room for. */
export const RECORDED_RULES = [...RULES, 'operation'] as const
export type RecordedRule = (typeof RECORDED_RULES)[number]

/** So many that differ are kept of a rule and a minute. */
export const MAX_SAMPLES = 20

const Sample = Type.Object({
  from: Type.String(),
  recipients: Type.Array(Type.String(), { description: 'Ten at most.' }),
  subject: Type.String(),
})

/** What was done under a policy. */
export const PolicyActivity = Type.Object(
  {
    object: Type.Literal('policy_activity'),
    id: Type.String({ format: 'uuid', description: 'That of the key, the app or the inbox.' }),
    holder: oneOf(['api_key', 'oauth_grant', 'inbox_agent']),
    policy: nullable(Policy),
    hint: nullable(Type.String({ description: 'What to know about the policy: as whoever sets it is told.' })),
    used: Type.Object({
      emails_last_hour: Type.Integer({ description: 'As `max_emails_per_hour` counts.' }),
      emails_last_day: Type.Integer({ description: 'As `max_emails_per_day` counts.' }),
    }),
    data: Type.Array(
      Type.Object({
        date: Type.String({ description: 'A day in UTC.', examples: ['2026-11-15'] }),
        emails: Type.Integer(),
        recipients: Type.Integer(),
        refusals: Type.Integer({ description: 'An email that two rules refuse counts twice.' }),
        held: Type.Integer({ description: 'Emails that waited for approval.' }),
      }),
      { description: 'The last 30 days, the oldest first.' },
    ),
    refusals: Type.Array(
      Type.Object({
        rule: oneOf(RECORDED_RULES),
        emails: Type.Integer({ description: 'Refused by this rule in the same minute.' }),
        is_dry_run: Type.Boolean({ description: 'They were sent, since the policy is a dry run.' }),
        last_at: Timestamp,
        from: Type.String(),
        recipients: Type.Array(Type.String(), { description: 'Of the last one, ten at most.' }),
        subject: Type.String({ description: 'Of the rule `operation` the call that was refused: `POST /api-keys`.' }),
        samples: Type.Array(Sample, { description: `The first ${MAX_SAMPLES} of that minute that differ.` }),
      }),
      { description: 'The newest 100.' },
    ),
    emails: Type.Array(
      Type.Object({
        id: Id,
        to: Type.Array(Type.String()),
        subject: Type.String(),
        last_event: oneOf(LAST_EVENTS),
        created_at: Timestamp,
      }),
      { description: 'The newest 100 that were sent under a policy.' },
    ),
  },
  { title: 'PolicyActivity' },
)

/** What would become of an email. */
export const DryRun = Type.Object(
  {
    object: Type.Literal('dry_run'),
    result: oneOf(['send', 'hold', 'refuse']),
    refusals: Type.Array(Type.Object({ rule: oneOf(RULES), message: Type.String() }), {
      description: 'What does not allow it. A policy that is a dry run itself sends it all the same.',
    }),
  },
  { title: 'DryRun' },
)
