import { useState } from 'react'
import type { Reply } from '../../../api.ts'
import { useCall } from '../../../queries.ts'
import { Badge, type Tone } from '../../../ui/badge.tsx'
import { Button } from '../../../ui/button.tsx'
import { Menu } from '../../../ui/menu.tsx'
import { Card } from '../../../ui/page.tsx'
import type { Column } from '../../../ui/row-parts.tsx'
import { Rows } from '../../../ui/rows.tsx'
import { inSentenceCase } from '../../../ui/sentence-case.ts'
import { Failed, Loading } from '../../../ui/states.tsx'
import { Time } from '../../../ui/time.tsx'
import '../../../ui/pager.css'
import { useRoutes } from './routes-section.tsx'
import { SteerDialog, type Steering } from './steer-dialog.tsx'
import { texts } from './texts.ts'

type Waiting = Reply<'operator.delivery.waiting'>['data'][number]

const TONES: Readonly<Record<string, Tone>> = { due: 'busy', active: 'busy', deferred: 'warn', held: 'warn' }

/** What waits for a destination, and what can be done about it. */
export function WaitingSection({ destination }: { destination: string }) {
  const [asked, setAsked] = useState<Steering | null>(null)
  const [cursors, setCursors] = useState<readonly string[]>([])
  const after = cursors.at(-1)
  const page = useCall('operator.delivery.waiting', { destination, ...(after !== undefined && { after }) })
  const routes = useRoutes().map(({ name }) => name)
  const canMove = routes.length > 1
  const all = { mail: { destination }, what: destination }
  return (
    <Card
      title={texts.waiting.title}
      actions={
        <span className="actions">
          <Button needs="operator.delivery.retry" onClick={() => setAsked({ act: 'retry', ...all })}>
            {texts.steer.retryAll}
          </Button>
          <Menu
            label={texts.steer.actions(destination)}
            items={[
              ...(canMove ? [{ label: texts.steer.moveAll, onChoose: () => setAsked({ act: 'move', ...all }) }] : []),
              { label: texts.steer.holdAll, onChoose: () => setAsked({ act: 'hold', ...all }) },
              { label: texts.steer.bounceAll, isDangerous: true, onChoose: () => setAsked({ act: 'bounce', ...all }) },
              { label: texts.steer.cancelAll, isDangerous: true, onChoose: () => setAsked({ act: 'cancel', ...all }) },
            ]}
          />
        </span>
      }
    >
      {page.isPending && <Loading lines={3} />}
      {page.isError && <Failed error={page.error} onRetry={() => page.refetch()} />}
      {page.data && page.data.data.length === 0 && <p className="muted">{texts.waiting.none}</p>}
      {page.data && page.data.data.length > 0 && (
        <Rows label={texts.waiting.title} columns={columnsOf(setAsked, canMove)} items={page.data.data} />
      )}
      {page.data && (page.data.next !== null || cursors.length > 0) && (
        <nav className="pager" aria-label={texts.waiting.pages}>
          <Button disabled={cursors.length === 0} onClick={() => setCursors(cursors.slice(0, -1))}>
            {texts.waiting.previous}
          </Button>
          <Button disabled={page.data.next === null} onClick={() => setCursors([...cursors, page.data.next!])}>
            {texts.waiting.next}
          </Button>
        </nav>
      )}
      <SteerDialog asked={asked} routes={routes} onClose={() => setAsked(null)} />
    </Card>
  )
}

const columnsOf = (ask: (steering: Steering) => void, canMove: boolean): Column<Waiting>[] => {
  const { columns } = texts.waiting
  return [
    { name: columns.recipient, kind: 'title', cell: ({ recipient }) => recipient },
    { name: columns.state, kind: 'status', cell: ({ state }) => <Badge word={state} tone={TONES[state] ?? 'plain'} /> },
    { name: columns.reply, kind: 'main', cell: ({ last_reply }) => <LastReply reply={last_reply} /> },
    { name: columns.team, kind: 'aside', cell: ({ team }) => team },
    { name: columns.attempts, kind: 'aside', cell: ({ attempts }) => attempts },
    { name: columns.due, kind: 'time', cell: ({ due_at }) => <Time at={due_at} /> },
    {
      name: columns.actions,
      kind: 'end',
      cell: ({ email_id, recipient }) => {
        const one = { mail: { email: email_id }, what: recipient }
        return (
          <Menu
            label={texts.steer.actions(recipient)}
            items={[
              { label: texts.steer.retry, onChoose: () => ask({ act: 'retry', ...one }) },
              ...(canMove ? [{ label: texts.steer.move, onChoose: () => ask({ act: 'move', ...one }) }] : []),
              { label: texts.steer.hold, onChoose: () => ask({ act: 'hold', ...one }) },
              { label: texts.steer.bounce, isDangerous: true, onChoose: () => ask({ act: 'bounce', ...one }) },
              { label: texts.steer.cancel, isDangerous: true, onChoose: () => ask({ act: 'cancel', ...one }) },
            ]}
          />
        )
      },
    },
  ]
}

/** What was said, and below it what that was understood as and by which rule. */
function LastReply({ reply }: { reply: Waiting['last_reply'] }) {
  if (!reply) return null
  return (
    <>
      <span className="delivery-why" title={reply.reply}>
        {reply.reply}
      </span>
      {reply.class && (
        <small className="delivery-why muted">
          {inSentenceCase(reply.class)}
          {reply.rule && ` · ${texts.waiting.rule(reply.rule)}`}
        </small>
      )}
    </>
  )
}
