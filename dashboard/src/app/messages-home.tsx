import { Link } from '@tanstack/react-router'
import { DeliveryDetails } from '../features/emails/delivery-details.tsx'
import { EmailTrace } from '../features/emails/trace.tsx'
import { MessagesPage } from '../features/messages/messages-page.tsx'
import { FirstMail } from './received-home.tsx'
import { useSession } from './session.ts'
import { texts } from './texts.ts'

/** All mail of the team. What was really sent is not deleted, and needs no release. */
export function MessagesHome() {
  const { data: session } = useSession()
  if (!session) return null
  const { delivery, relay } = session.installation
  const isInbox = delivery === 'inbox'
  return (
    <MessagesPage
      scope={{ canDelete: isInbox, ...(isInbox && { relay }) }}
      firstMail={<FirstMail />}
      timelineOf={(id) => <DeliveryDetails id={id} />}
      traceOf={(id) => <EmailTrace id={id} />}
      linkTo={({ id, direction }) => (
        <Link className="button plain" to={direction === 'sent' ? '/emails/$id' : '/received/$id'} params={{ id }}>
          {texts.firstMail.open}
        </Link>
      )}
    />
  )
}
