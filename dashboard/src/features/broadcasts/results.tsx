import { useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { FATES } from '../../../../src/features/broadcasts/schema.ts'
import { call } from '../../api.ts'
import { useCall } from '../../queries.ts'
import { useAct } from '../../ui/act.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { CursorList } from '../../ui/cursor-list.tsx'
import { Confirm } from '../../ui/dialog.tsx'
import { Card, Facts, Page } from '../../ui/page.tsx'
import { asOptions, SearchSelect } from '../../ui/search-select.tsx'
import { Empty } from '../../ui/states.tsx'
import { Time } from '../../ui/time.tsx'
import { asWritten } from '../../ui/words.ts'
import type { FullBroadcast } from './api.ts'
import { Preview } from './preview.tsx'
import { Progress } from './progress.tsx'
import { useReader } from './reader.ts'
import '../../ui/figures.css'

/** How far it is, and what came of it. The live feed keeps the figures going. */
export function BroadcastResults({ broadcast }: { broadcast: FullBroadcast }) {
  const navigate = useNavigate()
  const [isAsking, setAsking] = useState(false)
  const reader = useReader(broadcast.segment_id)
  const { id } = broadcast
  const cancel = useAct({ run: () => call('broadcasts.cancel', { id }), refresh: ['broadcasts'], done: 'Canceled' })
  const duplicate = useAct({
    run: () => call('broadcasts.duplicate', { id }),
    refresh: ['broadcasts'],
    done: 'A copy is there',
  })
  return (
    <Page
      title={broadcast.name}
      heading={
        <>
          {broadcast.name} <Badge word={broadcast.status} />
        </>
      }
      note={
        <>
          {broadcast.sent_at ? 'Sent ' : broadcast.scheduled_at ? 'To be sent ' : 'Written '}
          <Time at={broadcast.sent_at ?? broadcast.scheduled_at ?? broadcast.created_at} exact />
        </>
      }
      actions={
        <>
          {(broadcast.status === 'scheduled' || broadcast.status === 'queued') && (
            <Button needs="broadcasts.cancel" onClick={() => setAsking(true)}>
              Cancel
            </Button>
          )}
          <Button
            needs="broadcasts.duplicate"
            onClick={() =>
              duplicate.mutate(undefined, {
                onSuccess: (copy) => navigate({ to: '/broadcasts/$id', params: { id: copy.id } }),
              })
            }
          >
            Duplicate
          </Button>
        </>
      }
    >
      <Confirm
        title="Cancel this broadcast?"
        note={
          broadcast.status === 'scheduled'
            ? 'It is not sent, and is a draft again.'
            : 'Copies that have left have left. The others are never sent, and it cannot be sent again.'
        }
        act="Cancel the broadcast"
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        onConfirm={() => cancel.mutateAsync()}
      />
      {broadcast.status !== 'scheduled' && <Progress counts={broadcast.counts} />}
      <Figures broadcast={broadcast} />
      <div className="columns even">
        <div>
          <Card title="Recipients">
            <Recipients broadcast={id} />
          </Card>
          <Links broadcast={id} />
        </div>
        <Preview letter={broadcast} reader={reader} />
      </div>
    </Page>
  )
}

const SHOWN = ['delivered', 'unique_opened', 'unique_clicked', 'bounced', 'complained', 'unsubscribed']

function Figures({ broadcast }: { broadcast: FullBroadcast }) {
  const { data } = useCall('emails.metrics', {
    broadcast_id: broadcast.id,
    start_date: broadcast.created_at.slice(0, 10),
  })
  return (
    <dl className="figures">
      {SHOWN.map((name) => (
        <div key={name}>
          <dt>{name.replace('unique_', '')}</dt>
          <dd>{(data?.totals[name] ?? 0).toLocaleString('en')}</dd>
        </div>
      ))}
    </dl>
  )
}

function Recipients({ broadcast }: { broadcast: string }) {
  const { type: wanted } = useSearch({ from: '/broadcasts/$id' })
  const type = asWritten<(typeof FATES)[number]>(wanted) ?? 'delivered'
  return (
    <>
      <search className="filters">
        <SearchSelect name="type" label="Which recipients" otherwise={type} options={asOptions(FATES)} />
      </search>
      <CursorList
        label="recipients"
        list="broadcasts.recipients"
        input={{ id: broadcast, type }}
        columns={[
          { name: 'Email', kind: 'main', cell: ({ email }) => email },
          { name: 'Times', cell: ({ count, bounce_type }) => count ?? bounce_type ?? null },
        ]}
        empty={<Empty icon="people" title={`Nobody: ${type}`} />}
      />
    </>
  )
}

/** What people went for, most clicked first. */
function Links({ broadcast }: { broadcast: string }) {
  const { data } = useCall('broadcasts.clicked-links', { id: broadcast, limit: 20 })
  if (!data?.data.length) return null
  return (
    <Card title="Clicked links">
      <Facts
        facts={data.data.map(({ url, clicks, unique_clicks }) => [url, `${clicks} by ${unique_clicks}`] as const)}
      />
    </Card>
  )
}
