import { type ReactNode, useEffect, useMemo, useRef, useState } from 'react'
import { FilterBar } from '../../ui/filter-bar.tsx'
import { NoResults } from '../../ui/no-results.tsx'
import { hasNewer, Pager } from '../../ui/pager.tsx'
import { useSearchParams } from '../../ui/search-params.ts'
import { useSelection } from '../../ui/selection.ts'
import { Empty, Failed, Loading } from '../../ui/states.tsx'
import { useMessageActs } from './acts.ts'
import { FILTERS, isEmpty, TOGGLES } from './filter.ts'
import { focusedRow, type KeyAct, useMessageKeys } from './message-keys.ts'
import { MessageRow } from './message-row.tsx'
import type { MessageScope } from './message-scope.ts'
import { MessageView } from './message-view.tsx'
import { Removal, type ToRemove } from './removal.tsx'
import { Toolbar } from './toolbar.tsx'
import { useMessages } from './use-messages.ts'
import { useSteps } from './use-steps.ts'
import './messages.css'
import { texts } from './texts.ts'

interface MessagesProps {
  readonly scope: MessageScope
  /** What an empty list shows: how mail gets here. */
  readonly firstMail: ReactNode
  /** What became of a sent message. */
  readonly timelineOf: (id: string) => ReactNode
  readonly traceOf?: ((id: string) => ReactNode) | undefined
  /** Where else a message of the team is shown. */
  readonly linkTo?: (message: { id: string; direction: 'sent' | 'received' }) => ReactNode
}

/** All mail in one list, sent and received, with one message open beside it. */
export function Messages({ scope, firstMail, timelineOf, traceOf, linkTo }: MessagesProps) {
  const messages = useMessages(scope)
  const { page, rows, filter, opened } = messages
  const { words } = useSearchParams()
  const ids = useMemo(() => rows.map(({ id }) => id), [rows])
  const { selected, select, selectAll, clearSelection } = useSelection(ids)
  const acts = useMessageActs(scope)
  const { onPrevious, onNext } = useSteps(scope, messages)
  const top = useRef<HTMLDivElement>(null)
  const [removing, setRemoving] = useState<ToRemove | null>(null)

  const targets = (): readonly string[] => {
    if (selected.length > 0) return selected
    const one = focusedRow() ?? opened
    return one === undefined ? [] : [one]
  }
  const onTargets = (run: (chosen: readonly string[]) => void): boolean => {
    const chosen = targets()
    if (chosen.length > 0) run(chosen)
    return chosen.length > 0
  }
  useMessageKeys((act: KeyAct) => {
    switch (act) {
      case 'close':
        if (selected.length > 0) clearSelection()
        else if (opened) messages.open(undefined)
        else return false
        return true
      case 'pick': {
        const one = focusedRow() ?? opened
        if (one) select(one, false)
        return one !== undefined
      }
      case 'remove':
        return scope.canDelete && onTargets((chosen) => setRemoving({ ids: chosen }))
      default:
        return onTargets((chosen) => acts.mark.mutate({ ids: chosen, marks: { is_read: act === 'read' } }))
    }
  })

  // Who comes back from a message is where they were.
  const last = useRef<string | undefined>(opened)
  useEffect(() => {
    if (!opened && last.current) document.querySelector<HTMLElement>(`[data-message="${last.current}"] a`)?.focus()
    last.current = opened
  }, [opened])

  const closeRemoval = (wasRemoved: boolean) => {
    if (wasRemoved) {
      clearSelection()
      if (opened && (!removing?.ids || removing.ids.includes(opened))) messages.open(undefined)
    }
    setRemoving(null)
  }
  if (page.isPending) return <Loading />
  if (page.isError)
    return (
      <>
        <FilterBar {...FILTERS} toggles={TOGGLES} onChange={messages.narrow} />
        <Failed error={page.error} onRetry={() => page.refetch()} />
      </>
    )
  const hasNothing = rows.length === 0 && !hasNewer(words, page.data.has_more)
  if (hasNothing && isEmpty(filter) && !opened)
    return (
      <Empty icon="mail" title={texts.page.empty}>
        {firstMail}
      </Empty>
    )
  return (
    <>
      <div className={opened ? 'messages reading' : 'messages'}>
        <div className="messages-list" ref={top}>
          <FilterBar {...FILTERS} toggles={TOGGLES} onChange={messages.narrow} />
          <Toolbar
            {...{ scope, rows, selected, selectAll, clearSelection, acts, filter }}
            onRemove={() => setRemoving({ ids: selected })}
            onRemoveAll={() => setRemoving({ filter })}
          />
          {hasNothing ? (
            <NoResults many={texts.page.many} filters={FILTERS} />
          ) : (
            <ul className="message-rows" aria-label={texts.page.rows} aria-busy={page.isPlaceholderData}>
              {rows.map((row) => (
                <MessageRow
                  key={row.id}
                  row={row}
                  isOpen={row.id === opened}
                  isSelected={selected.includes(row.id)}
                  isExact={scope.sandbox !== undefined}
                  onSelect={select}
                />
              ))}
            </ul>
          )}
          <Pager label={texts.page.many} items={rows} hasMore={page.data.has_more} top={top} />
        </div>
        {opened && (
          <MessageView
            key={opened}
            id={opened}
            {...{ scope, acts, timelineOf, traceOf, onPrevious, onNext }}
            {...(linkTo && { linkTo })}
            onClose={() => messages.open(undefined)}
            onRemove={() => setRemoving({ ids: [opened] })}
            onNarrow={messages.narrow}
          />
        )}
      </div>
      <Removal what={removing} acts={acts} onClose={closeRemoval} />
    </>
  )
}
