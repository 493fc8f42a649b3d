import type { Static } from 'typebox'
import type { AgentAct, AgentAction, AgentRun } from '../../../../../src/features/inboxes/agent/schema.ts'

export type Act = Static<typeof AgentAct>
export type Run = Static<typeof AgentRun>

/** What each action is called where it is allowed, and what it means. */
export const ACTION_TEXTS: Readonly<Record<AgentAction, { readonly name: string; readonly hint: string }>> = {
  draft_reply: {
    name: 'Draft replies',
    hint: 'A person reviews and sends them. The agent never sends a reply.',
  },
  forward_thread: { name: 'Forward messages', hint: 'With attachments, only to the addresses below.' },
  add_labels: { name: 'Add labels', hint: 'Existing labels of this inbox.' },
  assign_thread: { name: 'Assign threads', hint: 'To team members, unless already assigned.' },
  mark_as_spam: { name: 'Mark as spam', hint: 'Moves the thread to Spam.' },
  archive: { name: 'Archive', hint: 'Moves the thread out of the inbox. A new message moves it back.' },
  move_to_trash: { name: 'Move to trash', hint: 'Threads in the trash are deleted after 30 days.' },
}

/** What was done, in words. */
export function sentenceOf({ action, outcome, detail }: Act): string {
  const isDone = outcome === 'done'
  switch (action) {
    case 'draft_reply':
      return isDone ? 'Draft created' : 'Draft blocked'
    case 'forward_thread':
      return isDone ? `Forwarded to ${detail}` : 'Forward blocked'
    case 'add_labels':
      return isDone ? `Labels added: ${detail}` : 'Labels blocked'
    case 'assign_thread':
      return isDone ? `Assigned to ${detail}` : 'Assignment blocked'
    case 'mark_as_spam':
      return isDone ? 'Marked as spam' : 'Marking as spam blocked'
    case 'archive':
      return isDone ? 'Archived' : 'Archiving blocked'
    case 'move_to_trash':
      return isDone ? 'Moved to trash' : 'Moving to trash blocked'
  }
}

/** A run without acts, in words. */
export function quietSentenceOf({ status, error }: Run): string {
  if (status === 'skipped') return `Skipped. ${error ?? ''}`.trim()
  if (status === 'failed') return error ?? 'Failed.'
  return 'No action needed.'
}
