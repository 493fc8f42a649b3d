import type { WEBHOOK_EVENTS } from './schema.ts'

export type WebhookEventType = (typeof WEBHOOK_EVENTS)[number]

/** Ids that nothing has: a receiver that looks one up finds nothing. */
const sampleId = (number: number) => `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`

const ID = {
  email: sampleId(1),
  contact: sampleId(2),
  segment: sampleId(3),
  topic: sampleId(4),
  domain: sampleId(5),
  suppression: sampleId(6),
  inbox: sampleId(7),
  thread: sampleId(8),
  draft: sampleId(9),
  attachment: sampleId(10),
  label: sampleId(11),
  broadcast: sampleId(12),
  policy: sampleId(13),
}

/** What a test event of a type says: each field that events of this type have. `at` is ISO. */
export function sampleData(type: WebhookEventType, at: string): object {
  const [group] = type.split('.') as [keyof typeof SAMPLES]
  return SAMPLES[group](type, at)
}

const sentEmail = (at: string) => ({
  email_id: ID.email,
  created_at: at,
  from: 'Acme <hello@example.com>',
  to: ['ada@example.org'],
  subject: 'Test event',
  message_id: `<${ID.email}@example.com>`,
  tags: { category: 'test' },
})

const EMAIL_PARTS: { readonly [Type in WebhookEventType]?: (at: string) => object } = {
  'email.bounced': () => ({
    bounce: {
      message: 'The mailbox does not exist.',
      type: 'Permanent',
      subType: 'NoEmail',
      diagnosticCode: ['smtp; 550 5.1.1 user unknown'],
    },
  }),
  'email.clicked': (at) => ({
    click: { ipAddress: '192.0.2.1', link: 'https://example.com/', timestamp: at, userAgent: 'Mozilla/5.0' },
  }),
  'email.failed': () => ({ failed: { reason: 'reached_daily_quota' } }),
  'email.suppressed': () => ({
    suppressed: {
      message: 'The address has bounced before.',
      type: 'OnAccountSuppressionList',
      reason: 'previous_bounce',
      diagnosticCode: [],
    },
  }),
}

const receivedEmail = (at: string) => ({
  email_id: ID.email,
  created_at: at,
  from: 'ada@example.org',
  to: ['hello@example.com'],
  cc: [],
  bcc: [],
  received_for: ['hello@example.com'],
  message_id: `<${ID.email}@example.org>`,
  subject: 'Test event',
  attachments: [
    {
      id: ID.attachment,
      filename: 'test.pdf',
      content_type: 'application/pdf',
      content_disposition: 'attachment',
      content_id: null,
    },
  ],
})

const inbox = { source: 'system', inbox_id: ID.inbox }

const INBOX_PARTS: { readonly [Type in WebhookEventType]?: object } = {
  'inbox.thread.created': { thread_id: ID.thread, email_id: ID.email },
  'inbox.thread.folder.updated': { thread_id: ID.thread, from: 'inbox', to: 'archive' },
  'inbox.thread.assigned': {
    thread_id: ID.thread,
    assignee_email: 'grace@example.com',
    assigned_by_email: 'ada@example.com',
    previous_assignee_email: null,
  },
  'inbox.thread.unassigned': { thread_id: ID.thread, previous_assignee_email: 'grace@example.com' },
  'inbox.thread.labels.updated': {
    thread_id: ID.thread,
    added: [{ id: ID.label, name: 'Urgent', color: '#ff0000' }],
    removed: [],
  },
  'inbox.email.received': { thread_id: ID.thread, email_id: ID.email },
  'inbox.email.sent': { thread_id: ID.thread, email_id: ID.email },
  'inbox.draft.created': { thread_id: ID.thread, draft_id: ID.draft },
  'inbox.draft.updated': { thread_id: ID.thread, draft_id: ID.draft },
  'inbox.draft.sent': { thread_id: ID.thread, draft_id: ID.draft, email_id: ID.email },
  'inbox.draft.deleted': { thread_id: ID.thread, draft_id: ID.draft },
}

const domainFinding = (isBroken: boolean, since: string) => ({
  check: 'dmarc',
  status: isBroken ? 'problem' : 'ok',
  message: isBroken ? 'There is no DMARC record. Large providers ask for one.' : 'DMARC is p=none; reports come here.',
  ...(isBroken && { record: { name: '_dmarc.example.com', type: 'TXT', value: 'v=DMARC1; p=none' } }),
  since,
})

const SAMPLES = {
  approval: (type: WebhookEventType, at: string) => {
    const status = type === 'approval.requested' ? 'waiting' : type.slice('approval.'.length)
    return {
      email_id: ID.email,
      status,
      policy_id: ID.policy,
      holder: { kind: 'api_key', id: ID.policy },
      from: 'Acme <hello@example.com>',
      to: ['ada@example.org'],
      cc: [],
      bcc: [],
      subject: 'Welcome',
      scheduled_at: null,
      created_at: at,
      expires_at: at,
      decided_at: status === 'waiting' ? null : at,
      decided_by: status === 'approved' || status === 'refused' ? 'grace@example.com' : null,
    }
  },
  broadcast: (_type: WebhookEventType, at: string) => ({
    id: ID.broadcast,
    name: 'November news',
    pause: { cause: 'bounces', rate: 7.2, max_rate: 5, emails: 2_000 },
    paused_at: at,
  }),
  email: (type: WebhookEventType, at: string) =>
    type === 'email.received' ? receivedEmail(at) : { ...sentEmail(at), ...EMAIL_PARTS[type]?.(at) },
  contact: (type: WebhookEventType, at: string) =>
    type === 'contact.topics.updated'
      ? { email: 'ada@example.org', topics: [{ id: ID.topic, subscription: 'opt_in' }] }
      : {
          id: ID.contact,
          audience_id: ID.segment,
          segment_ids: [ID.segment],
          created_at: at,
          updated_at: at,
          email: 'ada@example.org',
          first_name: 'Ada',
          last_name: 'Lovelace',
          unsubscribed: false,
        },
  domain: (type: WebhookEventType, at: string) => ({
    id: ID.domain,
    name: 'example.com',
    ...(type === 'domain.degraded' || type === 'domain.recovered'
      ? { findings: [domainFinding(type === 'domain.degraded', at)] }
      : { status: 'verified', created_at: at, region: 'us-east-1', records: [] }),
  }),
  suppression: (_type: WebhookEventType, at: string) => ({
    id: ID.suppression,
    email: 'ada@example.org',
    origin: 'bounce',
    source_id: ID.email,
    created_at: at,
  }),
  topic: (type: WebhookEventType, at: string) => ({
    id: ID.topic,
    name: 'Newsletter',
    description: null,
    default_subscription: 'opt_in',
    deleted: type === 'topic.deleted',
    created_at: at,
    updated_at: at,
  }),
  inbox: (type: WebhookEventType) => ({ ...inbox, ...INBOX_PARTS[type] }),
}
