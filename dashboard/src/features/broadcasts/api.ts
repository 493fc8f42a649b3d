import type { Reply } from '../../api.ts'

export type FullBroadcast = Reply<'broadcasts.get'>

export const FIRST_HTML = `<h1>Hello {{{FIRST_NAME|there}}}</h1>
<p>Write something here.</p>
<p><a href="{{{RESEND_UNSUBSCRIBE_URL}}}">Unsubscribe</a></p>`
