import type { ReactNode } from 'react'
import { useCall } from '../../queries.ts'
import { FileList } from '../file-list.tsx'
import { useInlineImages } from '../inline-images.ts'
import { MailPreview } from '../mail-preview.tsx'
import { Code } from '../page.tsx'
import { Empty, Failed, Loading } from '../states.tsx'
import { type Tab, Tabs } from '../tabs.tsx'
import { MessageChecks } from './checks.tsx'
import { DerivedText } from './derived-text.tsx'
import { Codes, Links } from './extracted.tsx'
import type { FullMessage, MailContent } from './message.ts'
import { BuiltHeaders, BuiltSource, Headers, Source } from './source.tsx'
import { type TabWord, useTab } from './tab.ts'
import './message-viewer.css'
import { texts } from './texts.ts'

interface MessageViewerProps {
  readonly id: string
  readonly content: MailContent
  /** False: it is scheduled or canceled, so it was never built as a message. */
  readonly isMessage?: boolean
  readonly sandbox?: string | undefined
  /** What became of it, if it was sent. */
  readonly timeline?: ReactNode
  /** How that came about, step by step. */
  readonly trace?: ReactNode
  /** Under which the address names the open tab. */
  readonly tabWord?: TabWord
  /** Where it can be downloaded as it came. */
  readonly downloadUrl?: string
}

/** What stands in a mail, in the same tabs wherever a mail is shown: sent, received, or of a sandbox. */
export function MessageViewer({ id, content, isMessage = true, sandbox, timeline, ...rest }: MessageViewerProps) {
  const { tabWord = 'tab', downloadUrl, trace } = rest
  const message = useCall('messages.get', { id }, { sandbox, enabled: isMessage })
  const pictures = useInlineImages(id, content.attachments)
  const { html, attachments } = content
  const text = content.text ?? message.data?.text ?? null
  const ofMessage = (show: (message: FullMessage) => ReactNode) => {
    if (message.isPending) return <Loading />
    if (message.isError) return <Failed error={message.error} onRetry={() => message.refetch()} />
    return show(message.data)
  }
  const tabs: readonly Tab[] = [
    {
      name: texts.tabs.preview,
      content:
        html !== null ? (
          <MailPreview key={id} html={html} title={texts.preview.label} inlineImages={pictures} />
        ) : text ? (
          <Code text={text} label={texts.text.label} />
        ) : (
          <Empty icon="page" title={texts.preview.empty} />
        ),
    },
    {
      name: texts.tabs.text,
      content: text ? (
        <Code text={text} label={texts.text.label} />
      ) : isMessage ? (
        ofMessage(() => <Empty icon="page" title={texts.text.empty} />)
      ) : (
        <DerivedText html={html ?? ''} />
      ),
    },
    ...(html === null ? [] : [{ name: texts.tabs.html, content: <Code text={html} label={texts.html.label} /> }]),
    ...(isMessage
      ? [{ name: texts.tabs.links, count: message.data?.links.length, content: ofMessage((one) => <Links {...one} />) }]
      : []),
    {
      name: texts.tabs.attachments,
      count: attachments.length,
      content: <FileList files={attachments.map((file) => ({ content_disposition: null, ...file }))} />,
    },
    {
      name: texts.tabs.headers,
      content: isMessage ? (
        ofMessage(({ headers }) => <Headers headers={headers} />)
      ) : (
        <BuiltHeaders id={id} sandbox={sandbox} />
      ),
    },
    {
      name: texts.tabs.source,
      content: isMessage ? (
        ofMessage((one) => <Source message={one} sandbox={sandbox} downloadUrl={downloadUrl} />)
      ) : (
        <BuiltSource id={id} sandbox={sandbox} />
      ),
    },
    ...(isMessage ? [{ name: texts.tabs.checks, content: <MessageChecks id={id} sandbox={sandbox} /> }] : []),
    ...(timeline ? [{ name: texts.tabs.timeline, content: timeline }] : []),
    ...(trace ? [{ name: texts.tabs.trace, content: trace }] : []),
  ]
  const [open, setOpen] = useTab(
    tabs.map(({ name }) => name),
    tabWord,
  )
  return (
    <div className="message-viewer">
      {message.data && <Codes codes={message.data.codes} />}
      <Tabs label={texts.tabs.label} tabs={tabs} open={open} onOpen={setOpen} />
    </div>
  )
}
