import { type ReactNode, useEffect, useRef, useState } from 'react'
import { useCall } from '../../queries.ts'
import { useAllowed } from '../../ui/allowed.tsx'
import { Button, IconButton } from '../../ui/button.tsx'
import { Menu } from '../../ui/menu.tsx'
import type { FullMessage } from '../../ui/message-viewer/message.ts'
import { MessageFacts } from '../../ui/message-viewer/message-facts.tsx'
import { MessageViewer } from '../../ui/message-viewer/message-viewer.tsx'
import { StepButtons } from '../../ui/message-viewer/neighbours.tsx'
import { Failed, Loading } from '../../ui/states.tsx'
import type { MessageActs } from './acts.ts'
import type { Filter } from './filter.ts'
import { Labels } from './labels.tsx'
import type { MessageScope } from './message-scope.ts'
import { ReleaseDialog } from './release-dialog.tsx'
import './message-view.css'
import { texts } from './texts.ts'

interface MessageViewProps {
  readonly id: string
  readonly scope: MessageScope
  readonly acts: MessageActs
  readonly timelineOf: (id: string) => ReactNode
  readonly traceOf?: ((id: string) => ReactNode) | undefined
  readonly linkTo?: (message: FullMessage) => ReactNode
  readonly onClose: () => void
  readonly onPrevious: (() => void) | undefined
  readonly onNext: (() => void) | undefined
  readonly onRemove: () => void
  readonly onNarrow: (changes: Filter) => void
}

/** One message: what stands in it, what a test looks for in it, and what became of it. */
export function MessageView({ id, scope, acts, timelineOf, traceOf, linkTo, ...on }: MessageViewProps) {
  const { onClose, onPrevious, onNext, onRemove, onNarrow } = on
  const message = useCall('messages.get', { id }, { sandbox: scope.sandbox })
  const [isReleasing, setReleasing] = useState(false)
  useMarkingRead(message.data, acts)
  if (message.isPending) return <Loading />
  if (message.isError)
    return (
      <section>
        <IconButton icon="fold" label={texts.actions.backToList} onClick={onClose} />
        <Failed error={message.error} onRetry={() => message.refetch()} />
      </section>
    )
  const { subject, is_read, labels, direction } = message.data
  const mark = (marks: { is_read?: boolean; labels?: string[] }) => acts.mark.mutate({ ids: [id], marks })
  return (
    <section className="message-view" aria-label={subject || texts.row.noSubject}>
      <header>
        <IconButton icon="fold" label={texts.actions.backToList} onClick={onClose} />
        <h2>{subject || texts.row.noSubject}</h2>
        <div className="actions">
          {linkTo?.(message.data)}
          {scope.relay !== undefined && (
            <Button icon="send" needs="messages.release" onClick={() => setReleasing(true)}>
              {texts.actions.release}
            </Button>
          )}
          <Menu
            label={texts.actions.menu}
            items={[
              {
                label: is_read ? texts.actions.markAsUnread : texts.actions.markAsRead,
                needs: 'messages.update',
                onChoose: () => mark({ is_read: !is_read }),
              },
              ...(scope.canDelete
                ? [
                    {
                      label: texts.actions.delete,
                      needs: 'messages.remove' as const,
                      isDangerous: true,
                      onChoose: onRemove,
                    },
                  ]
                : []),
            ]}
          />
          <StepButtons onPrevious={onPrevious} onNext={onNext} />
        </div>
      </header>
      <MessageFacts message={message.data} direction={direction} />
      <Labels labels={labels} onChange={(next) => mark({ labels: next })} onChoose={(tag) => onNarrow({ tag })} />
      <MessageViewer
        id={id}
        content={message.data}
        sandbox={scope.sandbox}
        // The page of a sandbox has tabs of its own.
        tabWord={scope.sandbox === undefined ? 'tab' : 'view'}
        timeline={direction === 'sent' && timelineOf(id)}
        trace={direction === 'sent' && traceOf?.(id)}
      />
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
