import { isSandbox } from '../../../../platform/ids.ts'
import type { NewEmail } from '../acceptance/accept.ts'
import type { NewCopy } from '../acceptance/accept-copies.ts'
import type { Email } from '../email.ts'
import type { LoadedBroadcast } from '../message/broadcasts.ts'
import { MAX_EVENT_HEAD_BYTES } from '../message/weight.ts'
import { LONG_FIELDS } from './email-fields.ts'
import type { LoadedEmail } from './load.ts'

/** Text of an email that stays in memory from its acceptance on. What is larger is loaded when there is room for it. */
export const MAX_TEXT_BYTES = 64 * 1024

type Writable<Value> = { -readonly [Name in keyof Value]: Value[Name] }

/**
 * An email that was just accepted, as loading it would give it, with its content. Null: it is not for now, or one whose content
 * is elsewhere or large.
 */
export function acceptedEmail(email: NewEmail): LoadedEmail | null {
  const { html, text, headers, createdAt } = email
  if (email.scheduledAt || email.broadcastId || email.submitted || email.attachments.length > 0) return null
  // Its time may be another, and whoever moves it counts what is due in the ledger.
  if (isSandbox(email.team)) return null
  if ((html?.length ?? 0) + (text?.length ?? 0) > MAX_TEXT_BYTES) return null
  const sizes = { ...NOTHING, head: headBytes(email), html: bytesOf(html), text: bytesOf(text) }
  if (sizes.head > MAX_EVENT_HEAD_BYTES || sizes.html + sizes.text > MAX_TEXT_BYTES) return null
  // Written into the one that is there: a copy of its twenty fields took longer than all the rest of this.
  const loaded = email as NewEmail & Writable<LoadedEmail>
  // As the client has written it: the database knows ids in lower case.
  loaded.topicId = email.topicId?.toLowerCase() ?? null
  loaded.sizes = sizes
  loaded.broadcast = null
  loaded.isScheduled = false
  loaded.isDisowned = false
  loaded.sentAt = createdAt
  loaded.content = { html, text, headers, attachments: [], broadcastContent: null, variables: null, submitted: null }
  return loaded
}

/**
 * A copy of a broadcast that was just accepted, in the same way. What the broadcast says is in memory once for all of them, and comes to it when its
 * message is built. Null: a large one.
 */
export function acceptedCopy(copy: NewCopy, broadcast: LoadedBroadcast): LoadedEmail | null {
  if (isSandbox(copy.team)) return null
  const { variables, recipients: _recipients, ...email } = copy
  const isPersonal = Object.keys(variables).length > 0
  const sizes = {
    ...NOTHING,
    html: 0,
    text: 0,
    head: headBytes(copy),
    variables: isPersonal ? bytesOf(JSON.stringify(variables)) : 0,
  }
  if (sizes.head > MAX_EVENT_HEAD_BYTES || sizes.variables > MAX_TEXT_BYTES) return null
  return {
    ...email,
    sizes,
    broadcast,
    isScheduled: false,
    isDisowned: false,
    sentAt: copy.createdAt,
    content: { ...NO_CONTENT, variables: isPersonal ? variables : null },
  }
}

const NO_CONTENT = { html: null, text: null, headers: null, attachments: [], broadcastContent: null, submitted: null }

const NOTHING = { attachments: 0, attachmentRows: 0, variables: 0, submitted: 0 }

const bytesOf = (text: string | null) => (text === null ? 0 : Buffer.byteLength(text))

/** About what the database counts, which puts blanks into JSON. */
function headBytes(email: Email): number {
  let bytes = 0
  for (const { name } of LONG_FIELDS) {
    const value = email[name] ?? null
    bytes += bytesOf(value === null || typeof value === 'string' ? value : JSON.stringify(value))
  }
  return bytes
}
