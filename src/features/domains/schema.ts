import Type, { type Static } from 'typebox'
import { deletedOf, Id, objectOf, oneOf, referenceTo, Timestamp, withDefault } from '../../kernel/http/shapes.ts'
import type { HostedMode } from '../../mail/hosted-policy.ts'

/** Of the service whose clients we speak to. There is one place here; the word is kept and given back. */
export const REGIONS = ['us-east-1', 'eu-west-1', 'sa-east-1', 'ap-northeast-1'] as const

export const DOMAIN_STATUSES = [
  'not_started',
  'pending',
  'verified',
  'failed',
  'partially_verified',
  'partially_failed',
] as const
export type DomainStatus = (typeof DOMAIN_STATUSES)[number]

export const RECORD_STATUSES = ['not_started', 'pending', 'verified', 'failed', 'temporary_failure'] as const
export type RecordStatus = (typeof RECORD_STATUSES)[number]

const TLS_MODES = ['opportunistic', 'enforced'] as const
export type TlsMode = (typeof TLS_MODES)[number]

/** `ed25519` alone is fast and small, but few receivers check it yet: `both` is what makes use of it today. */
export const DKIM_CHOICES = ['rsa', 'ed25519', 'both'] as const
export type DkimChoice = (typeof DKIM_CHOICES)[number]

const Switch = oneOf(['enabled', 'disabled'])

export const Capabilities = Type.Object({ sending: Switch, receiving: Switch }, { title: 'DomainCapabilities' })

const RECORD_KINDS = ['SPF', 'DKIM', 'Receiving', 'Tracking'] as const
const SUGGESTIONS = ['MTA-STS', 'DMARC', 'TLS-RPT'] as const
export type RecordKind = (typeof RECORD_KINDS)[number]
export type Suggestion = (typeof SUGGESTIONS)[number]

/** The contract has these kinds and no others, and there are clients that refuse a domain with one that they do not know. */
export const isRecordKind = (kind: RecordKind | Suggestion): kind is RecordKind =>
  (RECORD_KINDS as readonly string[]).includes(kind)

export const DnsRecord = Type.Object(
  {
    record: oneOf(RECORD_KINDS),
    suggestion: Type.Optional(
      Type.Unsafe<Suggestion>({
        ...oneOf(SUGGESTIONS),
        description:
          'What the record is, where it is one that the domain is verified without. Its `record` is `SPF` then: all clients know that kind.',
      }),
    ),
    name: Type.String({ description: 'Below the domain; for the MX record of receiving it is the domain itself.' }),
    type: oneOf(['MX', 'TXT', 'CNAME']),
    ttl: Type.Literal('Auto'),
    status: oneOf(RECORD_STATUSES),
    value: Type.String({
      description:
        'Of the suggestions `DMARC` and `TLS-RPT`, which change no status: what the record should say, with what it says now.',
    }),
    priority: Type.Optional(Type.Integer()),
  },
  { title: 'DnsRecord' },
)

export const DomainItem = Type.Object(
  {
    id: Id,
    name: Type.String({ examples: ['example.com'] }),
    status: oneOf(DOMAIN_STATUSES),
    created_at: Timestamp,
    region: oneOf(REGIONS),
    capabilities: Capabilities,
    open_tracking: Type.Boolean(),
    click_tracking: Type.Boolean(),
  },
  { title: 'DomainItem' },
)

/** What creating one answers. Alone among the answers it has no `object`. */
export const CreatedDomain = Type.Object(
  {
    ...DomainItem.properties,
    tracking_subdomain: Type.Optional(Type.String()),
    mta_sts: Type.Optional(
      Type.Unsafe<Exclude<HostedMode, 'off'>>({
        type: 'string',
        enum: ['testing', 'enforce'],
        description: 'The mode of the MTA-STS policy that is served for it; otherwise absent.',
      }),
    ),
    records: Type.Array(DnsRecord),
  },
  { title: 'CreatedDomain' },
)

export const Domain = Type.Object(
  {
    ...objectOf('domain', CreatedDomain).properties,
    is_claim: Type.Optional(
      Type.Boolean({ description: 'True while a claim of the domain waits for verification; otherwise absent.' }),
    ),
  },
  { title: 'Domain' },
)

const LABEL = {
  // The hyphen is escaped: browsers read the pattern of a field with the flag `v`, to which a bare one is an error.
  pattern: '^[a-z](?:[a-z0-9\\-]*[a-z0-9])?$',
  maxLength: 63,
  description: 'lower-case letters, digits and hyphens, with a letter first and no hyphen last',
}

export const ClaimDomain = Type.Object(
  {
    name: DomainItem.properties.name,
    region: withDefault(oneOf(REGIONS), 'us-east-1'),
    custom_return_path: withDefault(Type.String(LABEL), 'send'),
    open_tracking: withDefault(Type.Boolean(), false),
    click_tracking: withDefault(Type.Boolean(), false),
    tracking_subdomain: Type.Optional(Type.String(LABEL)),
    dkim: withDefault(oneOf(DKIM_CHOICES), 'rsa'),
  },
  { title: 'ClaimDomain' },
)

const SomeCapabilities = Type.Object({ sending: Type.Optional(Switch), receiving: Type.Optional(Switch) })

export const CreateDomain = Type.Object(
  {
    ...ClaimDomain.properties,
    tls: withDefault(oneOf(TLS_MODES), 'opportunistic'),
    capabilities: Type.Optional(SomeCapabilities),
  },
  { title: 'CreateDomain' },
)

/** Name, region and return path stay: keys and DNS records hang on them. */
export const UpdateDomain = Type.Object(
  {
    open_tracking: Type.Optional(Type.Boolean()),
    click_tracking: Type.Optional(Type.Boolean()),
    tracking_subdomain: Type.Optional(Type.String(LABEL)),
    tls: Type.Optional(oneOf(TLS_MODES)),
    mta_sts: Type.Optional(
      Type.Unsafe<HostedMode>({
        type: 'string',
        enum: ['off', 'testing', 'enforce'],
        description:
          'The MTA-STS policy that is served for a domain that receives. `testing` comes first: senders report what would fail, and deliver. `off` ends it.',
      }),
    ),
    capabilities: Type.Optional(SomeCapabilities),
  },
  { title: 'UpdateDomain' },
)

export const DomainReference = referenceTo('domain')
export const DeletedDomain = deletedOf('domain')

export type NewDomain = Static<typeof CreateDomain>
