import { call } from '../../api.ts'
import { useAct } from '../../ui/act.ts'
import { Button } from '../../ui/button.tsx'
import { Icon } from '../../ui/icons.tsx'
import { Time } from '../../ui/time.tsx'
import type { FullBroadcast } from './api.ts'
import '../../ui/act-note.css'
import { texts } from './texts.ts'

/** Says that a broadcast has stopped itself, why, and what can be done about it. */
export function PauseNote({ broadcast, onCancel }: { broadcast: FullBroadcast; onCancel: () => void }) {
  const { id, pause, paused_at } = broadcast
  const resume = useAct({
    run: () => call('broadcasts.resume', { id }),
    refresh: ['broadcasts'],
    done: texts.paused.resumed,
  })
  if (!pause || !paused_at) return null
  const { cause, rate, max_rate, emails } = pause
  return (
    <section className="act-note" aria-label={texts.paused.label}>
      <Icon name="block" />
      <div>
        <p>
          <strong>{texts.paused.causes[cause](rate, max_rate)}</strong> <Time at={paused_at} />
        </p>
        <p className="muted">{texts.paused.note(emails)}</p>
      </div>
      <div className="actions">
        <Button needs="broadcasts.resume" isBusy={resume.isPending} onClick={() => resume.mutate()}>
          {texts.paused.resume}
        </Button>
        <Button needs="broadcasts.cancel" look="danger" onClick={onCancel}>
          {texts.paused.cancel}
        </Button>
      </div>
    </section>
  )
}
