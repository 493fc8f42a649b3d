import type { Column } from '../../ui/cursor-list.tsx'
import { CursorList } from '../../ui/cursor-list.tsx'
import { Page } from '../../ui/page.tsx'
import { useSearchParams } from '../../ui/search-params.ts'
import { Empty } from '../../ui/states.tsx'
import { Switch } from '../../ui/switch.tsx'
import { Time } from '../../ui/time.tsx'
import type { Approval } from './groups.ts'
import { holderOf, Recipients, subjectOf } from './names.tsx'
import { texts } from './texts.ts'
import { WaitingList } from './waiting-list.tsx'

type Status = keyof typeof texts.statuses
const STATUSES = Object.entries(texts.statuses) as [Status, string][]

/** What waits for approval, and what became of the rest. */
export function ApprovalsPage() {
  const { words, choose } = useSearchParams()
  const status = STATUSES.find(([word]) => word === words.status)?.[0] ?? 'waiting'
  return (
    <Page title={texts.title} note={texts.note}>
      <div className="filters">
        <Switch
          label={texts.status}
          options={STATUSES}
          value={status}
          onChange={(next) => void choose({ status: next === 'waiting' ? undefined : next })}
        />
      </div>
      {status === 'waiting' ? (
        <WaitingList />
      ) : (
        <CursorList
          key={status}
          label={texts.many}
          list="approvals.list"
          input={{ status }}
          columns={DECIDED}
          pageOfOne="/approvals/$id"
          empty={<Empty icon="check" title={texts.empty[status]} />}
        />
      )}
    </Page>
  )
}

const DECIDED: readonly Column<Approval>[] = [
  { name: texts.columns.to, kind: 'title', cell: (approval) => <Recipients approval={approval} /> },
  { name: texts.columns.subject, kind: 'main', cell: subjectOf },
  { name: texts.columns.holder, kind: 'aside', cell: holderOf },
  { name: texts.columns.by, cell: ({ decided_by }) => decided_by ?? <span className="muted">–</span> },
  { name: texts.columns.when, kind: 'time', cell: ({ decided_at }) => <Time at={decided_at} /> },
]
