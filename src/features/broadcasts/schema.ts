import Type, { type Static } from 'typebox'
import {
  ABSENT_IF_EMPTY,
  BULKY,
  deletedOf,
  Id,
  nullable,
  oneOf,
  referenceTo,
  searchText,
  Timestamp,
} from '../../kernel/http/shapes.ts'
import { MAX_SUBJECT_LENGTH } from '../../mail/limits.ts'

export const STATUSES = ['draft', 'scheduled', 'queued', 'sent', 'canceled'] as const

const Name = Type.String({ minLength: 1, maxLength: 255 })
const Subject = Type.String({ maxLength: MAX_SUBJECT_LENGTH })
const Content = nullable(
  Type.String({ ...BULKY, description: 'With variables like `{{{FIRST_NAME|there}}}`, filled from the contact.' }),
)

export const BroadcastItem = Type.Object(
  {
    id: Id,
    name: Name,
    audience_id: Id,
    segment_id: Id,
    status: oneOf(STATUSES),
    created_at: Timestamp,
    scheduled_at: nullable(Timestamp),
    sent_at: nullable(Timestamp),
    topic_id: nullable(Id),
  },
  { title: 'BroadcastItem' },
)

/** What `q` can say of broadcasts. */
export const BROADCAST_OPERATORS = ['from', 'subject', 'status', 'before', 'after'] as const

export const BroadcastFilter = Type.Object({
  q: Type.Optional(searchText(BROADCAST_OPERATORS, 'words of the name and the subject, parts of the sender')),
})

export const Counts = Type.Object(
  {
    audience: Type.Integer({ description: 'Contacts of the segment when sending began.' }),
    emails: Type.Integer({ description: 'Emails created so far.' }),
    unsubscribed: Type.Integer({ description: 'Excluded: unsubscribed from all broadcasts.' }),
    not_subscribed: Type.Integer({ description: 'Excluded: not subscribed to the topic.' }),
    suppressed: Type.Integer({ description: 'Excluded: on the suppression list.' }),
    sent: Type.Integer({ description: 'Emails attempted, counted from the first one without a gap.' }),
    canceled: Type.Integer({ description: 'Emails canceled before they were sent.' }),
  },
  { title: 'BroadcastCounts' },
)

const { unsubscribed, not_subscribed, suppressed } = Counts.properties

/** What would become of a broadcast if it were sent now. */
export const BroadcastAudience = Type.Object(
  {
    object: Type.Literal('broadcast_audience'),
    audience: Type.Integer({ description: 'Contacts of the segment.' }),
    recipients: Type.Integer({ description: 'Contacts who would receive it.' }),
    unsubscribed,
    not_subscribed,
    suppressed,
  },
  { title: 'BroadcastAudience' },
)

export const BroadcastPause = Type.Object(
  {
    cause: oneOf(['bounces', 'complaints']),
    rate: Type.Number({ description: 'In percent, when it was paused.' }),
    max_rate: Type.Number({ description: 'In percent.' }),
    emails: Type.Integer({ description: 'Emails attempted by then.' }),
  },
  { title: 'BroadcastPause' },
)

const guardFields = {
  enabled: Type.Boolean({ description: 'Whether broadcasts are paused automatically.' }),
  min_emails: Type.Integer({
    minimum: 1,
    maximum: 1_000_000,
    description: 'Emails attempted before rates are judged.',
  }),
  max_bounce_rate: Type.Number({
    minimum: 0,
    maximum: 100,
    description: 'Permanent bounces, in percent of the emails attempted.',
  }),
  max_complaint_rate: Type.Number({
    minimum: 0,
    maximum: 100,
    description: 'Complaints, in percent of the emails delivered.',
  }),
}

export const BroadcastGuard = Type.Object(
  { object: Type.Literal('broadcast_guard'), ...guardFields },
  { title: 'BroadcastGuard' },
)

export const UpdateBroadcastGuard = Type.Partial(Type.Object(guardFields), { title: 'UpdateBroadcastGuard' })

const { id, name, audience_id, segment_id, status, created_at, scheduled_at, sent_at, topic_id } =
  BroadcastItem.properties

export const Broadcast = Type.Object(
  {
    object: Type.Literal('broadcast'),
    id,
    name,
    audience_id,
    segment_id,
    from: Type.String(),
    subject: Type.String(),
    reply_to: nullable(Type.Array(Type.String())),
    preview_text: nullable(Type.String()),
    status,
    created_at,
    scheduled_at,
    sent_at,
    topic_id,
    html: Content,
    text: Content,
    counts: Counts,
    paused_at: nullable(Timestamp),
    pause: nullable(BroadcastPause),
  },
  { title: 'Broadcast' },
)

