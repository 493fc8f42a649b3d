import { type FormEvent, useId, useState } from 'react'
import { parseDuration } from '../../../../../src/features/sandboxes/clock/schema.ts'
import { Button } from '../../../ui/button.tsx'
import { Field } from '../../../ui/field.tsx'
import { exactly } from '../../../ui/time.tsx'
import { nearestStep, STEPS } from './steps.ts'
import type { Advance } from './use-advance.ts'
import './advance-form.css'
import { texts } from '../texts.ts'

/** Three days: what the first reminder waits for. */
const FIRST = STEPS.findIndex(({ words }) => words === '3 days')

interface AdvanceFormProps {
  /** In the sandbox. */
  readonly now: string
  readonly advance: Advance
}

/** How far: by a slider, in words, or to a date. Moving the slider writes the words, and writing moves the slider. */
export const AdvanceForm = ({ now, advance }: AdvanceFormProps) => (
  <>
    <ByWords now={now} advance={advance} />
    <ToDate now={now} advance={advance} />
  </>
)

function ByWords({ now, advance }: AdvanceFormProps) {
  const [words, setWords] = useState(STEPS[FIRST]!.words)
  const slider = useId()
  const seconds = parseDuration(words)
  const isGood = seconds !== null && seconds > 0
  const at = isGood ? nearestStep(seconds) : FIRST
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (isGood) void advance.go((from) => new Date(from.getTime() + seconds * 1_000))
  }
  return (
    <form className="form" onSubmit={submit}>
      <div className="field">
        <label htmlFor={slider}>{texts.advance.duration}</label>
        <input
          id={slider}
          type="range"
          min={0}
          max={STEPS.length - 1}
          value={at}
          aria-valuetext={words}
          onChange={(event) => setWords(STEPS[Number(event.currentTarget.value)]!.words)}
        />
        <div className="slider-ends muted" aria-hidden="true">
          <span>{STEPS[0]!.words}</span>
          <span>{STEPS.at(-1)!.words}</span>
        </div>
      </div>
      <Field
        label={texts.advance.exactDuration}
        hint={isGood ? texts.advance.until(exactly(new Date(new Date(now).getTime() + seconds * 1_000))) : ''}
        problem={isGood ? undefined : texts.advance.durationInvalid}
      >
        {(common) => (
          <input
            {...common}
            value={words}
            maxLength={100}
            autoComplete="off"
            onChange={(event) => setWords(event.currentTarget.value)}
          />
        )}
      </Field>
      <div className="actions">
        <Button type="submit" look="primary" icon="clock" disabled={!isGood} isBusy={advance.isRunning}>
          {texts.advance.advance}
        </Button>
      </div>
    </form>
  )
}

/** In the zone of the browser, as its field has it. */
function ToDate({ now, advance }: AdvanceFormProps) {
  const [text, setText] = useState('')
  const date = new Date(text)
  const isGood = text !== '' && !Number.isNaN(date.getTime())
  const isPast = isGood && date <= new Date(now)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (isGood && !isPast) void advance.go(() => date)
  }
  return (
    <form className="to-date" onSubmit={submit}>
      <Field label={texts.advance.date} problem={isPast ? texts.advance.datePast : undefined}>
        {(common) => (
          <input
            {...common}
            type="datetime-local"
            step={1}
            value={text}
            onChange={(event) => setText(event.currentTarget.value)}
          />
        )}
      </Field>
      <Button type="submit" disabled={!isGood || isPast} isBusy={advance.isRunning}>
        {texts.advance.set}
      </Button>
    </form>
  )
}
