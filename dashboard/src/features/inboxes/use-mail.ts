import { type QueryClient, useQueryClient } from '@tanstack/react-query'
import { useNavigate, useRouter, useSearch } from '@tanstack/react-router'
import { useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { keyOf, useCall } from '../../queries.ts'
import { useAllowed } from '../../ui/allowed.tsx'
import { type KnownThread, useThreadActs } from './acts.ts'
import { emailsOf } from './conversation/use-emails.ts'
import { belongs, type MoveTarget } from './folders.ts'
import { listOf, type MailWords, type OpenedInbox } from './inbox.ts'
import { useInboxMeta } from './inbox-meta.ts'
import { usePending, withPending } from './pending.ts'
import { kept, NOTHING } from './selection.ts'
import { sidebarFolderNamed } from './sidebar-folders.ts'
import type { RowActs } from './thread-row.tsx'
import type { ThreadRow } from './thread-rows.ts'
import { useThreads } from './threads-list.ts'
import { useSelection } from './use-selection.ts'

const ROUTE = '/inboxes/$inbox'
const MAX_PEOPLE = 200

/** What the mail client shows and can do, from the words in its address. */
export function useMail(inbox: OpenedInbox, me: string | null) {
  const words: MailWords = useSearch({ from: ROUTE })
  const navigate = useNavigate({ from: ROUTE })
  const router = useRouter()
  const queries = useQueryClient()
  const isAllowed = useAllowed()
  const meta = useInboxMeta(inbox.id, me)
  const acts = useThreadActs(inbox.id)
  const [isBrowsing, setBrowsing] = useState(false)
  const [menu, setMenu] = useState<{ where: 'list' | 'thread'; name: 'labels' | 'assign' } | null>(null)

  const sidebarFolder = sidebarFolderNamed(words.folder)
  const isDrafts = sidebarFolder === 'drafts' && !words.q && !words.label
  const asked = listOf(inbox.id, words, meta.labels)
  const isAskable = asked.unknownLabels.length === 0
  const list = useThreads(asked.query, !isDrafts && isAskable)
  const { threads } = list
  const listKey = JSON.stringify([asked.query.list, asked.query.input])
  const selecting = useSelection(threads, listKey)

  const opened = useOpened(inbox.id, words.thread, threads)
  const cursor = words.thread ?? selecting.cursor
  useReadAhead(inbox.id, words.thread, threads)

  /** From the list one goes back to it; from thread to thread there is no way back through all of them. */
  const open = useCallback(
    (thread: string) => {
      knowHead(
        queries,
        inbox.id,
        threads.find(({ id }) => id === thread),
      )
      void navigate({
        search: (old) => ({ ...old, thread }),
        replace: words.thread !== undefined,
        resetScroll: false,
      })
    },
    [navigate, queries, inbox.id, threads, words.thread],
  )
  const close = useCallback(
    () => void navigate({ search: ({ thread: _, ...old }) => old, replace: true, resetScroll: false }),
    [navigate],
  )
  const search = useCallback(
    (text: string) =>
      void navigate({
        search: ({ folder, label }) => {
          const scope = text && !words.q ? scopeOf(folder, label, meta.labels, text) : ''
          return text ? { folder, label, q: `${scope}${text}` } : { folder, label }
        },
        replace: words.q !== undefined,
      }),
    [navigate, words.q, meta.labels],
  )

  /** Where to go on when these are not in the list any more. */
  const leave = (leaving: readonly KnownThread[]) => {
    const gone = new Set(leaving.map(({ id }) => id))
    const at = threads.findIndex(({ id }) => id === cursor)
    const next = [...threads.slice(at + 1), ...threads.slice(0, Math.max(0, at)).reverse()].find(
      ({ id }) => !gone.has(id),
    )
    if (words.thread && gone.has(words.thread)) {
      const isListShown = document.querySelector('.list-pane')?.checkVisibility() ?? false
      if (next && isListShown) open(next.id)
      else close()
    } else if (cursor && gone.has(cursor)) selecting.setCursor(next?.id ?? null)
    if (leaving.some(({ id }) => selecting.selection.ids.has(id))) selecting.setSelection(NOTHING)
  }
  const move = (moved: readonly KnownThread[], to: MoveTarget) => {
    if (!isAllowed('inboxes.threads.update')) return
    const leaving = moved.filter((thread) => !belongs({ ...thread, folder: to }, asked.query.filter))
    void acts.move(moved, to)
    leave(leaving)
  }
  const mark = (marked: readonly KnownThread[], read: boolean) => {
    if (!isAllowed('inboxes.threads.update')) return
    void acts.mark(marked, read)
    // It would be read again at once.
    if (!read && marked.some(({ id }) => id === words.thread)) {
      selecting.setCursor(words.thread ?? null)
      close()
    }
  }

  // The rows are drawn anew only when they change, so what they call stays the same function.
  const latest = useRef({ open, move, mark, select: selecting.select, setCursor: selecting.setCursor })
  latest.current = { open, move, mark, select: selecting.select, setCursor: selecting.setCursor }
  const rowActs = useMemo<RowActs>(
    () => ({
      open: ({ id }) => {
        latest.current.setCursor(id)
        latest.current.open(id)
      },
      select: ({ id }, isRange) => latest.current.select(id, isRange),
      move: (thread, to) => latest.current.move([thread], to),
      mark: (thread, read) => latest.current.mark([thread], read),
    }),
    [],
  )

  const template = router.buildLocation({
    to: ROUTE,
    params: { inbox: inbox.id },
    search: { ...words, thread: 'THREAD' },
  }).publicHref
  const hrefOf = useCallback((thread: string) => template.replace('THREAD', thread), [template])

  const selected = selecting.selected
  const targets = (): readonly KnownThread[] =>
    selected.length > 0 ? selected : opened ? [opened] : threads.filter(({ id }) => id === cursor)

  return {
    ...{ words, sidebarFolder, isDrafts, asked, list, opened, meta, acts, rowActs, hrefOf },
    ...{ isBrowsing, setBrowsing, menu, setMenu, open, close, search, move, mark, targets, selected, cursor },
    ...{
      step: selecting.step,
      selectAll: selecting.selectAll,
      select: selecting.select,
      isFollowed: selecting.isFollowed,
    },
    ...{ selectedIds: selecting.selection.ids, clearSelection: () => selecting.setSelection(NOTHING) },
    toggleUnread: () =>
      void navigate({ search: ({ read, ...old }) => ({ ...old, ...(read === 'false' ? {} : { read: 'false' }) }) }),
    isListed:
      kept(
        { ids: new Set(cursor ? [cursor] : []), anchor: null },
        threads.map(({ id }) => id),
      ).length > 0,
    peopleSeen: useMemo(() => peopleIn(threads), [threads]),
  }
}

export type Mail = ReturnType<typeof useMail>

/** The opened thread as the list knows it, or as it is read by itself: a link may lead to one that is in no list. */
function useOpened(inbox: string, thread: string | undefined, threads: readonly ThreadRow[]) {
  const pending = usePending()
  const alone = useCall('inboxes.threads.get', { inbox, thread: thread ?? '' }, { enabled: thread !== undefined })
  if (thread === undefined) return undefined
  const listed = threads.find(({ id }) => id === thread)
  if (listed) return listed
  if (!alone.data) return undefined
  const [known] = withPending([{ ...alone.data, matched_email_id: null }], pending)
  return known
}

/** The thread below the opened one is read ahead: most people go on to that one. */
function useReadAhead(inbox: string, thread: string | undefined, threads: readonly ThreadRow[]) {
  const queries = useQueryClient()
  const isAllowed = useAllowed()('inboxes.threads.emails.list')
  const at = threads.findIndex(({ id }) => id === thread)
  const next = at < 0 ? undefined : threads[at + 1]?.id
  useEffect(() => {
    if (next && isAllowed) void queries.prefetchInfiniteQuery(emailsOf(inbox, next))
  }, [queries, inbox, next, isAllowed])
}

/** The head of a thread is known from its row before it is read by itself. */
function knowHead(queries: QueryClient, inbox: string, row: ThreadRow | undefined) {
  if (!row) return
  const { id, subject, folder, labels, read, assignee_email } = row
  const known = { object: 'inbox_thread' as const, id, subject, folder, labels, read, assignee_email }
  // As old as can be: it is read anew all the same.
  queries.setQueryData<typeof known>(keyOf('inboxes.threads.get', { inbox, thread: id }), (old) => old ?? known, {
    updatedAt: 0,
  })
}

/** Who searches among spam, in the trash or below a label means there: it is said in a chip, and can be taken away. */
function scopeOf(
  folder: string | undefined,
  label: string | undefined,
  labels: readonly { id: string; name: string }[],
  text: string,
): string {
  const named = labels.find(({ id }) => id === label)
  if (named && !/\blabel:/i.test(text)) return `label:"${named.name}" `
  return (folder === 'spam' || folder === 'trash') && !/\b(folder|in):/i.test(text) ? `folder:${folder} ` : ''
}

const peopleIn = (threads: readonly ThreadRow[]) => {
  const people = new Set<string>()
  for (const { from, to } of threads) {
    for (const person of [from, ...to]) if (person) people.add(person)
    if (people.size >= MAX_PEOPLE) break
  }
  return [...people]
}
