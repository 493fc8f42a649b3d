import { type ReactNode, useEffect, useRef, useState } from 'react'
import { useCall } from '../../queries.ts'
import { useAllowed } from '../../ui/allowed.tsx'
import { Button, IconButton } from '../../ui/button.tsx'
import { FileList } from '../../ui/file-list.tsx'
import { HtmlFrame } from '../../ui/html-frame.tsx'
import { useInlineImages } from '../../ui/inline-images.ts'
import { Menu } from '../../ui/menu.tsx'
import { Code, Facts } from '../../ui/page.tsx'
import { Empty, Failed, Loading } from '../../ui/states.tsx'
import { type Tab, Tabs } from '../../ui/tabs.tsx'
import { Time } from '../../ui/time.tsx'
import type { MessageActs } from './acts.ts'
import { MessageChecks } from './checks.tsx'
import { Codes, Links } from './extracted.tsx'
import type { Filter } from './filter.ts'
import { Labels } from './labels.tsx'
import type { FullMessage, MessageScope } from './message-scope.ts'
import { ReleaseDialog } from './release-dialog.tsx'
import './message-view.css'

interface MessageViewProps {
  readonly id: string
  readonly scope: MessageScope
  readonly acts: MessageActs
  readonly timelineOf: (id: string) => ReactNode
  readonly linkTo?: (message: FullMessage) => ReactNode
  readonly onClose: () => void
  readonly onRemove: () => void
  readonly onNarrow: (changes: Filter) => void
}

/** One message: what stands in it, what a test looks for in it, and what became of it. */
export function MessageView({ id, scope, acts, timelineOf, linkTo, onClose, onRemove, onNarrow }: MessageViewProps) {
  const message = useCall('messages.get', { id }, { sandbox: scope.sandbox })
  const [isReleasing, setReleasing] = useState(false)
  useMarkingRead(message.data, acts)
  if (message.isPending) return <Loading />
  if (message.isError)
    return (
      <section>
        <IconButton icon="fold" label="Back to list" onClick={onClose} />
        <Failed error={message.error} onRetry={() => message.refetch()} />
      </section>
    )
  const { subject, is_read, labels, codes } = message.data
  const mark = (marks: { is_read?: boolean; labels?: string[] }) => acts.mark.mutate({ ids: [id], marks })
  return (
    <section className="message-view" aria-label={subject || '(no subject)'}>
      <header>
        <IconButton icon="fold" label="Back to list" onClick={onClose} />
        <h2>{subject || '(no subject)'}</h2>
        <div className="actions">
          {linkTo?.(message.data)}
          {scope.relay !== undefined && (
            <Button icon="send" needs="messages.release" onClick={() => setReleasing(true)}>
              Release…
            </Button>
          )}
          <Menu
            label="Message actions"
            items={[
              {
                label: is_read ? 'Mark as unread' : 'Mark as read',
                needs: 'messages.update',
                onChoose: () => mark({ is_read: !is_read }),
              },
              ...(scope.canDelete
                ? [{ label: 'Delete…', needs: 'messages.remove' as const, isDangerous: true, onChoose: onRemove }]
                : []),
            ]}
          />
        </div>
      </header>
      <About message={message.data} />
      <Labels labels={labels} onChange={(next) => mark({ labels: next })} onChoose={(tag) => onNarrow({ tag })} />
      <Codes codes={codes} />
      <Content message={message.data} timelineOf={timelineOf} sandbox={scope.sandbox} />
      {isReleasing && (
        <ReleaseDialog message={message.data} relay={scope.relay ?? null} onClose={() => setReleasing(false)} />
      )}
    </section>
  )
}

/** A message is read when somebody has opened it, once: who then marks it as unread means it. */
function useMarkingRead(message: FullMessage | undefined, { mark }: MessageActs) {
  const isAllowed = useAllowed()('messages.update')
  const marked = useRef(false)
  const { mutate } = mark
  useEffect(() => {
    if (!message || marked.current || !isAllowed) return
    marked.current = true
    if (!message.is_read) mutate({ ids: [message.id], marks: { is_read: true } })
  }, [message, isAllowed, mutate])
}

function About({ message }: { message: FullMessage }) {
  const { from, to, cc, bcc, reply_to, created_at, tags } = message
  const people = ([name, list]: readonly [string, readonly string[]]) =>
    list.length > 0 ? [[name, list.join(', ')] as const] : []
  return (
    <Facts
      facts={[
        ['From', from || '(no sender)'],
        ...people(['To', to]),
        ...people(['Cc', cc]),
        ...people(['Bcc', bcc]),
        ...people(['Reply to', reply_to]),
        ['Time', <Time key="at" at={created_at} exact />],
        ...(tags.length > 0 ? [['Tags', tags.map(({ name, value }) => `${name}: ${value}`).join(', ')] as const] : []),
      ]}
    />
  )
}

interface ContentProps {
  readonly message: FullMessage
  readonly timelineOf: (id: string) => ReactNode
  readonly sandbox: string | undefined
}

function Content({ message, timelineOf, sandbox }: ContentProps) {
  const { id, html, text, headers, raw, links, images, unsubscribe, attachments, direction } = message
  const pictures = useInlineImages(id, attachments)
  const tabs: readonly Tab[] = [
    ...(html === null
      ? []
      : [
          {
            name: 'Preview',
            content: <HtmlFrame html={html} title="Message preview" inlineImages={pictures} />,
          },
        ]),
    ...(text === null ? [] : [{ name: 'Text', content: <Code text={text} label="Text of the message" /> }]),
    ...(html === null && text === null ? [{ name: 'Preview', content: <Empty icon="page" title="No content" /> }] : []),
    { name: 'Links', count: links.length, content: <Links {...{ links, images, unsubscribe }} /> },
    { name: 'Checks', content: <MessageChecks id={id} sandbox={sandbox} /> },
    ...(direction === 'sent' ? [{ name: 'Timeline', content: timelineOf(id) }] : []),
    ...(html === null ? [] : [{ name: 'HTML', content: <Code text={html} label="HTML of the message" /> }]),
    { name: 'Headers', content: <Headers headers={headers} /> },
    { name: 'Raw', content: <Raw raw={raw} /> },
    ...(attachments.length === 0
      ? []
      : [
          {
            name: 'Attachments',
            count: attachments.length,
            content: <FileList files={attachments.map((file) => ({ ...file, content_disposition: null }))} />,
          },
        ]),
  ]
  return <Tabs label="Message" tabs={tabs} />
}

/** A header may be there more than once. */
const Headers = ({ headers }: Pick<FullMessage, 'headers'>) => (
  <dl className="facts">
    {headers.map(({ name, value }, at) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: they do not change
      <div key={at}>
        <dt>{name}</dt>
        <dd>{value}</dd>
      </div>
    ))}
  </dl>
)

const Raw = ({ raw }: Pick<FullMessage, 'raw'>) =>
  raw === null ? (
    <Empty icon="page" title="Too large to show">
      <p className="muted">The message is larger than 1 MB.</p>
    </Empty>
  ) : (
    <Code text={raw} label="Raw message" />
  )
