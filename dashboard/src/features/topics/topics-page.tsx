import { CreateTopic, UpdateTopic } from '../../../../src/features/topics/schema.ts'
import { call } from '../../api.ts'
import { Badge } from '../../ui/badge.tsx'
import { ResourcePage } from '../../ui/resource-page.tsx'
import { inSentenceCase } from '../../ui/sentence-case.ts'
import { Time } from '../../ui/time.tsx'
import { texts } from './texts.ts'

const FIELDS = [
  { name: 'name', label: texts.name, hint: texts.visibleSubscribers },
  { name: 'description', label: texts.description, isLong: true },
  { name: 'visibility', label: texts.visibility, hint: texts.publicTopicsAppearEvery },
] as const

export const TopicsPage = () => (
  <ResourcePage
    title={texts.topics}
    one="topic"
    icon="bell"
    about={texts.subjectsContactsSubscribeUnsubscribe}
    list="topics.list"
    input={{}}
    nameOf={({ name }) => name}
    columns={[
      { name: texts.name, kind: 'title', cell: ({ name }) => <strong>{name}</strong> },
      {
        name: texts.description,
        kind: 'main',
        cell: ({ description }) => <span className="muted">{description}</span>,
      },
      {
        name: texts.default,
        kind: 'status',
        cell: ({ default_subscription }) => <Badge word={default_subscription} />,
      },
      { name: texts.visibility, kind: 'aside', cell: ({ visibility }) => inSentenceCase(visibility) },
      { name: texts.created, kind: 'time', cell: ({ created_at }) => <Time at={created_at} /> },
    ]}
    create={{
      shape: CreateTopic,
      fields: [
        ...FIELDS,
        {
          name: 'default_subscription',
          label: texts.default,
          hint: texts.contactsWithoutChoiceCannot,
        },
      ],
      run: (body) => call('topics.create', { body }),
    }}
    edit={{ shape: UpdateTopic, fields: FIELDS, run: ({ id }, body) => call('topics.update', { id, body }) }}
    remove={{
      note: texts.emailsBroadcastsWithTopic,
      run: ({ id }) => call('topics.remove', { id }),
    }}
  />
)
