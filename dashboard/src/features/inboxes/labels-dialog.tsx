import { type FormEvent, useState } from 'react'
import { COLORS } from '../../../../src/features/inboxes/labels/schema.ts'
import { call } from '../../api.ts'
import { useCall } from '../../queries.ts'
import { useAct } from '../../ui/act.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Failed, Loading } from '../../ui/states.tsx'
import type { Label } from './acts.ts'
import { LabelDot } from './label-chip.tsx'
import './labels-dialog.css'
import { texts } from './texts.ts'

const REFRESH = ['inboxes.labels', 'inboxes.threads'] as const

interface LabelsDialogProps {
  readonly inbox: string
  readonly isOpen: boolean
  readonly onClose: () => void
  /** With the label that was just made: whoever wanted one for a thread sets it. */
  readonly onMade?: (label: Label) => void
}

/** All labels of an inbox: add, rename, another colour, delete. */
export const LabelsDialog = ({ inbox, isOpen, onClose, onMade }: LabelsDialogProps) => (
  <Dialog title={texts.labels.title} isOpen={isOpen} onClose={onClose}>
    {isOpen && <Labels inbox={inbox} onMade={onMade} />}
  </Dialog>
)

function Labels({ inbox, onMade }: { inbox: string; onMade: LabelsDialogProps['onMade'] }) {
  const labels = useCall('inboxes.labels.list', { inbox })
  const add = useAct({
    run: async (label: Omit<Label, 'id'>) => ({
      ...label,
      id: (await call('inboxes.labels.create', { inbox, body: label })).id,
    }),
    refresh: REFRESH,
  })
  if (labels.isPending) return <Loading lines={3} />
  if (labels.isError) return <Failed error={labels.error} onRetry={() => labels.refetch()} />
  const known = labels.data.data
  return (
    <>
      <LabelForm
        act={texts.labels.add}
        label={{ name: '', color: nextColor(known) }}
        key={known.length}
        onSave={async (label) => {
          const made = await add.mutateAsync(label)
          onMade?.(made)
        }}
      />
      <ul className="labels-edited">
        {known.map((label) => (
          <EditedLabel key={label.id} inbox={inbox} label={label} />
        ))}
      </ul>
    </>
  )
}

function EditedLabel({ inbox, label }: { inbox: string; label: Label }) {
  const [state, setState] = useState<'shown' | 'edited' | 'leaving'>('shown')
  const { id } = label
  const change = useAct({
    run: (body: Omit<Label, 'id'>) => call('inboxes.labels.update', { inbox, label: id, body }),
    refresh: REFRESH,
  })
  const remove = useAct({ run: () => call('inboxes.labels.remove', { inbox, label: id }), refresh: REFRESH })
  if (state === 'edited')
    return (
      <li>
        <LabelForm
          act={texts.labels.save}
          label={label}
          onSave={async (body) => {
            await change.mutateAsync(body)
            setState('shown')
          }}
        />
      </li>
    )
  return (
    <li>
      <LabelDot color={label.color} />
      <span>{label.name}</span>
      {state === 'leaving' ? (
        <>
          <small className="muted">{texts.labels.deleteNote}</small>
          <Button look="quiet" onClick={() => setState('shown')}>
            {texts.labels.cancel}
          </Button>
          <Button look="danger" isBusy={remove.isPending} onClick={() => remove.mutate()}>
            {texts.labels.confirmDelete}
          </Button>
        </>
      ) : (
        <>
          <IconButton
            icon="pen"
            label={texts.labels.edit(label.name)}
            needs="inboxes.labels.update"
            onClick={() => setState('edited')}
          />
          <IconButton
            icon="trash"
            label={texts.labels.delete(label.name)}
            needs="inboxes.labels.remove"
            onClick={() => setState('leaving')}
          />
        </>
      )}
    </li>
  )
}

interface LabelFormProps {
  readonly act: string
  readonly label: Omit<Label, 'id'>
  readonly onSave: (label: Omit<Label, 'id'>) => Promise<void>
}

function LabelForm({ act, label, onSave }: LabelFormProps) {
  const [color, setColor] = useState(label.color)
  const [isBusy, setBusy] = useState(false)
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const name = String(new FormData(event.currentTarget).get('name')).trim()
    if (name === '') return
    setBusy(true)
    // What is refused is said by the act; the form stays as it is.
    await onSave({ name, color }).catch(() => {})
    setBusy(false)
  }
  return (
    <form className="label-form" onSubmit={submit}>
      <input
        name="name"
        aria-label={texts.labels.name}
        placeholder={texts.labels.namePlaceholder}
        defaultValue={label.name}
        maxLength={64}
        required
      />
      <Button type="submit" look="primary" isBusy={isBusy}>
        {act}
      </Button>
      <fieldset className="label-colors">
        <legend className="hidden">{texts.labels.color}</legend>
        {Object.entries(COLORS).map(([name, value]) => (
          <label key={name} title={name}>
            <input
              type="radio"
              name="color"
              value={value}
              aria-label={name}
              checked={value.toLowerCase() === color.toLowerCase()}
              onChange={() => setColor(value)}
            />
            <span style={{ background: value }} />
          </label>
        ))}
      </fieldset>
    </form>
  )
}

/** The first that no label has. */
const nextColor = (labels: readonly Label[]) =>
  Object.values(COLORS).find((color) => labels.every((label) => label.color.toLowerCase() !== color.toLowerCase())) ??
  COLORS.mauve
