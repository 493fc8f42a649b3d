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
const LOOK_EVERY_MS = 2_000

export function DomainPage() {
  const { id } = useParams({ from: '/domains/$id' })
  const [isAsking, setAsking] = useState(false)
  const [watchedUntil, setWatchedUntil] = useState(0)
  const domain = useCall(
    'domains.get',
    { id },
    // A check that changes nothing tells nothing, so somebody who waits for it has to look.
    { refetchInterval: ({ state }) => (isWatching(state.data?.status, watchedUntil) ? LOOK_EVERY_MS : false) },
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
      note={<Copyable text={id} what="the id" />}
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
          {isLooking ? 'Looking…' : 'Verify'}
        </Button>
      }
    >
      {status !== 'verified' && <ClaimCard domain={id} />}
      <Card title="DNS records">
        <p className="muted">
          Set these where the domain’s DNS is managed, then verify. It can take hours until all see them.
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
            {isReceiving ? 'Stop receiving' : 'Receive mail'}
          </Button>
        }
      >
        <p className="muted">
          {isReceiving
            ? 'Mail to any address of this domain is taken in, once its records are found.'
            : 'Mail to this domain is not taken in. When you turn it on, the record that it needs is added above.'}
        </p>
      </Card>
      <Confirm
        title="Stop receiving?"
        note="Mail to this domain is refused from now on, and goes back to those who sent it."
        act="Stop receiving"
        keep="Go on receiving"
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
            { name: 'open_tracking', label: 'Count opens', hint: 'With a picture of one pixel.' },
            { name: 'click_tracking', label: 'Count clicks', hint: 'Links go through this installation.' },
            { name: 'tracking_subdomain', label: 'Subdomain for tracking', placeholder: 'links' },
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
