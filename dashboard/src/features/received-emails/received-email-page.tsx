import { useNavigate, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { call, onThisHost } from '../../api.ts'
import { useCall } from '../../queries.ts'
import { useAct } from '../../ui/act.ts'
import { Button } from '../../ui/button.tsx'
import { Confirm } from '../../ui/dialog.tsx'
import { MessageFacts } from '../../ui/message-viewer/message-facts.tsx'
import { MessageViewer } from '../../ui/message-viewer/message-viewer.tsx'
import { Neighbours } from '../../ui/message-viewer/neighbours.tsx'
import { Card, Page } from '../../ui/page.tsx'
import { Failed, Loading } from '../../ui/states.tsx'
import { texts } from './texts.ts'
import { Verdicts } from './verdicts.tsx'

const UNCHECKED_INTERVAL_MS = 3_000

export function ReceivedEmailPage() {
  const { id } = useParams({ from: '/received/$id' })
  const email = useCall(
    'emails.receiving.get',
    { id },
    // SPF, DKIM and DMARC are checked a moment after the mail has come in, without an event.
    { refetchInterval: ({ state }) => (state.data?.authentication === null ? UNCHECKED_INTERVAL_MS : false) },
  )
  const message = useCall('messages.get', { id })
  for (const one of [email, message]) if (one.isError) return <Failed error={one.error} onRetry={() => one.refetch()} />
  if (!email.data || !message.data) return <Loading />
  const { subject, raw, authentication } = email.data
  const downloadUrl = onThisHost(raw.download_url)
  return (
    <Page
      title={subject || texts.noSubject}
      actions={
        <>
          <a className="button plain" href={downloadUrl} download>
            {texts.downloadSource}
          </a>
          <DeleteReceived id={id} />
          <Neighbours id={id} list="emails.receiving.list" pageOfOne="/received/$id" />
        </>
      }
    >
      <div className="columns">
        <MessageViewer id={id} content={message.data} downloadUrl={downloadUrl} />
        <div>
          <Card title={texts.authentication.title}>
            <Verdicts authentication={authentication} />
          </Card>
          <MessageFacts message={email.data} direction="received" />
        </div>
      </div>
    </Page>
  )
}

function DeleteReceived({ id }: { readonly id: string }) {
  const [isAsking, setAsking] = useState(false)
  const navigate = useNavigate()
  const remove = useAct({
    run: () => call('emails.receiving.remove', { id }),
    refresh: ['emails', 'messages', 'inboxes'],
    done: texts.deleteDialog.done,
  })
  return (
    <>
      <Button needs="emails.receiving.remove" look="danger" onClick={() => setAsking(true)}>
        {texts.delete}
      </Button>
      <Confirm
        title={texts.deleteDialog.title}
        note={texts.deleteDialog.note}
        act={texts.deleteDialog.confirm}
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        onConfirm={() => remove.mutateAsync().then(() => navigate({ to: '/received' }))}
      />
    </>
  )
}
