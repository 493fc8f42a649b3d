import { useState } from 'react'
import { WEBHOOK_EVENTS } from '../../../../src/features/webhooks/schema.ts'
import { call } from '../../api.ts'
import { useAct } from '../../ui/act.ts'
import { Button } from '../../ui/button.tsx'
import { Confirm, Dialog } from '../../ui/dialog.tsx'
import { Field } from '../../ui/field.tsx'
import type { EventName } from './api.ts'
import { texts } from './texts.ts'

const HOUR_MS = 3_600_000

/** How far back a replay reaches. */
const PERIODS = [
  { label: texts.periods.all, ms: null },
  { label: texts.periods.lastHour, ms: HOUR_MS },
  { label: texts.periods.lastDay, ms: 24 * HOUR_MS },
  { label: texts.periods.lastWeek, ms: 168 * HOUR_MS },
] as const

/** One more attempt for all that was not delivered. */
export function ReplayFailed({ webhook, isEnabled }: { webhook: string; isEnabled: boolean }) {
  const [isAsking, setAsking] = useState(false)
  const [period, setPeriod] = useState(0)
  const replay = useAct({
    run: () => {
      const { ms } = PERIODS[period]!
      const body = ms === null ? {} : { since: new Date(Date.now() - ms).toISOString() }
      return call('webhooks.events.replay-failed', { id: webhook, body })
    },
    refresh: ['webhooks'],
    done: texts.replayDialog.done,
  })
  return (
    <>
      <Button
        needs="webhooks.events.replay-failed"
        disabled={!isEnabled}
        title={isEnabled ? undefined : texts.actions.enableFirst}
        onClick={() => setAsking(true)}
      >
        {texts.replayDialog.confirm}
      </Button>
      <Confirm
        title={texts.replayDialog.title}
        note={texts.replayDialog.note}
        act={texts.replayDialog.confirm}
        look="primary"
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        onConfirm={() => replay.mutateAsync()}
      >
        <Field label={texts.replayDialog.period}>
          {(common) => (
            <select {...common} value={period} onChange={({ currentTarget }) => setPeriod(Number(currentTarget.value))}>
              {PERIODS.map(({ label }, index) => (
                <option key={label} value={index}>
                  {label}
                </option>
              ))}
            </select>
          )}
        </Field>
      </Confirm>
    </>
  )
}

interface SendTestProps {
  readonly webhook: string
  readonly events: readonly EventName[]
  readonly isEnabled: boolean
  /** The event that was sent. */
  readonly onSent: (event: string) => void
}

/** An event with sample data, to this webhook alone. */
export function SendTest({ webhook, events, isEnabled, onSent }: SendTestProps) {
  const [isOpen, setOpen] = useState(false)
  const [type, setType] = useState<EventName>(events[0] ?? 'email.delivered')
  const send = useAct({
    run: () => call('webhooks.test', { id: webhook, body: { type } }),
    refresh: ['webhooks'],
    done: texts.testDialog.sent,
  })
  return (
    <>
      <Button
        needs="webhooks.test"
        icon="send"
        disabled={!isEnabled}
        title={isEnabled ? undefined : texts.actions.enableFirst}
        onClick={() => setOpen(true)}
      >
        {texts.testDialog.title}
      </Button>
      <Dialog
        title={texts.testDialog.title}
        note={texts.testDialog.note}
        isOpen={isOpen}
        onClose={() => setOpen(false)}
      >
        <form
          className="form"
          onSubmit={(event) => {
            event.preventDefault()
            send.mutate(undefined, {
              onSuccess: ({ id }) => {
                setOpen(false)
                onSent(id)
              },
            })
          }}
        >
          <Field label={texts.testDialog.event}>
            {(common) => (
              <select
                {...common}
                value={type}
                onChange={({ currentTarget }) => setType(currentTarget.value as EventName)}
              >
                {WEBHOOK_EVENTS.map((name) => (
                  <option key={name}>{name}</option>
                ))}
              </select>
            )}
          </Field>
          <div className="actions">
            <Button type="submit" look="primary" isBusy={send.isPending}>
              {texts.testDialog.title}
            </Button>
          </div>
        </form>
      </Dialog>
    </>
  )
}
