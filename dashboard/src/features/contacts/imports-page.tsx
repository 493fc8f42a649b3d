import { useState } from 'react'
import type { Item } from '../../api.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { CursorList } from '../../ui/cursor-list.tsx'
import { Page } from '../../ui/page.tsx'
import { Empty } from '../../ui/states.tsx'
import { Time } from '../../ui/time.tsx'
import { ImportDialog } from './import-dialog.tsx'
import '../../ui/progress.css'

type Import = Item<'contacts.imports.list'>

const isRunning = ({ status }: Import) => status === 'queued' || status === 'in_progress'

export function ImportsPage() {
  const [isOpen, setOpen] = useState(false)
  return (
    <Page
      title="Imports"
      actions={
        <Button look="primary" icon="upload" needs="contacts.imports.create" onClick={() => setOpen(true)}>
          Import file
        </Button>
      }
    >
      <CursorList
        label="imports"
        list="contacts.imports.list"
        input={{}}
        // Imports emit no events about their progress, so the page polls.
        refetchInterval={(imports) => (imports.some(isRunning) ? 1_000 : false)}
        columns={[
          { name: 'Started', cell: ({ created_at }) => <Time at={created_at} /> },
          { name: 'Status', cell: ({ status }) => <Badge word={status} /> },
          { name: 'Progress', kind: 'main', cell: (one) => <Progress of={one} /> },
          { name: 'Created', cell: ({ counts }) => counts.created.toLocaleString('en') },
          { name: 'Updated', cell: ({ counts }) => counts.updated.toLocaleString('en') },
          { name: 'Skipped', kind: 'aside', cell: ({ counts }) => counts.skipped.toLocaleString('en') },
          { name: 'Failed', kind: 'aside', cell: ({ counts }) => counts.failed.toLocaleString('en') },
        ]}
        empty={
          <Empty icon="upload" title="No imports yet">
            <p className="muted">Upload a CSV file with column names in the first line, up to millions of rows.</p>
          </Empty>
        }
      />
      <ImportDialog isOpen={isOpen} onClose={() => setOpen(false)} />
    </Page>
  )
}

function Progress({ of: { status, counts } }: { of: Import }) {
  const done = counts.created + counts.updated + counts.skipped + counts.failed
  const isOver = status === 'completed' || status === 'failed'
  return (
    <span className="progress">
      <progress
        aria-label="Rows processed"
        {...(isOver ? { max: 1, value: 1 } : { max: Math.max(counts.total, done, 1), value: done })}
      />
      {counts.total.toLocaleString('en')} rows
    </span>
  )
}
