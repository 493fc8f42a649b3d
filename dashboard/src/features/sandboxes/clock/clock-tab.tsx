import { useEffect, useState } from 'react'
import { call, type Reply } from '../../../api.ts'
import { useCall } from '../../../queries.ts'
import { useAct } from '../../../ui/act.ts'
import { useIsAllowed } from '../../../ui/allowed.tsx'
import { dateFormat } from '../../../ui/locale.ts'
import { Card } from '../../../ui/page.tsx'
import { SavedCheck } from '../../../ui/saved-check.tsx'
import { Empty, Failed, Loading } from '../../../ui/states.tsx'
import { AdvanceForm } from './advance-form.tsx'
import { AdvanceTimeline } from './advance-timeline.tsx'
import type { Advance } from './use-advance.ts'
import './clock-tab.css'
import { texts } from '../texts.ts'

/** A test may move it as well. While it is moved from here, that is the progress. */
const POLL_INTERVAL_MS = 3_000
const PROGRESS_MS = 400

/** What time it is in a sandbox, and how to make it another. */
export function ClockTab({ sandbox, advance }: { sandbox: string; advance: Advance }) {
  const clock = useCall(
    'clock.get',
    {},
    { sandbox, staleTime: 0, refetchInterval: () => (advance.isRunning ? PROGRESS_MS : POLL_INTERVAL_MS) },
  )
  const mayMove = useIsAllowed('clock.update')
  if (clock.isPending) return <Loading />
  if (clock.isError) return <Failed error={clock.error} onRetry={() => clock.refetch()} />
  return (
    <div className="clock-columns">
      <div>
        <Card title={texts.clock.currentTime}>
          <Now clock={clock.data} readAt={clock.dataUpdatedAt} />
          {mayMove && <Freeze sandbox={sandbox} clock={clock.data} isOff={advance.isRunning} />}
        </Card>
        {mayMove && (
          <Card title={texts.advance.title}>
            <AdvanceForm now={clock.data.now} advance={advance} />
          </Card>
        )}
      </div>
      {advance.progress ? (
        <AdvanceTimeline progress={advance.progress} now={clock.data.now} onStop={advance.stop} />
      ) : (
        <Empty icon="clock" title={texts.timeline.title}>
          <p className="muted">{texts.timeline.empty}</p>
        </Empty>
      )}
    </div>
  )
}

const DAY = dateFormat({ weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' })
const CLOCK = dateFormat({ hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23' })

/** It goes on between two looks, unless it stands still. */
function Now({ clock, readAt }: { clock: Reply<'clock.get'>; readAt: number }) {
  const [passed, setPassed] = useState(0)
  useEffect(() => {
    setPassed(0)
    if (clock.is_frozen) return
    const timer = setInterval(() => setPassed(Date.now() - readAt), 1_000)
    return () => clearInterval(timer)
  }, [clock, readAt])
  const now = new Date(new Date(clock.now).getTime() + passed)
  return (
    <time className="sandbox-now" dateTime={now.toISOString()}>
      <strong>{CLOCK.format(now)}</strong>
      <span>{DAY.format(now)}</span>
      <small className="muted">{now.toISOString()}</small>
    </time>
  )
}

function Freeze({ sandbox, clock, isOff }: { sandbox: string; clock: Reply<'clock.get'>; isOff: boolean }) {
  const freeze = useAct({
    run: (is_frozen: boolean) => call('clock.update', { body: { is_frozen } }, { sandbox }),
    done: ({ is_frozen }) => (is_frozen ? texts.clock.frozenToast : texts.clock.runningToast),
    refresh: ['clock'],
  })
  return (
    <SavedCheck isOn={clock.is_frozen} isDisabled={isOff} onSave={freeze.mutateAsync}>
      {texts.clock.frozen}
      <small className="muted">{texts.clock.frozenHint}</small>
    </SavedCheck>
  )
}
