import { useNavigate, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { UpdateContact } from '../../../../src/features/contacts/schema.ts'
import { call, type Input } from '../../api.ts'
import { useCall } from '../../queries.ts'
import { useAct } from '../../ui/act.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Copyable } from '../../ui/copy.tsx'
import { Confirm } from '../../ui/dialog.tsx'
import { Card, Facts, Page } from '../../ui/page.tsx'
import { SchemaForm } from '../../ui/schema-form.tsx'
import { Failed, Loading } from '../../ui/states.tsx'
import { SuppressionNote } from '../../ui/suppression-note.tsx'
import { Time } from '../../ui/time.tsx'
import { ContactActivity } from './activity.tsx'
import { PropertyForm, SegmentChoice, TopicChoice } from './memberships.tsx'
import { texts } from './texts.ts'

export function ContactPage() {
  const { id: idOrEmail } = useParams({ from: '/contacts/$id' })
  const contact = useCall('contacts.get', { idOrEmail })
  const navigate = useNavigate()
  const [isAsking, setAsking] = useState(false)
  const update = useAct({
    run: (body: Input<'contacts.update'>['body']) => call('contacts.update', { idOrEmail, body }),
    refresh: ['contacts'],
    done: texts.page.saved,
  })
  const remove = useAct({
    run: () => call('contacts.remove', { idOrEmail }),
    refresh: ['contacts', 'segments'],
    done: texts.deleteDialog.done,
  })
  if (contact.isPending) return <Loading />
  if (contact.isError) return <Failed error={contact.error} onRetry={() => contact.refetch()} />
  const { email, unsubscribed, created_at } = contact.data
  return (
    <Page
      title={email}
      heading={
        <>
          {email} <Badge word={unsubscribed ? 'unsubscribed' : 'subscribed'} />
        </>
      }
      actions={
        <Button needs="contacts.remove" onClick={() => setAsking(true)}>
          {texts.page.delete}
        </Button>
      }
    >
      <Confirm
        title={texts.deleteDialog.title(email)}
        note={texts.deleteNote}
        act={texts.deleteDialog.confirm}
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        onConfirm={async () => {
          await remove.mutateAsync()
          await navigate({ to: '/contacts' })
        }}
      />
      <SuppressionNote email={email} />
      <div className="columns">
        <ContactActivity contact={contact.data.id} />
        <div>
          <Card title={texts.page.contact}>
            <SchemaForm
              // Reset when the saved values change, not on every refetch, which would discard what is being typed.
              key={JSON.stringify([contact.data.first_name, contact.data.last_name, unsubscribed])}
              shape={UpdateContact}
              initial={contact.data}
              fields={[
                { name: 'first_name', label: texts.fields.firstName },
                { name: 'last_name', label: texts.fields.lastName },
                {
                  name: 'unsubscribed',
                  label: texts.fields.unsubscribed.label,
                  hint: texts.fields.unsubscribed.hint,
                },
              ]}
              act={texts.page.save}
              needs="contacts.update"
              onSubmit={(values) => update.mutateAsync(values)}
            />
          </Card>
          <PropertyForm contact={contact.data} onSave={(properties) => update.mutateAsync({ properties })} />
          <Facts
            facts={[
              [texts.page.created, <Time key="since" at={created_at} exact />],
              [texts.page.id, <Copyable key="id" text={contact.data.id} what={texts.page.id} />],
            ]}
          />
          <SegmentChoice contact={idOrEmail} />
          <TopicChoice contact={idOrEmail} />
        </div>
      </div>
    </Page>
  )
}
