import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useState } from 'react'
import { Badge } from '../../../ui/badge.tsx'
import { Button } from '../../../ui/button.tsx'
import { formatNumber } from '../../../ui/locale.ts'
import { Card } from '../../../ui/page.tsx'
import { rich } from '../../../ui/rich.tsx'
import { inWords } from '../../../ui/sentence-case.ts'
import { exactly, Time } from '../../../ui/time.tsx'
import type { AdvanceProgress, TimelineEntry } from './use-advance.ts'
import './advance-timeline.css'
import '../../../ui/progress.css'
import { texts } from '../texts.ts'

const PAGE = 200

interface AdvanceTimelineProps {
  readonly progress: AdvanceProgress
  /** As the clock says meanwhile. */
  readonly now: string
  readonly onStop: () => void
}

/** Where an advance has got to, and what it did. */
export function AdvanceTimeline({ progress, now, onStop }: AdvanceTimelineProps) {
  const { state, happened, hasMore, error } = progress
  const isRunning = state === 'running' || state === 'stopping'
  const [shown, setShown] = useState(PAGE)
  return (
    <Card title={texts.timeline.title}>
      {isRunning ? (
        <div className="progress" role="status">
          <progress aria-label={texts.timeline.progress} max={1} value={shareOf(progress, now)} />
          <span>{exactly(new Date(now))}</span>
          <Button onClick={onStop} disabled={state === 'stopping'}>
            {state === 'stopping' ? texts.timeline.stopping : texts.timeline.stop}
          </Button>
        </div>
      ) : (
        <p className={error ? 'form-error' : 'muted'} role={error ? 'alert' : 'status'}>
          {error ?? summaryOf(progress)}
        </p>
      )}
      {happened.length > 0 && (
        <ol className="happened" aria-label={texts.timeline.events}>
          {happened.slice(0, shown).map((one, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the list only grows at its end
            <Event key={at} event={one} />
          ))}
        </ol>
      )}
      {happened.length > shown && (
        <div className="actions">
          <Button onClick={() => setShown(shown + PAGE)}>
            {texts.timeline.showMore(formatNumber(happened.length - shown))}
          </Button>
        </div>
      )}
      {hasMore && <p className="muted">{texts.timeline.incomplete}</p>}
    </Card>
  )
}

const shareOf = ({ from, to }: AdvanceProgress, now: string) => {
  const [begin, end, at] = [from, to, now].map((moment) => new Date(moment).getTime()) as [number, number, number]
  return end > begin ? Math.min(1, Math.max(0, (at - begin) / (end - begin))) : 0
}

function summaryOf({ state, now, happened, steps, hasMore }: AdvanceProgress): string {
  const time = exactly(new Date(now))
  const where = state === 'arrived' ? texts.timeline.arrivedAt(time) : texts.timeline.stoppedAt(time)
  const what =
    happened.length === 0 ? texts.timeline.nothingDue : texts.timeline.summary(happened.length, hasMore, steps)
  return `${where} ${what}`
}

/** `email.delivered` has the colour of `delivered`. */
const lastWord = (type: string) => type.slice(type.lastIndexOf('.') + 1)
const isMail = ({ type, id }: TimelineEntry) => id !== undefined && /^email\.(?!received)/.test(type)

function Event({ event }: { event: TimelineEntry }) {
  const { at, type, to, subject, detail } = event
  return (
    <li>
      <Time at={at} exact />
      <span className="happened-what">
        <span>
          <Badge word={lastWord(type)} /> <span className="muted">{inWords(type.slice(0, type.lastIndexOf('.')))}</span>
        </span>
        {(subject || to) && <span>{aboutOf(event)}</span>}
        {detail && <small className="muted">{detail}</small>}
      </span>
    </li>
  )
}

/** The subject, the recipients, or both. */
function aboutOf(event: TimelineEntry): ReactNode {
  const { id, to, subject } = event
  const title = isMail(event) ? (
    <Link to="." search={{ tab: 'mail', message: id }}>
      {subject || texts.timeline.noSubject}
    </Link>
  ) : (
    subject
  )
  if (!to || to.length === 0) return title
  const recipients = to.join(', ')
  if (!title) return <span className="muted">{texts.timeline.toRecipients(recipients)}</span>
  return rich(texts.timeline.subjectTo, { subject: title, recipients: <span className="muted">{recipients}</span> })
}
