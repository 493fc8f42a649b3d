import { useQueryClient } from '@tanstack/react-query'
import { createContext, type ReactNode, useContext, useEffect, useMemo, useState } from 'react'
import type { Item } from '../../../api.ts'
import { isOneOf, refetchMatching } from '../../../queries.ts'
import { toast } from '../../../ui/toast.tsx'
import { texts } from '../texts.ts'
import type { Email, ReplyKind } from './answer.ts'
import { NOTHING } from './draft-content.ts'
import { DraftForm } from './draft-form.tsx'
import type { DraftSaver } from './draft-saver.ts'
import { loadEditor } from './lazy-editor.ts'
import { close, openDraft, openNew, saveUnsavedDrafts } from './open-drafts.ts'
import { useKeyboardInset } from './use-keyboard-inset.ts'

/** What is known of an inbox wherever its mail is shown. */
export type OpenInbox = Pick<Item<'inboxes.list'>, 'id' | 'email_address' | 'from_name'>

/** What the conversation is asked to answer, without an email its last one; or a draft of it that is to be opened. */
export type Answer =
  | { readonly kind: ReplyKind; readonly threadId: string; readonly emailId?: string | undefined }
  | { readonly kind: 'draft'; readonly threadId: string; readonly draftId: string }

export interface Composer {
  /** A new email, in the window at the edge of the page. */
  readonly write: (to?: readonly string[]) => void
  /** A draft that belongs to no thread, in the same window. Others are opened with their thread. */
  readonly openDraft: (draftId: string) => void
  /** For the buttons and the keys `r`, `a` and `f`. The conversation that shows the thread opens its editor. */
  readonly answer: (answer: Answer) => void
  /** Taken by the conversation that is meant. */
  readonly asked: Answer | null
  readonly taken: () => void
}

const Context = createContext<Composer | null>(null)

/** Around all that shows the mail of an inbox: who is below it can write. Renders the window for new emails by itself. */
export function ComposerProvider({ inbox, children }: { inbox: OpenInbox; children: ReactNode }) {
  const [asked, setAsked] = useState<Answer | null>(null)
  const [shown, setShown] = useState<DraftSaver | null>(null)
  useLeftovers(inbox.id)
  useEffect(() => void loadEditor().catch(() => {}), [])
  useKeyboardInset()
  const composer = useMemo<Composer>(() => {
    const show = (opening: Promise<DraftSaver>) =>
      opening.then(setShown, (error: Error) => toast(error.message, { isError: true }))
    return {
      write: (to = []) => void show(openNew(inbox.id, {}, { ...NOTHING, to })),
      openDraft: (id) => void show(openDraft(inbox.id, id)),
      answer: setAsked,
      asked,
      taken: () => setAsked(null),
    }
  }, [inbox.id, asked])
  return (
    <Context value={composer}>
      {children}
      {shown && (
        <div className="draft-place">
          <div className="draft-window">
            <ShownDraft
              key={shown.beginning.key}
              inbox={inbox}
              saver={shown}
              title={texts.compose.title}
              isFocused
              onShow={setShown}
            />
          </div>
        </div>
      )}
    </Context>
  )
}

export function useComposer(): Composer {
  const composer = useContext(Context)
  if (!composer) throw new Error('useComposer must be used within a ComposerProvider')
  return composer
}

interface ShownDraftProps {
  readonly inbox: OpenInbox
  readonly saver: DraftSaver
  readonly title: string
  readonly about?: Email | undefined
  readonly isFocused: boolean
  /** Another one instead, or none. */
  readonly onShow: (saver: DraftSaver | null) => void
}

/** The form of a draft, which is saved when it goes out of sight, however that happens. */
export function ShownDraft({ inbox, saver, title, about, isFocused, onShow }: ShownDraftProps) {
  const queries = useQueryClient()
  useEffect(
    () => () => {
      const { draftId } = saver.state
      void close(saver).then(() => {
        if (saver.state.draftId !== draftId || !saver.isEnded)
          void refetchMatching(queries, ({ queryKey }) => isOneOf(queryKey, ['inboxes.drafts']))
      })
    },
    [saver, queries],
  )
  const hide = () => onShow(null)
  return (
    <DraftForm
      inbox={inbox}
      saver={saver}
      title={title}
      about={about}
      isFocused={isFocused}
      onClose={hide}
      onDone={hide}
      onReplaced={onShow}
    />
  )
}

/** What was written before in tabs that had no connection any more. */
function useLeftovers(inbox: string) {
  const queries = useQueryClient()
  useEffect(() => {
    const save = () =>
      saveUnsavedDrafts(inbox).then((count) => {
        if (count === 0) return
        toast(texts.compose.recovered(count))
        return refetchMatching(queries, ({ queryKey }) => isOneOf(queryKey, ['inboxes']))
      })
    void save()
    addEventListener('online', save)
    return () => removeEventListener('online', save)
  }, [inbox, queries])
}
