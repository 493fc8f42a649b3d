import { useState } from 'react'
import { LiftPauses } from '../../../../../src/features/operator/delivery/schema.ts'
import { call, type Reply } from '../../../api.ts'
import { useAct } from '../../../ui/act.ts'
import { Badge } from '../../../ui/badge.tsx'
import { Button } from '../../../ui/button.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { Card } from '../../../ui/page.tsx'
import { SchemaForm } from '../../../ui/schema-form.tsx'
import { Time } from '../../../ui/time.tsx'
import '../../../ui/table.css'
import '../../../ui/records.css'
import { capitalized } from './capitalized.ts'
import { texts } from './texts.ts'

type Pause = Reply<'operator.delivery.destination'>['pauses'][number]
type Stop = NonNullable<Reply<'operator.delivery.destination'>['stop']>

interface PausesSectionProps {
  readonly destination: string
  /** Nothing goes there at the moment. */
  readonly stop: Stop | null
  readonly pauses: readonly Pause[]
}

/** What the destination refuses, until when, and what it said. */
export function PausesSection({ destination, stop, pauses }: PausesSectionProps) {
  const [asked, setAsked] = useState<Pause | 'all' | null>(null)
  const close = () => setAsked(null)
  const lift = useAct({
    run: (reason: string) =>
      call('operator.delivery.lift', {
        body: { destination, reason, ...(asked && asked !== 'all' && { kind: asked.kind, identity: asked.identity }) },
      }),
    refresh: ['operator.delivery'],
    done: ({ count }) => texts.pauses.dialog.done(Math.max(1, count)),
  })
  const active = pauses.filter(({ is_active }) => is_active)
  const { dialog } = texts.pauses
  return (
    <Card
      title={texts.pauses.title}
      actions={
        active.length > (stop ? 0 : 1) && <Button onClick={() => setAsked('all')}>{texts.pauses.liftAll}</Button>
      }
    >
      {pauses.length === 0 && !stop ? (
        <p className="muted">{texts.pauses.none}</p>
      ) : (
        <PauseTable stop={stop} pauses={pauses} onLift={setAsked} />
      )}
      <Dialog
        title={
          asked === null || asked === 'all' ? dialog.titleAll(destination) : dialog.title(asked.about, destination)
        }
        note={dialog.note}
        isOpen={asked !== null}
        onClose={close}
      >
        <SchemaForm
          shape={LiftPauses}
          fields={[{ name: 'reason', label: dialog.reason, hint: dialog.reasonHint, isLong: true }]}
          act={dialog.confirm}
          onSubmit={({ reason }) => lift.mutateAsync(reason).then(close)}
        />
      </Dialog>
    </Card>
  )
}

interface PauseTableProps extends Omit<PausesSectionProps, 'destination'> {
  readonly onLift: (pause: Pause | 'all') => void
}

function PauseTable({ stop, pauses, onLift }: PauseTableProps) {
  const { columns } = texts.pauses
  return (
    <div className="table-wrap records">
      <table aria-label={texts.pauses.title}>
        <thead>
          <tr>
            <th scope="col">{columns.about}</th>
            <th scope="col">{columns.state}</th>
            <th scope="col">{columns.since}</th>
            <th scope="col">{columns.until}</th>
            <th scope="col" className="main">
              {columns.reply}
            </th>
            <th scope="col" className="end">
              <span className="hidden">{texts.pauses.lift}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {stop && <StopRow stop={stop} onLift={() => onLift('all')} />}
          {pauses.map((pause) => (
            <tr key={`${pause.kind} ${pause.identity}`}>
              <td data-label={columns.about}>{capitalized(pause.about)}</td>
              <td data-label={columns.state}>
                <PauseState {...pause} />
              </td>
              <td data-label={columns.since} title={texts.pauses.refusals(pause.refusals)}>
                <Time at={pause.refused_at} />
              </td>
              <td data-label={columns.until}>
                <Time at={pause.paused_until} />
              </td>
              <td className="main" data-label={columns.reply} title={pause.reply}>
                {pause.lifted_reason ? texts.pauses.liftedBecause(pause.lifted_reason) : <code>{pause.reply}</code>}
              </td>
              <td className="end" data-label="">
                {pause.is_active && <Button onClick={() => onLift(pause)}>{texts.pauses.lift}</Button>}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

/** Of all mail: one message is tried when its time is over. */
function StopRow({ stop, onLift }: { stop: Stop; onLift: () => void }) {
  const { columns } = texts.pauses
  const isOver = Date.parse(stop.stopped_until) <= Date.now()
  return (
    <tr>
      <td data-label={columns.about}>{texts.pauses.everything}</td>
      <td data-label={columns.state}>
        <Badge word={isOver ? texts.pauses.tried : texts.pauses.stopped} tone={isOver ? 'busy' : 'bad'} />
      </td>
      <td data-label={columns.since} title={texts.pauses.failures(stop.failures)}>
        <Time at={stop.stopped_at} />
      </td>
      <td data-label={columns.until}>
        <Time at={stop.stopped_until} />
      </td>
      <td className="main" data-label={columns.reply} title={stop.reply ?? undefined}>
        {stop.reply && <code>{stop.reply}</code>}
      </td>
      <td className="end" data-label="">
        {!isOver && <Button onClick={onLift}>{texts.pauses.lift}</Button>}
      </td>
    </tr>
  )
}

const PauseState = ({ is_active, lifted_at }: Pause) =>
  is_active ? (
    <Badge word={texts.pauses.active} tone="bad" />
  ) : (
    <Badge word={lifted_at ? texts.pauses.lifted : texts.pauses.ended} tone="plain" />
  )
