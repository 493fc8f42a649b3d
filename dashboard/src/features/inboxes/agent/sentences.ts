import type { Static } from 'typebox'
import type { AgentAct, AgentAction, AgentRun } from '../../../../../src/features/inboxes/agent/schema.ts'
import { texts } from './texts.ts'

export type Act = Static<typeof AgentAct>
export type Run = Static<typeof AgentRun>

/** What each action is called where it is allowed, and what it means. */
export const ACTION_TEXTS: Readonly<Record<AgentAction, { readonly name: string; readonly hint: string }>> = {
  draft_reply: {
    name: texts.permissions.draftReplies,
    hint: texts.permissions.draftRepliesHint,
  },
  forward_thread: { name: texts.permissions.forward, hint: texts.permissions.forwardHint },
  add_labels: { name: texts.permissions.addLabels, hint: texts.permissions.addLabelsHint },
  assign_thread: { name: texts.permissions.assign, hint: texts.permissions.assignHint },
  mark_as_spam: { name: texts.permissions.markAsSpam, hint: texts.permissions.markAsSpamHint },
  archive: { name: texts.permissions.archive, hint: texts.permissions.archiveHint },
  move_to_trash: { name: texts.permissions.moveToTrash, hint: texts.permissions.moveToTrashHint },
}

/** What was done, in words. */
export function sentenceOf({ action, outcome, detail }: Act): string {
  const isDone = outcome === 'done'
  switch (action) {
    case 'draft_reply':
      return isDone ? texts.acts.drafted : texts.acts.draftBlocked
    case 'forward_thread':
      return isDone ? texts.acts.forwarded(detail ?? '') : texts.acts.forwardBlocked
    case 'add_labels':
      return isDone ? texts.acts.labeled(detail ?? '') : texts.acts.labelsBlocked
    case 'assign_thread':
      return isDone ? texts.acts.assigned(detail ?? '') : texts.acts.assignmentBlocked
    case 'mark_as_spam':
      return isDone ? texts.acts.markedAsSpam : texts.acts.spamBlocked
    case 'archive':
      return isDone ? texts.acts.archived : texts.acts.archivingBlocked
    case 'move_to_trash':
      return isDone ? texts.acts.movedToTrash : texts.acts.trashBlocked
  }
}

/** A run without acts, in words. */
export function quietSentenceOf({ status, error }: Run): string {
  if (status === 'skipped') return texts.acts.skipped(error ?? '').trim()
  if (status === 'failed') return error ?? texts.acts.failed
  return texts.acts.none
}
