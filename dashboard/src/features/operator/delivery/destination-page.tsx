import { useParams } from '@tanstack/react-router'
import { useCall } from '../../../queries.ts'
import { Page } from '../../../ui/page.tsx'
import { Failed, Loading } from '../../../ui/states.tsx'
import { CeilingsSection } from './ceilings-section.tsx'
import './delivery.css'
import { FlowBadge, FlowReason } from './flow.tsx'
import { PaceSection } from './pace-section.tsx'
import { PausesSection } from './pauses-section.tsx'
import { RulesOf } from './rules.tsx'
import { texts } from './texts.ts'
import { WaitingSection } from './waiting-section.tsx'

const REFRESH_MS = 10_000

/** One destination: what holds its mail back, since when and why, and what it gets at most. */
export function DestinationPage() {
  const { id: name } = useParams({ from: '/delivery/$id' })
  const destination = useCall('operator.delivery.destination', { name }, { refetchInterval: () => REFRESH_MS })
  if (destination.isPending) return <Loading />
  if (destination.isError) return <Failed error={destination.error} onRetry={() => destination.refetch()} />
  const { kind, state, reason, until, stop, paces, pauses, ceilings } = destination.data
  return (
    <Page
      title={name}
      heading={
        <>
          {name} <FlowBadge state={state} />
        </>
      }
      note={
        <>
          {texts.kinds[kind]}.{' '}
          {reason === null ? texts.flow.none : <FlowReason state={state} reason={reason} until={until} />}
        </>
      }
    >
      <PaceSection destination={name} paces={paces} ceilings={ceilings} />
      <WaitingSection destination={name} />
      <PausesSection destination={name} stop={stop} pauses={pauses} />
      <CeilingsSection ceilings={ceilings} />
      <RulesOf kind={kind} name={kind === 'domain' ? name.slice(1) : name} />
    </Page>
  )
}
