import { threadSubject } from './thread-subject.ts'

/** A reserved byte, five of the time and sixteen of a GUID: the same in all messages of a conversation. Each answer adds five. */
const CONVERSATION_BYTES = 22
/** A thousand answers have 5 kB. */
const MAX_LENGTH = 10_000

/**
 * The name of the conversation that Outlook and Exchange give a message, with Thread-Index and Thread-Topic ([MS-OXOMSG] 2.2.1.3); null: they
 * give none. Their answers have it also where References got lost. One that begins something new under another subject has another topic.
 */
export function outlookConversation(index: string | undefined, topic: string | undefined): string | null {
  if (index === undefined || index.length > MAX_LENGTH) return null
  const characters = index.replace(/\s+/g, '')
  if (!/^[A-Za-z\d+/]+=*$/.test(characters)) return null
  const bytes = Buffer.from(characters, 'base64')
  if (bytes.length < CONVERSATION_BYTES || (bytes.length - CONVERSATION_BYTES) % 5 !== 0) return null
  return `${bytes.toString('hex', 0, CONVERSATION_BYTES)} ${threadSubject(topic ?? '')}`
}