const ScheduledAt = Type.Optional(
  Type.String({
    description:
      'ISO 8601, or words like `in 1 hour` or `tomorrow at 9am Asia/Tokyo`. UTC without a time zone. At most 30 days ahead.',
  }),
)

const Changes = {
  name: Type.Optional(Name),
  segment_id: Type.Optional(segment_id),
  audience_id: Type.Optional(audience_id),
  from: Type.Optional(Type.String()),
  subject: Type.Optional(Subject),
  reply_to: Type.Optional(
    Type.Union([Type.String(), Type.Array(Type.String(), { maxItems: 50 }), Type.Null()], ABSENT_IF_EMPTY),
  ),
  preview_text: Type.Optional(nullable(Type.String({ maxLength: MAX_SUBJECT_LENGTH }))),
  html: Type.Optional(Content),
  text: Type.Optional(Content),
  topic_id: Type.Optional(topic_id),
}

export const CreateBroadcast = Type.Object(
  {
    ...Changes,
    from: Type.String(),
    subject: Subject,
    send: Type.Optional(Type.Boolean({ description: 'Sends now, or at `scheduled_at`. Otherwise it is a draft.' })),
    scheduled_at: ScheduledAt,
  },
  { title: 'CreateBroadcast' },
)

export const UpdateBroadcast = Type.Object(Changes, { title: 'UpdateBroadcast' })

export const SendBroadcast = Type.Object({ scheduled_at: ScheduledAt }, { title: 'SendBroadcast' })

export const BroadcastReference = referenceTo('broadcast')
export const DeletedBroadcast = deletedOf('broadcast')

export const FATES = [
  'sent',
  'delivered',
  'opened',
  'clicked',
  'bounced',
  'complained',
  'unsubscribed',
  'suppressed',
] as const

const BounceType = oneOf(['permanent', 'transient', 'undetermined'])

export const RecipientQuery = Type.Object({
  type: oneOf(FATES),
  email: Type.Optional(
    // What cannot be decoded is left with its percent signs.
    Type.String({ maxLength: 320, pattern: '^[^\\s%]+$', description: 'Part of the address.' }),
  ),
  bounce_type: Type.Optional(BounceType),
})

export type RecipientQuery = Static<typeof RecipientQuery>

const Clicks = { url: Type.String(), clicks: Type.Integer() }

export const BroadcastRecipient = Type.Object(
  {
    id: Id,
    contact_id: nullable(Id),
    email: Type.String(),
    count: Type.Optional(Type.Integer({ description: 'With `opened` and `clicked`: number of times.' })),
    bounce_type: Type.Optional(BounceType),
    clicked_links: Type.Optional(Type.Array(Type.Object(Clicks))),
  },
  { title: 'BroadcastRecipient' },
)

export const ClickedLink = Type.Object(
  { id: Id, ...Clicks, unique_clicks: Type.Integer({ description: 'Recipients who clicked it.' }) },
  { title: 'ClickedLink' },
)

const Share = Type.Object({
  total: Type.Integer(),
  percentage: Type.Number({ description: 'Of `sent` while it is being sent, of `total` afterwards.' }),
})

export const BroadcastMetrics = Type.Object(
  {
    object: Type.Literal('broadcast_metrics'),
    broadcast_id: Id,
    status,
    created_at,
    scheduled_at,
    sent_at,
    total: Type.Integer({ description: 'Recipients, those on the suppression list included.' }),
    sent: Type.Integer({ description: 'Delivered or bounced.' }),
    remaining: Type.Integer({ description: 'Recipients whose outcome is open.' }),
    delivered: Share,
    opened: Share,
    clicked: Share,
    unsubscribed: Share,
    bounced: Share,
    complained: Share,
    suppressed: Type.Object({
      total: Type.Integer(),
      percentage: Type.Number({ description: 'Of `total`.' }),
    }),
    clicked_links: Type.Array(
      Type.Object({
        url: Type.String(),
        clicks: Type.Integer(),
        unique_clicks: Type.Integer({ description: 'Recipients who clicked it.' }),
        percentage: Type.Number({ description: 'Of all clicks.' }),
      }),
      { description: 'The most clicked ones.' },
    ),
  },
  { title: 'BroadcastMetrics' },
)
