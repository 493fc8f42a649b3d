import { useInfiniteQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useCall } from '../../queries.ts'
import { Button } from '../../ui/button.tsx'
import { rich } from '../../ui/rich.tsx'
import { Empty, Failed, Loading } from '../../ui/states.tsx'
import { Avatar } from './avatar.tsx'
import { type FoundThread, findThreads, linkToThread } from './find-threads.ts'
import { shortName } from './people.ts'
import { Found, peopleOf } from './thread-row.tsx'
import { ShortTime, useNow } from './when.tsx'
import './found-threads.css'
import { texts } from './texts.ts'

const PAGE = 30

/** What a search finds in all inboxes, each thread with its inbox. */
export function FoundThreads({ text }: { text: string }) {
  const { data: inboxes } = useCall('inboxes.list', { limit: 100 })
  const now = useNow()
  const found = useInfiniteQuery({
    queryKey: ['inboxes.threads.search-all', { text }, 'pages'],
    queryFn: ({ pageParam }) => findThreads(text, { limit: PAGE, after: pageParam }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ has_more, data }) => (has_more ? data.at(-1)?.id : undefined),
    placeholderData: (old) => old,
  })
  if (found.isPending) return <Loading />
  if (found.isError) return <Failed error={found.error} onRetry={() => found.refetch()} />
  const threads = found.data.pages.flatMap(({ data }) => data)
  if (threads.length === 0)
    return (
      <Empty icon="search" title={texts.empty.results}>
        <p className="muted">{rich(texts.empty.resultsNote, { term: <code>folder:anywhere</code> })}</p>
      </Empty>
    )
  const inboxOf = (id: string) => inboxes?.data.find((inbox) => inbox.id === id)
  return (
    <>
      <ul className="found-threads" aria-label={texts.search.results} aria-busy={found.isPlaceholderData}>
        {threads.map((thread) => (
          <Row key={thread.id} thread={thread} text={text} inbox={inboxOf(thread.inbox_id)} now={now} />
        ))}
      </ul>
      {found.hasNextPage && (
        <Button isBusy={found.isFetchingNextPage} onClick={() => found.fetchNextPage()}>
          {texts.list.showMore}
        </Button>
      )}
    </>
  )
}

interface RowProps {
  readonly thread: FoundThread
  readonly text: string
  readonly inbox: { readonly name: string | null; readonly email_address: string } | undefined
  readonly now: Date
}

function Row({ thread, text, inbox, now }: RowProps) {
  const { prefix, shown, others } = peopleOf(thread, inbox?.email_address ?? '')
  return (
    <li className={thread.read ? '' : 'unread'}>
      <Link {...linkToThread(thread, text)}>
        <Avatar of={shown} />
        <span className="found-who">
          {!thread.read && <span className="hidden">{texts.row.unread} </span>}
          {prefix && <span className="muted">{prefix} </span>}
          {shortName(shown)}
          {others}
        </span>
        <span className="found-text">
          <strong>{thread.subject || texts.row.noSubject}</strong>{' '}
          <span className="muted">{thread.matched_text ? <Found text={thread.matched_text} /> : thread.snippet}</span>
        </span>
        {inbox && (
          <span className="found-inbox" title={inbox.email_address}>
            <span className="hidden">{texts.row.inInbox} </span>
            {inbox.name || inbox.email_address}
          </span>
        )}
        <ShortTime at={thread.received_at} now={now} />
      </Link>
    </li>
  )
}
