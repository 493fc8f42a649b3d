import { useInfiniteQuery } from '@tanstack/react-query'
import { call, type Item } from '../../../api.ts'
import { keyOf } from '../../../queries.ts'
import { Badge } from '../../../ui/badge.tsx'
import { Button } from '../../../ui/button.tsx'
import { Icon } from '../../../ui/icons.tsx'
import { Empty, Failed, Loading } from '../../../ui/states.tsx'
import { Time } from '../../../ui/time.tsx'
import { type OpenInbox, useComposer } from './composer.tsx'
import { nameIn } from './mailboxes.ts'
import './drafts-list.css'
import { texts } from '../texts.ts'

interface DraftsListProps {
  readonly inbox: OpenInbox
  /** A draft of a thread is shown with it. */
  readonly onOpenThread: (threadId: string) => void
}

const PAGE = 50

/** The folder of drafts, in the place of the list of threads. */
export function DraftsList({ inbox, onOpenThread }: DraftsListProps) {
  const composer = useComposer()
  const input = { inbox: inbox.id, limit: PAGE }
  const drafts = useInfiniteQuery({
    queryKey: [...keyOf('inboxes.drafts.list', input), 'pages'],
    queryFn: ({ pageParam }) => call('inboxes.drafts.list', { ...input, after: pageParam }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ has_more, data }) => (has_more ? data.at(-1)?.id : undefined),
  })
  if (drafts.isPending) return <Loading />
  if (drafts.isError) return <Failed error={drafts.error} onRetry={() => drafts.refetch()} />
  const items = drafts.data.pages.flatMap(({ data }) => data)
  if (items.length === 0)
    return (
      <Empty icon="pen" title={texts.empty.drafts}>
        <p className="muted">{texts.empty.draftsNote}</p>
      </Empty>
    )
  const open = ({ id, thread_id }: DraftItem) => (thread_id === null ? composer.openDraft(id) : onOpenThread(thread_id))
  return (
    <div className="drafts-scroller">
      <ul className="drafts" aria-label={texts.folders.drafts}>
        {items.map((draft) => (
          <li key={draft.id}>
            <button type="button" className="row-link" onClick={() => open(draft)}>
              <Row draft={draft} />
            </button>
          </li>
        ))}
      </ul>
      {drafts.hasNextPage && (
        <Button isBusy={drafts.isFetchingNextPage} onClick={() => drafts.fetchNextPage()}>
          {texts.list.showMore}
        </Button>
      )}
    </div>
  )
}

type DraftItem = Item<'inboxes.drafts.list'>

function Row({ draft }: { draft: DraftItem }) {
  const { to, subject, snippet, source, send_at, send_error, updated_at, attachments } = draft
  return (
    <>
      <span className="drafts-head">
        <strong>{to?.map(nameIn).join(', ') || texts.compose.noRecipient}</strong>
        {source === 'agent' && <Badge word={texts.draftStates.agent} tone="busy" />}
        {send_at !== null && <Badge word={texts.draftStates.sending} tone="busy" />}
        {send_error !== null && <Badge word={texts.draftStates.notSent} tone="bad" />}
        {attachments.length > 0 && <Icon name="clip" size={14} />}
        <span className="muted">
          <Time at={updated_at} />
        </span>
      </span>
      <span>{subject || texts.row.noSubject}</span>
      <span className="muted">{snippet}</span>
    </>
  )
}
