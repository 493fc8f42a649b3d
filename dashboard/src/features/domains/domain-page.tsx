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
import { formatNumber } from '../../ui/locale.ts'
import { Card, Page } from '../../ui/page.tsx'
import { SchemaForm } from '../../ui/schema-form.tsx'
import { Failed, Loading } from '../../ui/states.tsx'
import { ClaimCard } from './claim.tsx'
import { HealthBanner, HealthSection } from './health-section.tsx'
import { RecordTable } from './record-table.tsx'
import { ReportsSection } from './reports-section.tsx'
import '../../ui/progress.css'
import { texts } from './texts.ts'

/** DNS changes can take hours: the page polls this long after Verify. */
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
    done: texts.saved,
  })
  const rotate = useAct({
    run: () => call('domains.rotate-keys', { id }),
    refresh: ['domains'],
    done: texts.records.rotated,
  })
  const receive = (receiving: 'enabled' | 'disabled') => update.mutateAsync({ capabilities: { receiving } })
  if (domain.isPending) return <Loading />
  if (domain.isError) return <Failed error={domain.error} onRetry={() => domain.refetch()} />
  const { name, status, records, capabilities, open_tracking, click_tracking, tracking_subdomain, is_claim } =
    domain.data
  const { mta_sts } = domain.data
  const isReceiving = capabilities.receiving === 'enabled'
  const isLooking = verify.isPending || isWatching(status, watchedUntil)
  const needed = records.filter(({ suggestion }) => suggestion !== 'DMARC' && suggestion !== 'TLS-RPT')
  const done = needed.filter((record) => record.status === 'verified').length
  return (
    <Page
      title={name}
      heading={
        <>
          {name} <Badge word={status} />
        </>
      }
      note={<Copyable text={id} what={texts.copied.id} />}
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
          {isLooking ? texts.verifying : texts.verify}
        </Button>
      }
    >
      {is_claim ? <ClaimCard domain={id} /> : <HealthBanner id={id} />}
      <Card
        title={texts.records.title}
        actions={
          status === 'verified' &&
          capabilities.sending === 'enabled' && (
            <Button needs="domains.rotate-keys" isBusy={rotate.isPending} onClick={() => rotate.mutate()}>
              {texts.records.rotate}
            </Button>
          )
        }
      >
        <p className="muted">{texts.records.note}</p>
        <label className="progress">
          <progress max={needed.length} value={done} aria-label={texts.records.progress} />
          {texts.records.verifiedCount(formatNumber(done), formatNumber(needed.length))}
        </label>
        <RecordTable records={records} />
      </Card>
      {!is_claim && (
        <>
          <HealthSection id={id} />
          {capabilities.sending === 'enabled' && <ReportsSection id={id} />}
        </>
      )}
      <Card
        title={texts.receiving.title}
        actions={
          <Button
            needs="domains.update"
            isBusy={update.isPending}
            onClick={() => (isReceiving ? setAsking(true) : receive('enabled').catch(() => {}))}
          >
            {isReceiving ? texts.receiving.disable : texts.receiving.enable}
          </Button>
        }
      >
        <p className="muted">{isReceiving ? texts.receiving.enabled : texts.receiving.disabled}</p>
        {isReceiving && (
          <SchemaForm
            key={mta_sts}
            shape={UpdateDomain}
            initial={{ mta_sts: mta_sts ?? 'off' }}
            fields={[
              {
                name: 'mta_sts',
                label: texts.receiving.policy.label,
                hint: texts.receiving.policy.hint,
                options: policyOptions(mta_sts),
              },
            ]}
            act={texts.receiving.policy.save}
            needs="domains.update"
            onSubmit={(values) => update.mutateAsync(values)}
          />
        )}
      </Card>
      <Confirm
        title={texts.receiving.disableDialog.title}
        note={texts.receiving.disableDialog.note}
        act={texts.receiving.disableDialog.confirm}
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        onConfirm={() => receive('disabled')}
      />
      <Card title={texts.options.title}>
        <SchemaForm
          key={JSON.stringify([open_tracking, click_tracking, tracking_subdomain])}
          shape={UpdateDomain}
          initial={{ open_tracking, click_tracking, tracking_subdomain }}
          fields={[
            { name: 'open_tracking', label: texts.options.openTracking.label, hint: texts.options.openTracking.hint },
            {
              name: 'click_tracking',
              label: texts.options.clickTracking.label,
              hint: texts.options.clickTracking.hint,
            },
            {
              name: 'tracking_subdomain',
              label: texts.options.trackingSubdomain.label,
              placeholder: texts.options.trackingSubdomain.placeholder,
            },
          ]}
          act={texts.options.save}
          needs="domains.update"
          onSubmit={(values) => update.mutateAsync(values)}
        />
      </Card>
    </Page>
  )
}

const isWatching = (status: string | undefined, until: number) => status !== 'verified' && Date.now() < until

/** A policy is enforced after it was tested: what would fail is reported before it does. */
const policyOptions = (now: string | undefined) => [
  { value: 'off', label: texts.receiving.policy.off },
  { value: 'testing', label: texts.receiving.policy.testing },
  ...(now === undefined ? [] : [{ value: 'enforce', label: texts.receiving.policy.enforce }]),
]
