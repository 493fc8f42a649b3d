import { useParams } from '@tanstack/react-router'
import { useCall } from '../../queries.ts'
import { Badge } from '../../ui/badge.tsx'
import { MessageFacts } from '../../ui/message-viewer/message-facts.tsx'
import { MessageViewer } from '../../ui/message-viewer/message-viewer.tsx'
import { Neighbours } from '../../ui/message-viewer/neighbours.tsx'
import { Page } from '../../ui/page.tsx'
import { Failed, Loading } from '../../ui/states.tsx'
import { EmailActions } from './actions.tsx'
import { ApprovalNote } from './approval-note.tsx'
import { texts } from './texts.ts'
import { Recipients, Timeline } from './timeline.tsx'
import { EmailTrace } from './trace.tsx'

/** It is no message yet, or never will be one. */
const HAS_NOT_LEFT: readonly string[] = ['queued', 'scheduled', 'canceled']

export function EmailPage() {
  const { id } = useParams({ from: '/emails/$id' })
  const email = useCall('emails.get', { id })
  const attachments = useCall('emails.attachments.list', { id }).data?.data ?? []
  if (email.isPending) return <Loading />
  if (email.isError) return <Failed error={email.error} onRetry={() => email.refetch()} />
  const { subject, last_event, html, text, deliveries } = email.data
  const title = subject || texts.noSubject
  const timeline = (
    <>
      <Timeline email={email.data} />
      <Recipients deliveries={deliveries} />
    </>
  )
  return (
    <Page
      title={title}
      heading={
        <>
          {title} <Badge word={last_event} />
        </>
      }
      actions={
        <>
          <EmailActions email={email.data} attachments={attachments} />
          <Neighbours id={id} list="emails.list" pageOfOne="/emails/$id" />
        </>
      }
    >
      {last_event === 'queued' && <ApprovalNote id={id} />}
      <div className="columns">
        <MessageViewer
          id={id}
          content={{ html, text, attachments }}
          isMessage={!HAS_NOT_LEFT.includes(last_event)}
          timeline={timeline}
          trace={<EmailTrace id={id} />}
        />
        <div>
          {timeline}
          <MessageFacts message={email.data} direction="sent" />
        </div>
      </div>
    </Page>
  )
}
