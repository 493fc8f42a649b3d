import Type from 'typebox'

// The shapes of /broadcasts, by the contract.

export interface BroadcastRow {
  readonly id: string
  readonly name: string | null
  readonly segment_id: string | null
  readonly status: 'draft' | 'scheduled' | 'queued' | 'sent' | 'canceled'
  readonly created_at: string
  readonly scheduled_at: string | null
  readonly sent_at: string | null
}

export interface Broadcast extends BroadcastRow {
  readonly from: string | null
  readonly subject: string | null
  readonly reply_to: readonly string[] | null
  readonly preview_text: string | null
  readonly topic_id: string | null
  readonly html: string | null
  readonly text: string | null
}

export interface BroadcastRecipient {
  readonly id: string
  readonly email: string
  readonly contact_id: string | null
  readonly count?: number
  readonly bounce_type?: string
}

export const RECIPIENT_TYPES = [
  ...['sent', 'delivered', 'opened', 'clicked', 'bounced', 'complained', 'unsubscribed', 'suppressed'],
] as const

export const NewBroadcast = Type.Object({
  name: Type.String({ minLength: 1, maxLength: 70 }),
  segment_id: Type.String(),
  from: Type.String({ minLength: 1 }),
  subject: Type.String({ minLength: 1 }),
})

export const FIRST_HTML = `<h1>Hello {{{FIRST_NAME|there}}}</h1>
<p>Write something here.</p>
<p><a href="{{{RESEND_UNSUBSCRIBE_URL}}}">Unsubscribe</a></p>`
