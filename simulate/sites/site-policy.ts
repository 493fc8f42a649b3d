import Type, { type Static } from 'typebox'

/** Whom a receiving site holds mail against. */
export const IDENTITY_KINDS = ['source', 'spf_domain', 'dkim_domain', 'url_domain', 'tenant'] as const
export type IdentityKind = (typeof IDENTITY_KINDS)[number]

/** Who sends a message, in every respect that a site can see. */
export type Identity = Readonly<Record<IdentityKind, string>>

/** Whose words a site uses: its replies are those of a large provider, or of a common program. */
export const VOICES = [
  ...(['gmail', 'outlook', 'yahoo', 'icloud', 'gmx', 'comcast', 'orange', 'mimecast'] as const),
  ...(['postfix', 'exchange'] as const),
] as const
export type ReplyStyle = (typeof VOICES)[number]

const closed = { additionalProperties: false }
const oneOf = <Value extends string>(values: readonly Value[]) => Type.Unsafe<Value>({ enum: [...values] })
const Seconds = Type.Number({ minimum: 0, maximum: 366 * 86_400 })
const Name = Type.String({ minLength: 1, maxLength: 253, pattern: '^[a-z0-9.-]+$' })

/** A token bucket for each identity of a kind. Only what is taken uses a token. */
const Limit = Type.Object(
  {
    by: oneOf(IDENTITY_KINDS),
    per_minute: Type.Number({ exclusiveMinimum: 0, maximum: 1e6 }),
    burst: Type.Integer({ minimum: 1, maximum: 1e6 }),
  },
  closed,
)
export type Limit = Static<typeof Limit>

const WarmUp = Type.Object(
  {
    by: oneOf(IDENTITY_KINDS),
    /** The part of the limit that an identity has on its first day. */
    share: Type.Number({ exclusiveMinimum: 0, maximum: 1 }),
    /** After each day of good behaviour the part is this much larger, up to the whole. */
    growth: Type.Number({ minimum: 1, maximum: 100 }),
    /** Who brings more than this on the first day is blocked; it grows as the part does, and is over when that is the whole. */
    blocks_beyond: Type.Optional(Type.Integer({ minimum: 1, maximum: 1e7 })),
  },
  closed,
)

const Escalation = Type.Object(
  {
    /** From the first time that it is deferred a sender has so long to slow down. */
    grace_seconds: Seconds,
    /** More deferrals than this between the grace and the end of the time: it did not. */
    deferrals: Type.Integer({ minimum: 1, maximum: 1e6 }),
    within_seconds: Seconds,
    /** Each time halves the limit for an hour. So many times within a day, and the sender is blocked. */
    blocks_after: Type.Integer({ minimum: 1, maximum: 1_000 }),
    block_seconds: Seconds,
  },
  closed,
)

/** How a site treats senders, which they are not told. What is left out, it does not do. */
export const SitePolicy = Type.Object(
  {
    limits: Type.Optional(Type.Array(Limit, { maxItems: IDENTITY_KINDS.length })),
    warm_up: Type.Optional(WarmUp),
    escalation: Type.Optional(Escalation),
    /** Mail from an address that it does not know to a recipient is refused until this long after the first try. */
    greylist_seconds: Type.Optional(Seconds),
    /** At once from one source. */
    max_connections: Type.Optional(Type.Integer({ minimum: 1, maximum: 10_000 })),
    max_messages_per_connection: Type.Optional(Type.Integer({ minimum: 1, maximum: 1e6 })),
    /** After the last message of a connection it hangs up without a word, instead of a 421 to the next. */
    closes_silently: Type.Optional(Type.Boolean()),
    /** From this message of a connection on it answers late. */
    tarpit: Type.Optional(
      Type.Object({ after_messages: Type.Integer({ minimum: 0, maximum: 1e6 }), delay_seconds: Seconds }, closed),
    ),
    /** The part of the recipients that do not exist. */
    unknown_share: Type.Optional(Type.Number({ minimum: 0, maximum: 1 })),
    /** It takes no mail from anybody. */
    refuses_all: Type.Optional(Type.Boolean()),
    tls: Type.Optional(oneOf(['none', 'good', 'broken'] as const)),
    mta_sts: Type.Optional(oneOf(['none', 'testing', 'enforce'] as const)),
    reachable: Type.Optional(oneOf(['yes', 'refused', 'timeout'] as const)),
  },
  closed,
)
export type SitePolicy = Static<typeof SitePolicy>

export const SiteDefinition = Type.Object(
  {
    name: Name,
    voice: oneOf(VOICES),
    /** Whose mail it takes. */
    domains: Type.Array(Name, { minItems: 1, maxItems: 100 }),
    /** Its mail servers, as the MX records name them. */
    hosts: Type.Array(Name, { minItems: 1, maxItems: 10 }),
    /** Messages for it each day, of all tenants together. */
    daily_offer: Type.Integer({ minimum: 1, maximum: 1e7 }),
    temper: SitePolicy,
  },
  closed,
)
export type SiteDefinition = Static<typeof SiteDefinition>

export const World = Type.Object(
  {
    /** Each day's mail comes at once, and what was not taken after so long is withdrawn. */
    window_hours: Type.Number({ exclusiveMinimum: 0, maximum: 24 }),
    sources: Type.Array(Type.String({ minLength: 1, maxLength: 45 }), { minItems: 1, maxItems: 100 }),
    tenants: Type.Integer({ minimum: 1, maximum: 1_000 }),
    sites: Type.Array(SiteDefinition, { minItems: 1, maxItems: 10_000 }),
  },
  closed,
)
export type World = Static<typeof World>
