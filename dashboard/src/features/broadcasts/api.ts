import type { Static } from 'typebox'
import type {
  Broadcast,
  BroadcastItem,
  BroadcastRecipient,
  ClickedLink,
} from '../../../../src/resources/broadcasts/schema.ts'

export type BroadcastRow = Static<typeof BroadcastItem>
export type FullBroadcast = Static<typeof Broadcast>
export type Recipient = Static<typeof BroadcastRecipient>
export type LinkRow = Static<typeof ClickedLink>

export const FIRST_HTML = `<h1>Hello {{{FIRST_NAME|there}}}</h1>
<p>Write something here.</p>
<p><a href="{{{RESEND_UNSUBSCRIBE_URL}}}">Unsubscribe</a></p>`
