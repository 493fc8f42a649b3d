import { useParams } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useCall } from '../../queries.ts'
import { Badge } from '../../ui/badge.tsx'
import { Copyable } from '../../ui/copy.tsx'
import { FileList } from '../../ui/file-list.tsx'
import { HtmlFrame } from '../../ui/html-frame.tsx'
import { useInlineImages } from '../../ui/inline-images.ts'
import { Code, Facts, Page } from '../../ui/page.tsx'
import { Empty, Failed, Loading } from '../../ui/states.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { Time } from '../../ui/time.tsx'
import { EmailActions } from './actions.tsx'
import type { Attachment, FullEmail } from './api.ts'
import { Source } from './source.tsx'
import { Recipients, Timeline } from './timeline.tsx'

interface EmailPageProps {
  /** What is worth a look in it. */
  readonly checksOf: (id: string) => ReactNode
}

export function EmailPage({ checksOf }: EmailPageProps) {
  const { id } = useParams({ from: '/emails/$id' })
  const email = useCall('emails.get', { id })
  const attachments = useCall('emails.attachments.list', { id }).data?.data ?? []
  if (email.isPending) return <Loading />
  if (email.isError) return <Failed error={email.error} onRetry={() => email.refetch()} />
  const title = email.data.subject || '(no subject)'
  return (
    <Page
      title={title}
      heading={
        <>
          {title} <Badge word={email.data.last_event} />
        </>
      }
      actions={<EmailActions email={email.data} attachments={attachments} />}
    >
      <div className="columns">
        <Content email={email.data} attachments={attachments} checksOf={checksOf} />
        <div>
          <Timeline email={email.data} />
          <Recipients deliveries={email.data.deliveries} />
          <About email={email.data} />
        </div>
      </div>
    </Page>
  )
}

interface ContentProps extends EmailPageProps {
  readonly email: FullEmail
  readonly attachments: readonly Attachment[]
}

/** It is no message yet, or never will be one. */
const HAS_NOT_LEFT: readonly string[] = ['scheduled', 'canceled']

function Content({ email, attachments, checksOf }: ContentProps) {
  const images = useInlineImages(email.id, attachments)
  return (
    <Tabs
      label="Email"
      tabs={[
        {
          name: 'Preview',
          content:
            email.html !== null ? (
              <HtmlFrame key={email.id} html={email.html} title="Email preview" inlineImages={images} />
            ) : (
              <Code text={email.text ?? ''} label="Text of the email" />
            ),
        },
        {
          name: 'Text',
          content: email.text ? <Code text={email.text} label="Text of the email" /> : <GeneratedText email={email} />,
        },
        ...(email.html === null
          ? []
          : [{ name: 'HTML', content: <Code text={email.html} label="HTML of the email" /> }]),
        { name: 'Source', content: <Source id={email.id} part="all" /> },
        { name: 'Headers', content: <Source id={email.id} part="headers" /> },
        ...(HAS_NOT_LEFT.includes(email.last_event) ? [] : [{ name: 'Checks', content: checksOf(email.id) }]),
        { name: 'Attachments', count: attachments.length, content: <FileList files={attachments} /> },
      ]}
    />
  )
}

/** Of an email with HTML alone: the text part that it was sent with. */
function GeneratedText({ email }: { email: FullEmail }) {
  const isMessage = !HAS_NOT_LEFT.includes(email.last_event)
  const message = useCall('messages.get', { id: email.id }, { enabled: isMessage })
  if (!isMessage)
    return (
      <Empty icon="page" title="No text yet">
        <p className="muted">Generated from the HTML when the email is sent.</p>
      </Empty>
    )
  if (message.isPending) return <Loading />
  if (message.isError) return <Failed error={message.error} onRetry={() => message.refetch()} />
  return <Code text={message.data.text ?? ''} label="Text of the email" />
}

function About({ email }: { email: FullEmail }) {
  const list = (addresses: readonly string[]) => addresses.join(', ')
  return (
    <Facts
      facts={[
        ['From', email.from],
        ['To', list(email.to)],
        ...(email.cc.length > 0 ? [['Cc', list(email.cc)] as const] : []),
        ...(email.bcc.length > 0 ? [['Bcc', list(email.bcc)] as const] : []),
        ...(email.reply_to.length > 0 ? [['Reply to', list(email.reply_to)] as const] : []),
        ['Created', <Time key="at" at={email.created_at} exact />],
        ...(email.scheduled_at ? [['Scheduled', <Time key="at" at={email.scheduled_at} exact />] as const] : []),
        ...(email.tags.length > 0
          ? [['Tags', email.tags.map(({ name, value }) => `${name}: ${value}`).join(', ')] as const]
          : []),
        ['ID', <Copyable key="id" text={email.id} what="ID" />],
        ['Message-ID', <Copyable key="id" text={email.message_id} what="Message-ID" />],
      ]}
    />
  )
}
