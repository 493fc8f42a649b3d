import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { onThisHost, type Reply } from '../../api.ts'
import { keyOf, useCall } from '../../queries.ts'
import { Copyable } from '../../ui/copy.tsx'
import { FileList } from '../../ui/file-list.tsx'
import { HtmlFrame } from '../../ui/html-frame.tsx'
import { Card, Code, Facts, Page } from '../../ui/page.tsx'
import { Failed, Loading } from '../../ui/states.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { Time } from '../../ui/time.tsx'
import { Verdicts } from './verdicts.tsx'

type FullReceived = Reply<'emails.receiving.get'>

interface ReceivedEmailPageProps {
  /** What is worth a look in it. */
  readonly checksOf: (id: string) => ReactNode
}

export function ReceivedEmailPage({ checksOf }: ReceivedEmailPageProps) {
  const { id } = useParams({ from: '/received/$id' })
  // With inline images inside the html: the frame that shows it fetches nothing.
  const email = useCall('emails.receiving.get', { id, html_format: 'data_uri' })
  if (email.isPending) return <Loading />
  if (email.isError) return <Failed error={email.error} onRetry={() => email.refetch()} />
  const { subject, raw } = email.data
  return (
    <Page
      title={subject || '(no subject)'}
      actions={
        <a className="button plain" href={onThisHost(raw.download_url)} download>
          Download .eml
        </a>
      }
    >
      <div className="columns">
        <Content email={email.data} checksOf={checksOf} />
        <div>
          <Card title="Authentication">
            <Verdicts authentication={email.data.authentication} />
          </Card>
          <About email={email.data} />
        </div>
      </div>
    </Page>
  )
}

function Content({ email, checksOf }: ReceivedEmailPageProps & { email: FullReceived }) {
  const tabs = [
    ...(email.html === null
      ? []
      : [{ name: 'Preview', content: <HtmlFrame key={email.id} html={email.html} title="Email preview" /> }]),
    ...(email.text === null ? [] : [{ name: 'Text', content: <Code text={email.text} label="Text of the email" /> }]),
    ...(email.html === null ? [] : [{ name: 'HTML', content: <Code text={email.html} label="HTML of the email" /> }]),
    { name: 'Headers', content: <Facts facts={Object.entries(email.headers)} /> },
    { name: 'Raw', content: <Raw id={email.id} url={email.raw.download_url} /> },
    { name: 'Checks', content: checksOf(email.id) },
    { name: 'Attachments', count: email.attachments.length, content: <Files id={email.id} /> },
  ]
  return <Tabs label="Email" tabs={tabs} />
}

function Raw({ id, url }: { id: string; url: string }) {
  const raw = useQuery({
    queryKey: [...keyOf('emails.receiving.get', { id }), 'raw'],
    queryFn: async () => (await fetch(onThisHost(url))).text(),
  })
  if (raw.isPending) return <Loading />
  if (raw.isError) return <Failed error={raw.error} />
  return <Code text={raw.data} label="Raw message" />
}

function Files({ id }: { id: string }) {
  const files = useCall('emails.receiving.attachments.list', { id, limit: 100 })
  if (files.isPending) return <Loading />
  if (files.isError) return <Failed error={files.error} />
  return <FileList files={files.data.data} />
}

function About({ email }: { email: FullReceived }) {
  const { from, to, cc, reply_to, received_for, created_at, id, message_id } = email
  return (
    <Facts
      facts={[
        ['From', from],
        ['To', to.join(', ')],
        ...(cc.length > 0 ? [['Cc', cc.join(', ')] as const] : []),
        ...(reply_to.length > 0 ? [['Reply to', reply_to.join(', ')] as const] : []),
        ...(received_for.length > 0 ? [['Envelope recipient', received_for.join(', ')] as const] : []),
        ['Received', <Time key="at" at={created_at} exact />],
        ['ID', <Copyable key="id" text={id} what="ID" />],
        ['Message-ID', <Copyable key="id" text={message_id} what="Message-ID" />],
      ]}
    />
  )
}
