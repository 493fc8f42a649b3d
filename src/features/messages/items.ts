import type { Static } from 'typebox'
import type { Database } from '../../kernel/db/database.ts'
import { roughText } from '../../mail/rough-text.ts'
import { snippetOf } from '../../mail/snippet.ts'
import type { Steps } from '../../mail/steps.ts'
import { inTurns } from '../../platform/concurrency/in-turns.ts'
import type { Head, Words } from './match.ts'
import { findExtents, findWords } from './queries.ts'
import type { MessageItem } from './schema.ts'

export type Item = Static<typeof MessageItem>

/** More than a line of a list needs: html has much in front of its first words. */
const BEGINNING = { text: 8_000, html: 30_000 }

/** Messages of a team as lists show them, in the order given. */
export async function itemsOf(db: Database, team: string, heads: readonly Head[]): Promise<Item[]> {
  if (heads.length === 0) return []
  const [extents, words] = await Promise.all([findExtents(db, team, heads), findWords(db, team, heads, BEGINNING)])
  const extentOf = new Map(extents.map((extent) => [extent.id, extent]))
  const snippets = await inTurns(snippetsOf(words))
  return heads.map((head) => ({
    ...shownOf(head),
    snippet: snippets.get(head.id) ?? '',
    attachments: extentOf.get(head.id)?.attachments ?? 0,
    size: extentOf.get(head.id)?.size ?? 0,
  }))
}

/** What both the item and the whole message say. */
export const shownOf = (head: Head) => ({
  id: head.id,
  direction: head.direction,
  from: head.from,
  to: [...head.to],
  cc: [...head.cc],
  bcc: [...head.bcc],
  reply_to: [...head.reply_to],
  subject: head.subject,
  status: head.status,
  is_read: head.is_read,
  labels: [...head.labels],
  tags: [...head.tags],
  created_at: head.created_at.toISOString(),
})

/** How a message begins, on one line. */
export const snippetIn = ({ text, html }: Words) => snippetOf(text?.trim() ? text : roughText(html ?? ''))

function* snippetsOf(words: readonly (Words & { id: string })[]): Steps<Map<string, string>> {
  const snippets = new Map<string, string>()
  for (const one of words) {
    snippets.set(one.id, snippetIn(one))
    yield
  }
  return snippets
}
