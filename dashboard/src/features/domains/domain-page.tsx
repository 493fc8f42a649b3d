import { useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { UpdateDomain } from '../../../../src/features/domains/schema.ts'
import { call, type Input } from '../../api.ts'
import { useCall } from '../../queries.ts'
import { useAct } from '../../ui/act.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Copyable } from '../../ui/copy.tsx'
import { Confirm } from '../../ui/dialog.tsx'
import { Card, Page } from '../../ui/page.tsx'
import { SchemaForm } from '../../ui/schema-form.tsx'
import { Failed, Loading } from '../../ui/states.tsx'
import { ClaimCard } from './claim.tsx'
import { RecordTable } from './record-table.tsx'
import '../../ui/progress.css'

/** Name servers take their time; after this long nobody is still watching. */
const WATCH_MS = 60_000
const POLL_INTERVAL_MS = 2_000

export function DomainPage() {
  const { id } = useParams({ from: '/domains/$id' })
  const [isAsking, setAsking] = useState(false)
  const [watchedUntil, setWatchedUntil] = useState(0)
  const domain = useCall(
    'domains.get',
    { id },
    // A check that changes nothing emits no event, so the page polls.
    { refetchInterval: ({ state }) => (isWatching(state.data?.status, watchedUntil) ? POLL_INTERVAL_MS : false) },
  )
  const verify = useAct({ run: () => call('domains.verify', { id }), refresh: ['domains'] })
  const update = useAct({
    run: (body: Input<'domains.update'>['body']) => call('domains.update', { id, body }),
    refresh: ['domains'],
    done: 'Saved',
  })
  const receive = (receiving: 'enabled' | 'disabled') => update.mutateAsync({ capabilities: { receiving } })
  if (domain.isPending) return <Loading />
  if (domain.isError) return <Failed error={domain.error} onRetry={() => domain.refetch()} />
  const { name, status, records, capabilities, open_tracking, click_tracking, tracking_subdomain } = domain.data
  const isReceiving = capabilities.receiving === 'enabled'
  const isLooking = verify.isPending || isWatching(status, watchedUntil)
  const done = records.filter((record) => record.status === 'verified').length
  return (
    <Page
      title={name}
      heading={
        <>
          {name} <Badge word={status} />
        </>
      }
      note={<Copyable text={id} what="ID" />}
      actions={
        <Button
          needs="domains.verify"
          look={status === 'verified' ? 'plain' : 'primary'}
          isBusy={isLooking}
          onClick={() => {
            setWatchedUntil(Date.now() + WATCH_MS)
            verify.mutate()
          }}
        >
          {isLooking ? 'Verifying…' : 'Verify'}
        </Button>
      }
    >
      {status !== 'verified' && <ClaimCard domain={id} />}
      <Card title="DNS records">
        <p className="muted">
          Add these records at your DNS provider, then verify. Changes can take hours to propagate.
        </p>
        <label className="progress">
          <progress max={records.length} value={done} aria-label="Verified records" />
          {done} of {records.length} found
        </label>
        <RecordTable records={records} />
      </Card>
      <Card
        title="Receiving"
        actions={
          <Button
            needs="domains.update"
            isBusy={update.isPending}
            onClick={() => (isReceiving ? setAsking(true) : receive('enabled').catch(() => {}))}
          >
            {isReceiving ? 'Disable receiving' : 'Enable receiving'}
          </Button>
        }
      >
        <p className="muted">
          {isReceiving
            ? 'Email to any address of this domain is accepted once its records are verified.'
            : 'Email to this domain is not accepted. When you enable receiving, the required record is added above.'}
        </p>
      </Card>
      <Confirm
        title="Disable receiving?"
        note="Email to this domain is rejected, and senders get a bounce."
        act="Disable receiving"
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        onConfirm={() => receive('disabled')}
      />
      <Card title="Options">
        <SchemaForm
          key={JSON.stringify([open_tracking, click_tracking, tracking_subdomain])}
          shape={UpdateDomain}
          initial={{ open_tracking, click_tracking, tracking_subdomain }}
          fields={[
            { name: 'open_tracking', label: 'Open tracking', hint: 'Adds a tracking pixel' },
            {
              name: 'click_tracking',
              label: 'Click tracking',
              hint: 'Rewrites links to pass through this installation',
            },
            { name: 'tracking_subdomain', label: 'Tracking subdomain', placeholder: 'links' },
          ]}
          act="Save"
          needs="domains.update"
          onSubmit={(values) => update.mutateAsync(values)}
        />
      </Card>
    </Page>
  )
}

const isWatching = (status: string | undefined, until: number) => status !== 'verified' && Date.now() < until
