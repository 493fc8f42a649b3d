import { useQueryClient } from '@tanstack/react-query'
import { UNDO_SECONDS } from '../../../../../src/features/inboxes/drafts/schema.ts'
import { call } from '../../../api.ts'
import { isOneOf, keyOf, refetchMatching } from '../../../queries.ts'
import { toast } from '../../../ui/toast.tsx'
import { texts } from '../texts.ts'
import { offerUndo } from '../undo.ts'
import { useComposer } from './composer.tsx'
import type { SentDraft } from './draft-saver.ts'
import { isProblem } from './problems.ts'

/** The service sends it, whatever becomes of this page: here one can only take it back in time. */
export function useUndoSend(inbox: string) {
  const undo = useUnsend(inbox)
  return (sent: SentDraft) => {
    offerUndo(texts.compose.sent, () => undo(sent), { shownMs: UNDO_SECONDS * 1_000 })
  }
}

/** Takes a draft back that waits to be sent, and opens it as it was. */
export function useUnsend(inbox: string) {
  const queries = useQueryClient()
  const composer = useComposer()
  return async ({ draftId, threadId }: SentDraft) => {
    try {
      await call('inboxes.drafts.unschedule', { inbox, draft: draftId })
    } catch (error) {
      const text = isProblem(error, 409) ? texts.compose.tooLateToUndo : (error as Error).message
      return void toast(text, { isError: true })
    }
    // A cached copy says that the draft is being sent: the editor would take it for sent by somebody else.
    queries.removeQueries({ queryKey: keyOf('inboxes.drafts.get', { inbox, draft: draftId }), type: 'inactive' })
    await refetchMatching(queries, ({ queryKey }) => isOneOf(queryKey, ['inboxes']))
    toast(texts.compose.sendingUndone)
    if (threadId === null) composer.openDraft(draftId)
    else composer.answer({ kind: 'draft', threadId, draftId })
  }
}
