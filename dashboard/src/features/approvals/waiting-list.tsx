import { keepPreviousData } from '@tanstack/react-query'
import { useMemo, useRef } from 'react'
import { useCall } from '../../queries.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { type PageKey, usePageKeys } from '../../ui/page-keys.ts'
import { hasNewer, Pager } from '../../ui/pager.tsx'
import { SelectAll } from '../../ui/row-parts.tsx'
import { useSearchParams } from '../../ui/search-params.ts'
import { useSelection } from '../../ui/selection.ts'
import { useSelectionKeys } from '../../ui/selection-keys.ts'
import { Empty, Failed, Loading } from '../../ui/states.tsx'
import { texts as shared } from '../../ui/texts.ts'
import '../../ui/bulk-bar.css'
import './waiting-list.css'
import { ApprovalGroup } from './approval-group.tsx'
import { type Approval, groupAlike } from './groups.ts'
import { texts } from './texts.ts'
import { type Decision, useDecision } from './use-decision.tsx'

/** As many as one call decides about. */
const PAGE = 100
const NONE: readonly Approval[] = []

const KEYS: readonly PageKey[] = [
  { keys: ['a'], what: texts.keys.approve },
  { keys: ['r'], what: texts.keys.refuse },
]

/** What waits, what is alike together. */
export function WaitingList() {
  const { words } = useSearchParams()
  const { after, before } = words
  const page = useCall('approvals.list', { limit: PAGE, after, before }, { placeholderData: keepPreviousData })
  const items = page.data?.data ?? NONE
  const selection = useSelection(useMemo(() => items.map(({ id }) => id), [items]))
  const { selected, clearSelection } = selection
  const { ask, dialogs } = useDecision(clearSelection)
  const top = useRef<HTMLDivElement>(null)
  const chosen = items.filter(({ id }) => selected.includes(id))
  useSelectionKeys(selection)
  usePageKeys(({ key }) => {
    const decision = DECISIONS[key]
    const targets = chosen.length > 0 ? chosen : items.filter(({ id }) => id === focusedRow())
    if (decision === undefined || targets.length === 0) return false
    ask(decision, targets)
    return true
  }, KEYS)
  if (page.isPending) return <Loading />
  if (page.isError) return <Failed error={page.error} onRetry={() => page.refetch()} />
  if (items.length === 0 && !hasNewer(words, page.data.has_more))
    return (
      <>
        <Empty icon="check" title={texts.empty.waiting}>
          <p className="muted">{texts.empty.waitingNote}</p>
        </Empty>
        {dialogs}
      </>
    )
  const groups = groupAlike(items)
  return (
    <div className="list" ref={top} aria-busy={page.isPlaceholderData}>
      <div className="approvals-bar">
        <SelectAll label={texts.many} items={items} selection={selection} />
        <span className="muted">{texts.emails(items.length)}</span>
        {/* One group has the same buttons itself. */}
        {groups.length > 1 && (
          <div className="actions">
            <Button needs="approvals.decide" onClick={() => ask('refuse', items)}>
              {texts.refuseShown(items.length)}
            </Button>
            <Button needs="approvals.decide" onClick={() => ask('approve', items)}>
              {texts.approveShown(items.length)}
            </Button>
          </div>
        )}
      </div>
      {groups.map((group) => (
        <ApprovalGroup key={group.key} group={group} selection={selection} listInput={{}} ask={ask} />
      ))}
      {chosen.length > 0 && (
        <section className="bulk-bar" aria-label={texts.selected}>
          <strong role="status">{shared.bulk.selected(chosen.length)}</strong>
          <Button needs="approvals.decide" onClick={() => ask('approve', chosen)}>
            {texts.approve}
          </Button>
          <Button needs="approvals.decide" onClick={() => ask('refuse', chosen)}>
            {texts.refuse}
          </Button>
          <IconButton icon="close" label={shared.selection.clear} onClick={clearSelection} />
        </section>
      )}
      <Pager label={texts.many} items={items} hasMore={page.data.has_more} top={top} />
      {dialogs}
    </div>
  )
}

const DECISIONS: Readonly<Record<string, Decision>> = { a: 'approve', r: 'refuse' }

const focusedRow = () => document.activeElement?.closest<HTMLElement>('[data-row]')?.dataset.row
