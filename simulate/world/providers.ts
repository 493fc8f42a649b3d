import type { Limit, SiteDefinition, SitePolicy } from '../sites/site-policy.ts'

/** A large provider of the generated world: its names are the real ones of its mail servers, by which senders know it. */
export interface ProviderSketch extends Pick<SiteDefinition, 'name' | 'voice' | 'domains' | 'hosts'> {
  /** Messages a minute for each identity of a kind when it is warm: from, to. */
  readonly perMinute: readonly { readonly by: Limit['by']; readonly range: readonly [number, number] }[]
  readonly temper: SitePolicy
}

const DAY_SECONDS = 86_400

/** Not slowing down within a minute costs half of the limit for an hour; three times within a day, the day. */
export const ESCALATES: NonNullable<SitePolicy['escalation']> = {
  grace_seconds: 60,
  deferrals: 30,
  within_seconds: 600,
  blocks_after: 3,
  block_seconds: DAY_SECONDS,
}

/** Recipients are below `.internal`, a top-level domain that is reserved for private networks: mail that misses the simulated name server goes nowhere. */
export const PROVIDERS: readonly ProviderSketch[] = [
  {
    name: 'gmail',
    voice: 'gmail',
    domains: ['gmail.internal', 'googlemail.internal'],
    hosts: ['gmail-smtp-in.l.google.com', 'alt1.gmail-smtp-in.l.google.com'],
    perMinute: [
      { by: 'source', range: [40, 80] },
      { by: 'dkim_domain', range: [12, 30] },
    ],
    temper: {
      warm_up: { by: 'dkim_domain', share: 0.1, growth: 1.4 },
      escalation: ESCALATES,
      max_connections: 10,
      unknown_share: 0.01,
      tls: 'good',
      mta_sts: 'enforce',
    },
  },
  {
    name: 'outlook',
    voice: 'outlook',
    domains: ['outlook.internal', 'hotmail.internal', 'live.internal'],
    hosts: ['outlook-com.olc.protection.outlook.com'],
    perMinute: [{ by: 'source', range: [30, 60] }],
    temper: {
      warm_up: { by: 'source', share: 0.1, growth: 1.4 },
      escalation: { ...ESCALATES, deferrals: 20, blocks_after: 1 },
      max_connections: 5,
      max_messages_per_connection: 50,
      unknown_share: 0.01,
      tls: 'good',
      mta_sts: 'enforce',
    },
  },
  {
    name: 'yahoo',
    voice: 'yahoo',
    domains: ['yahoo.internal', 'aol.internal'],
    hosts: ['mta5.am0.yahoodns.net', 'mta6.am0.yahoodns.net', 'mta7.am0.yahoodns.net'],
    perMinute: [{ by: 'source', range: [25, 50] }],
    temper: {
      warm_up: { by: 'source', share: 0.2, growth: 1.4 },
      escalation: ESCALATES,
      max_connections: 10,
      max_messages_per_connection: 20,
      closes_silently: true,
      unknown_share: 0.02,
      tls: 'good',
      mta_sts: 'testing',
    },
  },
  {
    name: 'icloud',
    voice: 'icloud',
    domains: ['icloud.internal', 'me.internal'],
    hosts: ['mx01.mail.icloud.com', 'mx02.mail.icloud.com'],
    perMinute: [
      { by: 'source', range: [20, 40] },
      { by: 'spf_domain', range: [8, 20] },
    ],
    temper: {
      escalation: ESCALATES,
      max_connections: 5,
      max_messages_per_connection: 10,
      unknown_share: 0.01,
      tls: 'good',
    },
  },
  {
    name: 'gmx',
    voice: 'gmx',
    domains: ['gmx.internal', 'web.internal'],
    hosts: ['mx00.gmx.net', 'mx01.gmx.net'],
    perMinute: [{ by: 'source', range: [15, 30] }],
    temper: { escalation: ESCALATES, max_connections: 4, max_messages_per_connection: 20, tls: 'good' },
  },
  {
    name: 'comcast',
    voice: 'comcast',
    domains: ['comcast.internal'],
    hosts: ['mx1a1.comcast.net', 'mx2a1.comcast.net'],
    perMinute: [
      { by: 'source', range: [20, 40] },
      { by: 'tenant', range: [6, 20] },
    ],
    temper: { escalation: ESCALATES, max_connections: 25, tls: 'good' },
  },
  {
    name: 'orange',
    voice: 'orange',
    domains: ['orange.internal', 'wanadoo.internal'],
    hosts: ['smtp-in.orange.fr'],
    perMinute: [{ by: 'source', range: [10, 25] }],
    temper: { escalation: { ...ESCALATES, blocks_after: 2 }, max_connections: 2, max_messages_per_connection: 100 },
  },
  {
    name: 'filter',
    voice: 'mimecast',
    domains: ['filter-a.internal', 'filter-b.internal'],
    hosts: ['eu-smtp-inbound-1.mimecast.com', 'eu-smtp-inbound-2.mimecast.com'],
    perMinute: [
      { by: 'source', range: [20, 40] },
      { by: 'url_domain', range: [6, 20] },
    ],
    temper: { escalation: ESCALATES, max_connections: 10, greylist_seconds: 60, tls: 'good', mta_sts: 'testing' },
  },
]
