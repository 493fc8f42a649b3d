import { Link } from '@tanstack/react-router'
import { useCall } from '../../queries.ts'
import { Icon } from '../../ui/icons.tsx'
import '../../ui/act-note.css'
import { rich } from '../../ui/rich.tsx'
import { Time } from '../../ui/time.tsx'
import { texts } from './texts.ts'

/** Says that an email waits for approval, and where that is given. */
export function ApprovalNote({ id }: { id: string }) {
  const { data: approval } = useCall('approvals.get', { id })
  if (approval?.status !== 'waiting') return null
  return (
    <section className="act-note calm" aria-label={texts.approval.title}>
      <Icon name="clock" />
      <div>
        <p>
          <strong>{texts.approval.title}</strong>
        </p>
        <p className="muted">{rich(texts.approval.expires, { when: <Time at={approval.expires_at} /> })}</p>
      </div>
      <div className="actions">
        <Link className="button primary" to="/approvals/$id" params={{ id }}>
          {texts.approval.review}
        </Link>
      </div>
    </section>
  )
}
