import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { FATES } from '../../../../src/features/broadcasts/schema.ts'
import { call } from '../../api.ts'
import { useAct } from '../../ui/act.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { CursorList } from '../../ui/cursor-list.tsx'
import { Confirm } from '../../ui/dialog.tsx'
import { Card, Page } from '../../ui/page.tsx'
import { rich } from '../../ui/rich.tsx'
import { asWritten } from '../../ui/search-params.ts'
import { asOptions, SearchSelect } from '../../ui/search-select.tsx'
import { Empty } from '../../ui/states.tsx'
import { Time } from '../../ui/time.tsx'
import type { FullBroadcast } from './api.ts'
import { ClickedLinks, SentPreview } from './clicked-links.tsx'
import { BroadcastFigures } from './figures.tsx'
import { PauseNote } from './pause-note.tsx'
import { Progress } from './progress.tsx'
import { texts } from './texts.ts'

/** How far it is, and what came of it. The live feed keeps the figures going. */
export function BroadcastResults({ broadcast }: { broadcast: FullBroadcast }) {
  const navigate = useNavigate()
  const [isAsking, setAsking] = useState(false)
  const { id } = broadcast
  const cancel = useAct({
    run: () => call('broadcasts.cancel', { id }),
    refresh: ['broadcasts'],
    done: texts.cancelDialog.done,
  })
  const duplicate = useAct({
    run: () => call('broadcasts.duplicate', { id }),
    refresh: ['broadcasts'],
    done: texts.duplicated,
  })
  return (
    <Page
      title={broadcast.name}
      heading={
        <>
          {broadcast.name} <Badge word={broadcast.status} />
        </>
      }
      note={rich(
        broadcast.sent_at ? texts.dates.sent : broadcast.scheduled_at ? texts.dates.scheduled : texts.dates.created,
        { time: <Time at={broadcast.sent_at ?? broadcast.scheduled_at ?? broadcast.created_at} exact /> },
      )}
      actions={
        <>
          {(broadcast.status === 'scheduled' || (broadcast.status === 'queued' && !broadcast.pause)) && (
            <Button needs="broadcasts.cancel" onClick={() => setAsking(true)}>
              {texts.cancel}
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
            {texts.duplicate}
          </Button>
        </>
      }
    >
      <Confirm
        title={texts.cancelDialog.title}
        note={broadcast.status === 'scheduled' ? texts.cancelDialog.noteScheduled : texts.cancelDialog.noteSending}
        act={texts.cancelDialog.confirm}
        dismiss={texts.cancelDialog.dismiss}
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        onConfirm={() => cancel.mutateAsync()}
      />
      <PauseNote broadcast={broadcast} onCancel={() => setAsking(true)} />
      {broadcast.status !== 'scheduled' && <Progress counts={broadcast.counts} />}
      <BroadcastFigures broadcast={broadcast} />
      <div className="columns even">
        <div>
          <Card title={texts.recipients.title}>
            <Recipients broadcast={id} />
          </Card>
          <ClickedLinks broadcast={id} />
        </div>
        <SentPreview broadcast={broadcast} />
      </div>
    </Page>
  )
}

function Recipients({ broadcast }: { broadcast: string }) {
  const { type: wanted } = useSearch({ from: '/broadcasts/$id' })
  const type = asWritten<(typeof FATES)[number]>(wanted) ?? 'delivered'
  return (
    <>
      <search className="filters">
        <SearchSelect name="type" label={texts.recipients.status} otherwise={type} options={asOptions(FATES)} />
      </search>
      <CursorList
        label={texts.recipients.label}
        list="broadcasts.recipients"
        input={{ id: broadcast, type }}
        columns={[
          {
            name: texts.recipients.columns.email,
            kind: 'title',
            cell: ({ email, contact_id }) =>
              contact_id ? (
                <Link to="/contacts/$id" params={{ id: contact_id }}>
                  {email}
                </Link>
              ) : (
                email
              ),
          },
          { name: texts.recipients.columns.count, cell: ({ count, bounce_type }) => count ?? bounce_type ?? null },
          // A skipped contact has no email.
          ...(type === 'suppressed'
            ? []
            : [
                {
                  name: texts.recipients.columns.details,
                  kind: 'aside' as const,
                  cell: ({ id }: { id: string }) => (
                    <Link to="/emails/$id" params={{ id }}>
                      {texts.recipients.viewEmail}
                    </Link>
                  ),
                },
              ]),
        ]}
        empty={<Empty icon="people" title={texts.recipients.empty} />}
      />
    </>
  )
}
