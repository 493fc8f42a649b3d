import { type FormEvent, useState } from 'react'
import { call, type Input, type Reply } from '../../api.ts'
import { useCall } from '../../queries.ts'
import { useAct } from '../../ui/act.ts'
import { Editable } from '../../ui/allowed.tsx'
import { Button, IconButton } from '../../ui/button.tsx'
import { useChoices } from '../../ui/choices.ts'
import { Card } from '../../ui/page.tsx'
import { SavedCheck } from '../../ui/saved-check.tsx'
import './memberships.css'
import { texts } from './texts.ts'

/** In which segments a contact is. */
export function SegmentChoice({ contact: idOrEmail }: { contact: string }) {
  const choices = useChoices('segments.list')
  const mine = useCall('contacts.segments.list', { idOrEmail, limit: 100 })
  const refresh = ['contacts', 'segments'] as const
  const add = useAct({ run: (segmentId: string) => call('contacts.segments.add', { idOrEmail, segmentId }), refresh })
  const remove = useAct({
    run: (segmentId: string) => call('contacts.segments.remove', { idOrEmail, segmentId }),
    refresh,
  })
  const segments = mine.data?.data ?? []
  const others = choices.filter(({ value }) => !segments.some(({ id }) => id === value))
  return (
    <Card title={texts.segments.title}>
      <ul className="chips">
        {segments.map(({ id, name }) => (
          <li key={id}>
            {name}
            <IconButton
              icon="close"
              label={texts.segments.removeFrom(name)}
              needs="contacts.segments.remove"
              onClick={() => remove.mutate(id)}
            />
          </li>
        ))}
        {segments.length === 0 && <li className="muted">{texts.segments.none}</li>}
      </ul>
      <Editable needs="contacts.segments.add">
        <select aria-label={texts.segments.add} value="" onChange={(event) => add.mutate(event.currentTarget.value)}>
          <option value="">{texts.segments.choose}</option>
          {others.map(({ value, label }) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </select>
      </Editable>
    </Card>
  )
}

/** What a contact wants to hear about: its own choice, or else the topic's default. */
export function TopicChoice({ contact: idOrEmail }: { contact: string }) {
  const topics = useCall('contacts.topics.list', { idOrEmail, limit: 100 })
  const choose = useAct({
    run: (choice: { id: string; subscription: 'opt_in' | 'opt_out' }) =>
      call('contacts.topics.update', { idOrEmail, body: { topics: [choice] } }),
    refresh: ['contacts'],
  })
  return (
    <Card title={texts.topics.title}>
      {topics.data?.data.length === 0 && <p className="muted">{texts.topics.empty}</p>}
      <Editable needs="contacts.topics.update">
        {topics.data?.data.map(({ id, name, subscription }) => (
          <SavedCheck
            key={id}
            isOn={subscription === 'opt_in'}
            onSave={(isOn) => choose.mutateAsync({ id, subscription: isOn ? 'opt_in' : 'opt_out' })}
          >
            {name}
          </SavedCheck>
        ))}
      </Editable>
    </Card>
  )
}

interface PropertyFormProps {
  readonly contact: Reply<'contacts.get'>
  readonly onSave: (properties: Input<'contacts.update'>['body']['properties']) => Promise<unknown>
}

/** The team's properties with this contact's values; an empty field removes the value. */
export function PropertyForm({ contact, onSave }: PropertyFormProps) {
  const [isBusy, setBusy] = useState(false)
  const known = useCall('contact-properties.list', { limit: 100 })
  const properties = known.data?.data ?? []
  if (properties.length === 0) return null
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    const values = properties.map(({ key, type }) => {
      const text = String(form.get(key) ?? '')
      return [key, text === '' ? null : type === 'number' ? Number(text) : text] as const
    })
    setBusy(true)
    await onSave(Object.fromEntries(values)).catch(() => {})
    setBusy(false)
  }
  return (
    <Card title={texts.properties.title}>
      <form className="form" onSubmit={submit}>
        <Editable needs="contacts.update">
          {properties.map(({ id, key, type, fallback_value }) => (
            <div className="field" key={id}>
              <label htmlFor={id}>{key}</label>
              <input
                id={id}
                name={key}
                type={type === 'number' ? 'number' : 'text'}
                step="any"
                defaultValue={String(contact.properties[key]?.value ?? '')}
                placeholder={fallback_value === null ? '' : String(fallback_value)}
              />
            </div>
          ))}
        </Editable>
        <div className="actions">
          <Button type="submit" needs="contacts.update" isBusy={isBusy}>
            {texts.properties.save}
          </Button>
        </div>
      </form>
    </Card>
  )
}
