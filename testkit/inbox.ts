import { type Access, call } from './http.ts'
import { type Message, messageOf } from './message.ts'
import type { MessageData, MessageFilter, MessageItem } from './types.ts'

/** The mail of a sandbox, sent and received. */
export interface Inbox {
  /** The newest message that fits: one that has come already, or the first that comes within `timeout` ms (4,000). */
  waitFor(filter?: MessageFilter, options?: { timeout?: number }): Promise<Message>
  /** As many as that, in the order in which they came. */
  waitForMany(count: number, filter?: MessageFilter, options?: { timeout?: number }): Promise<Message[]>
  /** Fails when a message that fits is there, or comes within `within` ms (300). */
  expectNone(filter?: MessageFilter, options?: { within?: number }): Promise<void>
  /** All that fit, the newest first, without their content. */
  all(filter?: Omit<MessageFilter, 'after'>): Promise<MessageItem[]>
  get(id: string): Promise<Message>
  /** Deletes all messages. */
  clear(): Promise<void>
}

/** A held call is answered after 55 s at the latest. */
const MAX_WAIT_MS = 55_000
/** Less than the 5 s that vitest and jest give a test: then it is this error that people read, and it says what came instead. */
const PATIENCE_MS = 4_000
const ABSENCE_MS = 300

interface Waited {
  found: boolean
  data: MessageData[]
}

export function inboxOf(access: Access): Inbox {
  const hold = (filter: MessageFilter, more: Record<string, string>) =>
    call<Waited>(access, 'GET', `/messages/wait?${queryOf(filter, more)}`)

  async function waitForMany(count: number, filter: MessageFilter = {}, { timeout = PATIENCE_MS } = {}) {
    // Counted, and not measured: tests stop the time of their process.
    for (let left = Math.max(0, timeout); ; left -= MAX_WAIT_MS) {
      const waited = await hold(filter, { count: String(count), timeout: seconds(Math.min(left, MAX_WAIT_MS)) })
      if (waited.found) return waited.data.reverse().map(messageOf)
      if (left <= MAX_WAIT_MS)
        throw new Error(await whatCame(access, { count, filter, timeout, found: waited.data.length }))
    }
  }

  return {
    waitForMany,
    async waitFor(filter, options) {
      const [message] = await waitForMany(1, filter, options)
      return message!
    },
    async expectNone(filter = {}, { within = ABSENCE_MS } = {}) {
      const { data } = await hold(filter, { absent: 'true', timeout: seconds(Math.min(within, MAX_WAIT_MS)) })
      if (data.length > 0)
        throw new Error(`There is a message${wordsOf(filter)}, and none was expected:\n${linesOf(data)}`)
    },
    async all(filter = {}) {
      const found: MessageItem[] = []
      for (let after = ''; ; after = found.at(-1)!.id) {
        const query = queryOf(filter, { limit: '100', ...(after && { after }) })
        const page = await call<{ data: MessageItem[]; has_more: boolean }>(access, 'GET', `/messages?${query}`)
        found.push(...page.data)
        if (!page.has_more) return found
      }
    },
    get: async (id) => messageOf(await call(access, 'GET', `/messages/${encodeURIComponent(id)}`)),
    async clear() {
      await call(access, 'DELETE', '/messages')
    },
  }
}

const seconds = (ms: number) => (Math.ceil(ms) / 1_000).toFixed(3)

function queryOf({ after, ...filter }: MessageFilter, more: Record<string, string>): string {
  const since = after instanceof Date ? after.toISOString() : typeof after === 'object' ? after.id : after
  const given = Object.entries({ ...filter, after: since, ...more }).filter(([, value]) => value !== undefined)
  return new URLSearchParams(given as [string, string][]).toString()
}

/** For whoever reads why a test failed: what was waited for, and what came instead. */
async function whatCame(
  access: Access,
  { count, filter, timeout, found }: { count: number; filter: MessageFilter; timeout: number; found: number },
): Promise<string> {
  const wanted = count === 1 ? 'No message' : `${found} of ${count} messages`
  const failure = `${wanted}${wordsOf(filter)} came within ${timeout / 1_000} s.`
  const [messages, emails] = await Promise.all([
    call<{ data: MessageItem[] }>(access, 'GET', '/messages?limit=10'),
    call<{ data: ScheduledEmail[] }>(access, 'GET', '/emails?limit=100'),
  ])
  const scheduled = emails.data.filter(({ last_event }) => last_event === 'scheduled').slice(0, 10)
  return [
    failure,
    ...(messages.data.length > 0 ? ['What is there:', linesOf(messages.data)] : []),
    ...(scheduled.length > 0 ? ['What waits for its time (clock.advance):', ...scheduled.map(scheduledLine)] : []),
    ...(messages.data.length + scheduled.length === 0 ? [NOTHING(access)] : []),
  ].join('\n')
}

const NOTHING = ({ url }: Access) =>
  `Nothing has come at all. Does the application use the key of this sandbox, and ${url} as its base URL?`

interface ScheduledEmail {
  to: string[]
  subject: string
  last_event: string
  scheduled_at: string | null
}

const scheduledLine = ({ to, subject, scheduled_at }: ScheduledEmail) =>
  `  - to ${to.join(', ')}: "${subject}", ${scheduled_at}`

const linesOf = (messages: readonly Pick<MessageItem, 'direction' | 'from' | 'to' | 'subject' | 'status'>[]) =>
  messages
    .map(({ direction, from, to, subject, status }) => {
      const people = direction === 'sent' ? `to ${to.join(', ')}` : `received from ${from} for ${to.join(', ')}`
      return `  - ${people}: "${subject}"${status ? ` (${status})` : ''}`
    })
    .join('\n')

function wordsOf({ after, ...filter }: MessageFilter): string {
  const words = Object.entries(filter)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}: ${JSON.stringify(value)}`)
  if (after !== undefined) words.push('after another one')
  return words.length > 0 ? ` with ${words.join(', ')}` : ''
}
