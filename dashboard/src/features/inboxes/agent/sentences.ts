import type { Static } from 'typebox'
import type { AgentAct, AgentAction, AgentRun } from '../../../../../src/features/inboxes/agent/schema.ts'

export type Act = Static<typeof AgentAct>
export type Run = Static<typeof AgentRun>

/** What each action is called where it is allowed, and what it means. */
export const ACTION_TEXTS: Readonly<Record<AgentAction, { readonly name: string; readonly hint: string }>> = {
  draft_reply: {
    name: 'Write drafts of replies',
    hint: 'A person reads, changes and sends them. It never sends a reply.',
  },
  forward_thread: { name: 'Forward messages', hint: 'With their attachments, and only to the addresses below.' },
  add_labels: { name: 'Add labels', hint: 'Those that this inbox has.' },
  assign_thread: { name: 'Assign threads', hint: 'To members of the team, if nobody is assigned yet.' },
  mark_as_spam: { name: 'Mark as spam', hint: 'Moves the thread to the folder for spam.' },
  archive: { name: 'Archive', hint: 'Moves the thread out of the inbox. A new message brings it back.' },
  move_to_trash: { name: 'Move to the trash', hint: 'Where a thread is deleted after 30 days.' },
}

/** What was done, in words. */
export function sentenceOf({ action, outcome, detail }: Act): string {
  const isDone = outcome === 'done'
  switch (action) {
    case 'draft_reply':
      return isDone ? 'Wrote a draft' : 'Wanted to write a draft'
    case 'forward_thread':
      return isDone ? `Forwarded to ${detail}` : 'Wanted to forward it'
    case 'add_labels':
      return isDone ? `Added ${detail}` : 'Wanted to add labels'
    case 'assign_thread':
      return isDone ? `Assigned to ${detail}` : 'Wanted to assign it'
    case 'mark_as_spam':
      return isDone ? 'Marked as spam' : 'Wanted to mark it as spam'
    case 'archive':
      return isDone ? 'Archived' : 'Wanted to archive it'
    case 'move_to_trash':
      return isDone ? 'Moved to the trash' : 'Wanted to move it to the trash'
  }
}

/** A run without acts, in words. */
export function quietSentenceOf({ status, error }: Run): string {
  if (status === 'skipped') return `Did not look at it. ${error ?? ''}`.trim()
  if (status === 'failed') return error ?? 'Something went wrong.'
  return 'Found nothing to do.'
}
