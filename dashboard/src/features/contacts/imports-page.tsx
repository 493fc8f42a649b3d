import { useState } from 'react'
import type { Item } from '../../api.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { CursorList } from '../../ui/cursor-list.tsx'
import { formatNumber } from '../../ui/locale.ts'
import { useNewFromAddress } from '../../ui/new-from-address.ts'
import { Page } from '../../ui/page.tsx'
import { useSearchParams } from '../../ui/search-params.ts'
import { Empty } from '../../ui/states.tsx'
import { Time } from '../../ui/time.tsx'
import { ImportDialog } from './import-dialog.tsx'
import { ImportResults } from './import-results.tsx'
import '../../ui/progress.css'
import { texts } from './texts.ts'

type Import = Item<'contacts.imports.list'>

const isRunning = ({ status }: Import) => status === 'queued' || status === 'in_progress'

export function ImportsPage() {
  const [isOpen, setOpen] = useState(false)
  useNewFromAddress(() => setOpen(true))
  const { words, choose } = useSearchParams()
  const show = (id: string | undefined) => choose({ after: words.after, before: words.before, import: id })
  return (
    <Page
      title={texts.imports.title}
      actions={
        <Button look="primary" icon="upload" needs="contacts.imports.create" onClick={() => setOpen(true)}>
          {texts.imports.open}
        </Button>
      }
    >
      <CursorList
        label={texts.imports.label}
        list="contacts.imports.list"
        input={{}}
        onChoose={({ id }) => show(id)}
        // Imports emit no events about their progress, so the page polls.
        refetchInterval={(imports) => (imports.some(isRunning) ? 1_000 : false)}
        columns={[
          { name: texts.imports.columns.started, kind: 'title', cell: ({ created_at }) => <Time at={created_at} /> },
          { name: texts.imports.columns.status, kind: 'status', cell: ({ status }) => <Badge word={status} /> },
          { name: texts.imports.columns.progress, kind: 'main', cell: (one) => <Progress of={one} /> },
          { name: texts.imports.columns.created, cell: ({ counts }) => formatNumber(counts.created) },
          { name: texts.imports.columns.updated, cell: ({ counts }) => formatNumber(counts.updated) },
          { name: texts.imports.columns.skipped, kind: 'aside', cell: ({ counts }) => formatNumber(counts.skipped) },
          {
            name: texts.imports.columns.failed,
            cell: ({ counts }) =>
              counts.failed > 0 ? <Badge word={formatNumber(counts.failed)} tone="bad" /> : formatNumber(0),
          },
        ]}
        empty={
          <Empty icon="upload" title={texts.imports.empty.title}>
            <p className="muted">{texts.imports.empty.note}</p>
          </Empty>
        }
      />
      <ImportDialog isOpen={isOpen} onClose={() => setOpen(false)} />
      {words.import && <ImportResults id={words.import} onClose={() => show(undefined)} />}
    </Page>
  )
}

/** How many rows there will be is not known before the end. */
function Progress({ of: { status, counts } }: { of: Import }) {
  const isOver = status === 'completed' || status === 'failed'
  return (
    <span className="progress">
      {!isOver && <progress aria-label={texts.imports.progress} />}
      {texts.imports.rows(counts.total)}
    </span>
  )
}
