import { useState } from 'react'
import { CreateEvent } from '../../../../src/features/events/schema.ts'
import { call, type Item } from '../../api.ts'
import { useAct } from '../../ui/act.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { ResourcePage } from '../../ui/resource-page.tsx'
import { SchemaForm } from '../../ui/schema-form.tsx'
import { Time } from '../../ui/time.tsx'
import { type FieldDraft, fieldsOf, SchemaFields, schemaOf } from './schema-fields.tsx'
import { SendDialog } from './send-dialog.tsx'
import { texts } from './texts.ts'

type Definition = Item<'events.list'>
type Open = { readonly what: 'create' | 'send' } | { readonly what: 'edit' | 'send'; readonly one: Definition } | null

export function EventsPage() {
  const [open, setOpen] = useState<Open>(null)
  const [fields, setFields] = useState<readonly FieldDraft[]>([])
  const close = () => setOpen(null)
  const chosen = open && 'one' in open ? open.one : null
  const create = useAct({
    run: (values: { name: string }) => call('events.create', { body: { ...values, schema: schemaOf(fields) } }),
    refresh: ['events'],
    done: texts.createDialog.done,
  })
  const change = useAct({
    run: ({ id }: Definition) => call('events.update', { idOrName: id, body: { schema: schemaOf(fields) } }),
    refresh: ['events'],
    done: texts.saved,
  })
  const begin = (next: Open, schema: Definition['schema'] = null) => {
    setFields(fieldsOf(schema))
    setOpen(next)
  }
  return (
    <ResourcePage
      title={texts.title}
      one={texts.one}
      icon="bolt"
      about={texts.about}
      list="events.list"
      input={{}}
      nameOf={({ name }) => name}
      actions={
        <>
          <Button icon="send" needs="events.send" onClick={() => begin({ what: 'send' })}>
            {texts.sendDialog.open}
          </Button>
          <Button look="primary" icon="plus" needs="events.create" onClick={() => begin({ what: 'create' })}>
            {texts.createDialog.open}
          </Button>
        </>
      }
      columns={[
        { name: texts.columns.name, kind: 'title', cell: ({ name }) => <code>{name}</code> },
        { name: texts.columns.payload, kind: 'main', cell: ({ schema }) => <InWords schema={schema} /> },
        {
          name: texts.columns.updated,
          kind: 'time',
          cell: ({ updated_at, created_at }) => <Time at={updated_at ?? created_at} />,
        },
      ]}
      acts={(one) => [
        { label: texts.send, needs: 'events.send', onChoose: () => begin({ what: 'send', one }) },
        { label: texts.edit, needs: 'events.update', onChoose: () => begin({ what: 'edit', one }, one.schema) },
      ]}
      remove={{
        note: texts.deleteNote,
        run: ({ id }) => call('events.remove', { idOrName: id }),
      }}
    >
      <Dialog title={texts.createDialog.title} isOpen={open?.what === 'create'} onClose={close}>
        <SchemaForm
          shape={CreateEvent}
          fields={[
            { name: 'name', label: texts.createDialog.name.label, placeholder: texts.createDialog.name.placeholder },
          ]}
          act={texts.createDialog.submit}
          onSubmit={(values) => create.mutateAsync(values).then(close)}
        >
          <SchemaFields fields={fields} onChange={setFields} />
        </SchemaForm>
      </Dialog>
      <Dialog title={texts.editDialog.title(chosen?.name ?? '')} isOpen={open?.what === 'edit'} onClose={close}>
        <form
          className="form"
          onSubmit={(event) => {
            event.preventDefault()
            change.mutate(chosen!, { onSuccess: close })
          }}
        >
          <SchemaFields fields={fields} onChange={setFields} />
          <div className="actions">
            <Button type="submit" look="primary" isBusy={change.isPending}>
              {texts.editDialog.submit}
            </Button>
          </div>
        </form>
      </Dialog>
      <SendDialog definition={chosen} isOpen={open?.what === 'send'} onClose={close} />
    </ResourcePage>
  )
}

const InWords = ({ schema }: { schema: Definition['schema'] }) => (
  <span className="muted">
    {schema
      ? Object.entries(schema)
          .map(([field, type]) => `${field}: ${type}`)
          .join(', ') || texts.payload.none
      : texts.payload.any}
  </span>
)
