import type { Reply } from '../../api.ts'
import { texts } from './texts.ts'

export type FullBroadcast = Reply<'broadcasts.get'>

export const FIRST_HTML = `<h1>${texts.starter.greeting}</h1>
<p>${texts.starter.body}</p>
<p><a href="{{{RESEND_UNSUBSCRIBE_URL}}}">${texts.starter.unsubscribe}</a></p>`
