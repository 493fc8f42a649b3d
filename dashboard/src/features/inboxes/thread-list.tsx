import { useEffect, useMemo } from 'react'
import { useVirtualRows } from '../../ui/virtual-rows.ts'
import { ROW_HEIGHT, type RowActs, ThreadRow } from './thread-row.tsx'
import type { ThreadRow as Thread } from './thread-rows.ts'
import { useNow } from './when.tsx'
import './thread-list.css'
import { texts } from './texts.ts'

/** More is read when so many rows are left below what is in sight. */
const AHEAD = 40

interface ThreadListProps {
  readonly label: string
  readonly threads: readonly Thread[]
  readonly hasMore: boolean
  readonly isStale: boolean
  readonly hrefOf: (thread: string) => string
  readonly ownAddress: string
  readonly openId: string | undefined
  readonly cursor: string | null
  /** Whether the keys have moved the cursor: then the focus goes along. */
  readonly isFollowed: boolean
  readonly selected: ReadonlySet<string>
  readonly acts: RowActs
  readonly onMore: () => void
  readonly onSight: (first: number) => void
}

/** The threads of a folder, of which those in sight are drawn. */
export function ThreadList(props: ThreadListProps) {
  const { label, threads, hasMore, isStale, hrefOf, ownAddress, openId, cursor, isFollowed, selected, acts } = props
  const { onMore, onSight } = props
  const ids = useMemo(() => threads.map(({ id }) => id), [threads])
  const { scroller, range, onScroll, reveal } = useVirtualRows(ids, ROW_HEIGHT)
  const now = useNow()
  const at = cursor === null ? -1 : ids.indexOf(cursor)

  useEffect(() => {
    onSight(range.first)
    if (hasMore && range.end > threads.length - AHEAD) onMore()
  }, [range, hasMore, threads.length, onMore, onSight])

  // biome-ignore lint/correctness/useExhaustiveDependencies: only when the cursor moves, not when rows come above it
  useEffect(() => {
    if (at < 0) return
    reveal(at)
    if (isFollowed)
      scroller.current?.querySelector<HTMLElement>(`[data-thread="${cursor}"] a`)?.focus({ preventScroll: true })
  }, [cursor, isFollowed, reveal])

  const drawn = threads.slice(range.first, range.end).map((thread, offset) => ({ thread, index: range.first + offset }))
  // The row with the focus stays in the page, wherever somebody scrolls: without it the focus would be lost.
  if (at >= 0 && (at < range.first || at >= range.end)) drawn.push({ thread: threads[at]!, index: at })
  return (
    <div className="thread-scroller" ref={scroller} onScroll={onScroll} aria-busy={isStale}>
      <ul
        aria-label={label}
        className={selected.size > 0 ? 'is-selecting' : ''}
        style={{ height: threads.length * ROW_HEIGHT + (hasMore ? ROW_HEIGHT : 0) }}
      >
        {drawn.map(({ thread, index }) => (
          <ThreadRow
            key={thread.id}
            thread={thread}
            index={index}
            count={hasMore ? -1 : threads.length}
            href={hrefOf(thread.id)}
            ownAddress={ownAddress}
            isOpen={thread.id === openId}
            isSelected={selected.has(thread.id)}
            isCursor={thread.id === cursor}
            isReachable={at < 0 ? index === 0 : index === at}
            now={now}
            acts={acts}
          />
        ))}
        {hasMore && (
          <li className="more-threads muted" style={{ transform: `translateY(${threads.length * ROW_HEIGHT}px)` }}>
            {texts.list.loadingMore}
          </li>
        )}
      </ul>
    </div>
  )
}
