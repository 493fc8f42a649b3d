import { useParams } from '@tanstack/react-router'
import { UpdateContact } from '../../../../src/features/contacts/schema.ts'
import { call, type Input } from '../../api.ts'
import { useCall } from '../../queries.ts'
import { useAct } from '../../ui/act.ts'
import { Badge } from '../../ui/badge.tsx'
import { Copyable } from '../../ui/copy.tsx'
import { Card, Facts, Page } from '../../ui/page.tsx'
import { SchemaForm } from '../../ui/schema-form.tsx'
import { Failed, Loading } from '../../ui/states.tsx'
import { Time } from '../../ui/time.tsx'
import { PropertyForm, SegmentChoice, TopicChoice } from './memberships.tsx'

export function ContactPage() {
  const { id: idOrEmail } = useParams({ from: '/contacts/$id' })
  const contact = useCall('contacts.get', { idOrEmail })
  const update = useAct({
    run: (body: Input<'contacts.update'>['body']) => call('contacts.update', { idOrEmail, body }),
    refresh: ['contacts'],
    done: 'Saved',
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
    >
      <div className="columns even">
        <div>
          <Card title="Who">
            <SchemaForm
              // Filled anew when what is saved has changed, and not whenever it was read again: somebody may be typing.
              key={JSON.stringify([contact.data.first_name, contact.data.last_name, unsubscribed])}
              shape={UpdateContact}
              initial={contact.data}
              fields={[
                { name: 'first_name', label: 'First name' },
                { name: 'last_name', label: 'Last name' },
                {
                  name: 'unsubscribed',
                  label: 'Unsubscribed',
                  hint: 'Gets no broadcast at all, whatever the topics say.',
                },
              ]}
              act="Save"
              needs="contacts.update"
              onSubmit={(values) => update.mutateAsync(values)}
            />
          </Card>
          <PropertyForm contact={contact.data} onSave={(properties) => update.mutateAsync({ properties })} />
          <Facts
            facts={[
              ['Since', <Time key="since" at={created_at} exact />],
              ['Id', <Copyable key="id" text={contact.data.id} what="the id" />],
            ]}
          />
        </div>
        <div>
          <SegmentChoice contact={idOrEmail} />
          <TopicChoice contact={idOrEmail} />
        </div>
      </div>
    </Page>
  )
}
