import { Link } from '@tanstack/react-router'
import { SUPPRESSION_ADVICE } from '../../../src/mail/reply-advice.ts'
import { call } from '../api.ts'
import { useCall } from '../queries.ts'
import { useAct } from './act.ts'
import { Button } from './button.tsx'
import { Icon } from './icons.tsx'
import { Time } from './time.tsx'
import './act-note.css'
import { texts } from './texts.ts'

const TITLES = {
  bounce: texts.suppression.reasons.bounce,
  complaint: texts.suppression.reasons.complaint,
  manual: texts.suppression.reasons.manual,
}

/** Says that an address gets no mail, why, and what to do about it. Nothing for an address that is not suppressed. */
export function SuppressionNote({ email }: { email: string }) {
  const { data } = useCall('suppressions.list', { email, limit: 1 })
  const remove = useAct({
    run: (id: string) => call('suppressions.remove', { idOrEmail: id }),
    refresh: ['suppressions', 'contacts'],
    done: texts.suppression.removed,
  })
  const suppression = data?.data[0]
  if (!suppression) return null
  const { id, origin, source_id, created_at } = suppression
  return (
    <section className="act-note" aria-label={texts.suppression.label(email)}>
      <Icon name="block" />
      <div>
        <p>
          <strong>{TITLES[origin]}</strong> <Time at={created_at} />
        </p>
        <p className="muted">{SUPPRESSION_ADVICE[origin]}</p>
      </div>
      <div className="actions">
        {source_id && (
          <Link className="button plain" to="/emails/$id" params={{ id: source_id }}>
            {texts.suppression.viewEmail}
          </Link>
        )}
        <Button needs="suppressions.remove" isBusy={remove.isPending} onClick={() => remove.mutate(id)}>
          {texts.suppression.remove}
        </Button>
      </div>
    </section>
  )
}
