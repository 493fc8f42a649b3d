import { CreateTopic, UpdateTopic } from '../../../../src/features/topics/schema.ts'
import { call } from '../../api.ts'
import { Badge, inWords } from '../../ui/badge.tsx'
import { ResourcePage } from '../../ui/resource-page.tsx'
import { Time } from '../../ui/time.tsx'

const FIELDS = [
  { name: 'name', label: 'Name', hint: 'As subscribers read it.' },
  { name: 'description', label: 'Description', isLong: true },
  { name: 'visibility', label: 'Visibility', hint: 'Public topics are on everybody’s preference page.' },
] as const

export const TopicsPage = () => (
  <ResourcePage
    title="Topics"
    one="topic"
    icon="bell"
    about="What people can subscribe to and leave: product news, offers, incidents."
    list="topics.list"
    input={{}}
    nameOf={({ name }) => name}
    columns={[
      { name: 'Name', cell: ({ name }) => <strong>{name}</strong> },
      { name: 'Description', kind: 'main', cell: ({ description }) => <span className="muted">{description}</span> },
      { name: 'By default', cell: ({ default_subscription }) => <Badge word={default_subscription} /> },
      { name: 'Visibility', kind: 'aside', cell: ({ visibility }) => inWords(visibility) },
      { name: 'Created', kind: 'aside', cell: ({ created_at }) => <Time at={created_at} /> },
    ]}
    create={{
      shape: CreateTopic,
      fields: [
        ...FIELDS,
        {
          name: 'default_subscription',
          label: 'By default',
          hint: 'For contacts that have not chosen. It cannot be changed later.',
        },
      ],
      run: (body) => call('topics.create', { body }),
    }}
    edit={{ shape: UpdateTopic, fields: FIELDS, run: ({ id }, body) => call('topics.update', { id, body }) }}
    remove={{
      note: 'Emails and broadcasts about it lose their topic.',
      run: ({ id }) => call('topics.remove', { id }),
    }}
  />
)
