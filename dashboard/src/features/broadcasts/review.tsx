import { type FormEvent, useState } from 'react'
import { call, type Reply } from '../../api.ts'
import { useCall } from '../../queries.ts'
import { useAct } from '../../ui/act.ts'
import { Button } from '../../ui/button.tsx'
import { Field } from '../../ui/field.tsx'
import { Facts } from '../../ui/page.tsx'
import { Failed, Loading } from '../../ui/states.tsx'
import { exactly, readTime } from '../../ui/time.tsx'
import { readMoment, WhenEcho } from '../../ui/when.tsx'
import type { FullBroadcast } from './api.ts'
import { SKIP_REASONS } from './progress.tsx'
import './review.css'
import { texts } from './texts.ts'

type Audience = Reply<'broadcasts.audience'>

/** All that is about to happen, in one place; nothing of it is chosen beforehand. */
export function Review({ broadcast, onSent }: { broadcast: FullBroadcast; onSent: () => void }) {
  const audience = useCall('broadcasts.audience', { id: broadcast.id }, { staleTime: 0 })
  const segment = useCall('segments.get', { id: broadcast.segment_id }).data?.name
  const topic = useTopicName(broadcast.topic_id)
  if (audience.isPending) return <Loading lines={4} />
  if (audience.isError) return <Failed error={audience.error} onRetry={() => audience.refetch()} />
  return (
    <>
      <Facts
        facts={[
          [texts.sendDialog.facts.from, broadcast.from],
          ...(broadcast.reply_to?.length
            ? [[texts.sendDialog.facts.replyTo, broadcast.reply_to.join(', ')] as const]
            : []),
          [texts.sendDialog.facts.subject, broadcast.subject || texts.noSubject],
          [texts.sendDialog.facts.segment, segment ?? '…'],
          ...(broadcast.topic_id ? [[texts.sendDialog.facts.topic, topic ?? '…'] as const] : []),
          [
            texts.sendDialog.facts.recipients,
            <strong key="to">{texts.sendDialog.recipients(audience.data.recipients)}</strong>,
          ],
          [texts.sendDialog.facts.skipped, skippedText(audience.data)],
        ]}
      />
      <When broadcast={broadcast.id} audience={audience.data} onSent={onSent} />
    </>
  )
}

function skippedText(audience: Audience): string {
  const parts = SKIP_REASONS.flatMap((reason) =>
    reason !== 'canceled' && audience[reason] > 0 ? [texts.skipped[reason](audience[reason])] : [],
  )
  return parts.join(', ') || texts.sendDialog.noneSkipped
}

const useTopicName = (id: string | null) => useCall('topics.get', { id: id ?? '' }, { enabled: id !== null }).data?.name

interface WhenProps {
  readonly broadcast: string
  readonly audience: Audience
  readonly onSent: () => void
}

function When({ broadcast, audience, onSent }: WhenProps) {
  const [choice, setChoice] = useState<'now' | 'later' | null>(null)
  const [text, setText] = useState('')
  const [error, setError] = useState<string | null>(null)
  const send = useAct({
    run: async (scheduled_at: string | undefined) => {
      await call('broadcasts.send', { id: broadcast, body: { scheduled_at } })
      return scheduled_at
    },
    refresh: ['broadcasts'],
    done: (scheduled_at) =>
      scheduled_at ? texts.sendDialog.scheduled(exactly(readTime(scheduled_at))) : texts.sendDialog.queued,
  })
  const isNobody = audience.recipients === 0
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    setError(null)
    try {
      await send.mutateAsync(choice === 'later' ? await readMoment(text) : undefined)
      onSent()
    } catch (reason) {
      setError((reason as Error).message)
    }
  }
  return (
    <form className="form" onSubmit={submit}>
      {isNobody && (
        <p className="form-error" role="status">
          {audience.audience === 0 ? texts.sendDialog.emptySegment : texts.sendDialog.allSkipped}
        </p>
      )}
      <fieldset className="choices">
        <legend>{texts.sendDialog.when}</legend>
        <Choice
          label={texts.sendDialog.now}
          isOn={choice === 'now'}
          onChoose={() => setChoice('now')}
          isOff={isNobody}
        />
        <Choice label={texts.sendDialog.later} isOn={choice === 'later'} onChoose={() => setChoice('later')} />
      </fieldset>
      {choice === 'later' && (
        <Field label={texts.sendDialog.at.label} hint={texts.sendDialog.at.hint}>
          {(common) => (
            <>
              <input {...common} value={text} required onChange={(event) => setText(event.currentTarget.value)} />
              <WhenEcho text={text} />
            </>
          )}
        </Field>
      )}
      {error && (
        <p className="form-error" role="alert">
          {error}
        </p>
      )}
      <div className="actions">
        <Button type="submit" look="primary" icon="send" isBusy={send.isPending} disabled={choice === null}>
          {choice === 'later' ? texts.sendDialog.schedule : texts.sendDialog.send(audience.recipients)}
        </Button>
      </div>
    </form>
  )
}

interface ChoiceProps {
  readonly label: string
  readonly isOn: boolean
  readonly isOff?: boolean
  readonly onChoose: () => void
}

const Choice = ({ label, isOn, isOff = false, onChoose }: ChoiceProps) => (
  <label className="check">
    <input type="radio" name="when" checked={isOn} disabled={isOff} onChange={onChoose} />
    <span>{label}</span>
  </label>
)
