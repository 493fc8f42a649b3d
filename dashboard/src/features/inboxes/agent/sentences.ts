import type { Static } from 'typebox'
import type { AgentAct, AgentAction, AgentRun } from '../../../../../src/features/inboxes/agent/schema.ts'
import { texts } from '../texts.ts'

export type Act = Static<typeof AgentAct>
export type Run = Static<typeof AgentRun>

/** What each action is called where it is allowed, and what it means. */
export const ACTION_TEXTS: Readonly<Record<AgentAction, { readonly name: string; readonly hint: string }>> = {
  draft_reply: {
    name: texts.draftReplies,
    hint: texts.personReviewsSendsThem,
  },
  forward_thread: { name: texts.forwardMessages, hint: texts.withAttachmentsOnlyAddresses },
  add_labels: { name: texts.addLabels, hint: texts.existingLabelsInbox },
  assign_thread: { name: texts.assignThreads, hint: texts.teamMembersUnlessAlready },
  mark_as_spam: { name: texts.markAsSpam, hint: texts.movesThreadSpam },
  archive: { name: texts.archive, hint: texts.movesThreadOutInbox },
  move_to_trash: { name: texts.moveTrash, hint: texts.threadsTrashDeletedAfter },
}

/** What was done, in words. */
export function sentenceOf({ action, outcome, detail }: Act): string {
  const isDone = outcome === 'done'
  switch (action) {
    case 'draft_reply':
      return isDone ? texts.draftCreated : texts.draftBlocked
    case 'forward_thread':
      return isDone ? texts.forwarded(detail ?? '') : texts.forwardBlocked
    case 'add_labels':
      return isDone ? texts.labelsAdded(detail ?? '') : texts.labelsBlocked
    case 'assign_thread':
      return isDone ? texts.assignedOf(detail ?? '') : texts.assignmentBlocked
    case 'mark_as_spam':
      return isDone ? texts.markedAsSpam : texts.markingAsSpamBlocked
    case 'archive':
      return isDone ? texts.archived : texts.archivingBlocked
    case 'move_to_trash':
      return isDone ? texts.movedTrash : texts.movingTrashBlocked
  }
}

/** A run without acts, in words. */
export function quietSentenceOf({ status, error }: Run): string {
  if (status === 'skipped') return texts.skipped(error ?? '').trim()
  if (status === 'failed') return error ?? texts.failed
  return texts.noActionNeeded
}
