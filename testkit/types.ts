// What the API answers, as far as tests read it. `types.test.ts` holds it against the schemas of the server.

export interface MessageItem {
  readonly id: string
  /** As seen by the sandbox: what the application sent, and what it received. */
  readonly direction: 'sent' | 'received'
  readonly from: string
  readonly to: string[]
  readonly cc: string[]
  readonly bcc: string[]
  readonly reply_to: string[]
  readonly subject: string
  readonly snippet: string
  /** Of a sent one: its last event, like `delivered`. */
  readonly status: string | null
  readonly is_read: boolean
  readonly labels: string[]
  readonly tags: { name: string; value: string }[]
  readonly attachments: number
  readonly size: number
  readonly created_at: string
}

export interface Link {
  readonly text: string
  readonly href: string
  /** Where it leads: behind a tracked link, the address that it stands for. */
  readonly target: string
}

export interface Attachment {
  readonly id: string
  readonly filename: string | null
  readonly content_type: string
  readonly content_id: string | null
  readonly size: number
  readonly download_url: string
}

/** A message with all that is in it. */
export interface MessageData extends Omit<MessageItem, 'attachments'> {
  readonly object: 'message'
  readonly html: string | null
  readonly text: string | null
  readonly headers: { name: string; value: string }[]
  readonly links: Link[]
  /** One-time codes, without spaces or dashes; the likeliest first. */
  readonly codes: string[]
  readonly unsubscribe: { url: string | null; mailto: string | null; one_click: boolean } | null
  readonly images: { src: string; alt: string | null }[]
  readonly attachments: Attachment[]
  /** The message as it is on the wire. Null above 1 MB. */
  readonly raw: string | null
}

/** Which messages. All of what is given must fit. */
export interface MessageFilter {
  /** A recipient: the whole address, in any case. */
  readonly to?: string
  /** The sender: the whole address, in any case. */
  readonly from?: string
  /** A part of the subject, in any case. */
  readonly subject?: string
  /** A part of the text, in any case. */
  readonly text?: string
  /** `name` or `name:value`, or a label. */
  readonly tag?: string
  readonly direction?: 'sent' | 'received'
  /** Only what came after this message, or after this time. */
  readonly after?: { readonly id: string } | Date | string
}

/** Something that happened while the clock was advanced. */
export interface Happened {
  readonly at: string
  /** Like `email.delivered`. */
  readonly type: string
  readonly id?: string
  readonly to?: string[]
  readonly subject?: string
  readonly detail?: string
}

export interface ClockState {
  readonly now: string
  readonly is_frozen: boolean
}

export interface Advance extends ClockState {
  /** At how many moments something was due. */
  readonly steps: number
  readonly happened: Happened[]
  /** Whether more happened than `happened` lists. */
  readonly has_more: boolean
}

export interface Attempts {
  at_least?: number
  at_most?: number
}

/** Which deliveries a rule is for. All of what is given must fit. */
export interface RuleMatch {
  to?: string
  domain?: string
  from?: string
  subject?: string
  tag?: string
  attempt?: Attempts
  nth?: number
  probability?: number
}

type Visitor = 'person' | 'privacy_proxy' | 'scanner'

/** What the other side does. */
export interface RuleOutcome {
  /** Like `550 5.1.1 no such user`. */
  reply?: string
  delayed?: string
  connection_lost?: 'before_data' | 'after_data'
  greylisted?: number
  bounced?: { after?: string; reply?: string }
  complained?: { after?: string }
  opened?: { after?: string; by?: Visitor }
  clicked?: { after?: string; by?: Visitor; link?: string }
  unsubscribed?: { after?: string }
  replied?: { after?: string; text: string; subject?: string }
}

export interface Rule {
  match?: RuleMatch
  outcome: RuleOutcome
}

export interface WebhookRule {
  match?: { endpoint?: string; event?: string; attempt?: Attempts; probability?: number }
  outcome: { status?: number; times_out?: true; connection_lost?: true; times?: number }
}

interface Refusal {
  reply?: string
  probability?: number
}

/** What the outside world does to mail, webhooks and logins. Of the rules, the first that fits counts. */
export interface ScenarioData {
  rules?: Rule[]
  webhooks?: WebhookRule[]
  smtp?: { mail?: Refusal; rcpt?: Refusal; auth?: Refusal }
}
