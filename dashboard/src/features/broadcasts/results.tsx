import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { api } from '../../api.ts'
import { useAct } from '../../ui/act.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { CursorList } from '../../ui/cursor-list.tsx'
import { HtmlFrame } from '../../ui/html-frame.tsx'
import { Card, Page } from '../../ui/page.tsx'
import { Empty } from '../../ui/states.tsx'
import { Time } from '../../ui/time.tsx'
import { type Broadcast, type BroadcastRecipient, RECIPIENT_TYPES } from './api.ts'

interface Figures {
  readonly totals: Readonly<Record<string, number>>
}

/** How far it is, and what came of it. The live feed keeps the figures going. */
export function BroadcastResults({ broadcast }: { broadcast: Broadcast }) {
  const navigate = useNavigate()
  const path = `/broadcasts/${broadcast.id}`
  const metrics = useQuery({
    queryKey: ['broadcasts', broadcast.id, 'metrics'],
    queryFn: () =>
      api.get<Figures>('/emails/metrics', {
        broadcast_id: broadcast.id,
        start_date: broadcast.created_at.slice(0, 10),
      }),
    refetchInterval: broadcast.status === 'queued' ? 2_000 : false,
  })
  const cancel = useAct({ run: () => api.post(`${path}/cancel`), refresh: ['broadcasts'], done: 'Canceled' })
  const duplicate = useAct({
    run: () => api.post<{ id: string }>(`${path}/duplicate`),
    refresh: ['broadcasts'],
    done: 'A copy is there',
  })
  const totals = metrics.data?.totals ?? {}
  return (
    <Page
      title={broadcast.name ?? 'Broadcast'}
      heading={
        <>
          {broadcast.name ?? 'Broadcast'} <Badge word={broadcast.status} />
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
            <Button isBusy={cancel.isPending} onClick={() => cancel.mutate()}>
              Cancel
            </Button>
          )}
          <Button
            onClick={() =>
              duplicate.mutate(undefined, { onSuccess: (copy) => navigate({ to: `/broadcasts/${copy.id}` }) })
            }
          >
            Duplicate
          </Button>
        </>
      }
    >
      <dl className="figures">
        {['sent', 'delivered', 'unique_opened', 'unique_clicked', 'bounced', 'unsubscribed'].map((name) => (
          <div key={name}>
            <dt>{name.replace('unique_', '')}</dt>
            <dd>{(totals[name] ?? 0).toLocaleString('en')}</dd>
          </div>
        ))}
      </dl>
      <div className="columns even">
        <Card title="Recipients">
          <Recipients path={path} />
        </Card>
        <HtmlFrame html={broadcast.html ?? ''} title="The broadcast" />
      </div>
    </Page>
  )
}

function Recipients({ path }: { path: string }) {
  const [type, setType] = useState<string>('delivered')
  return (
    <>
      <search className="filters">
        <select aria-label="Which recipients" value={type} onChange={(event) => setType(event.currentTarget.value)}>
          {RECIPIENT_TYPES.map((one) => (
            <option key={one}>{one}</option>
          ))}
        </select>
      </search>
      <CursorList<BroadcastRecipient>
        label="recipients"
        queryKey={['broadcasts', path, 'recipients']}
        path={`${path}/recipients`}
        query={{ type }}
        columns={[
          { name: 'Email', kind: 'main', cell: ({ email }) => email },
          { name: 'Times', cell: ({ count, bounce_type }) => count ?? bounce_type ?? null },
        ]}
        empty={<Empty icon="people" title={`Nobody: ${type}`} />}
      />
    </>
  )
}
