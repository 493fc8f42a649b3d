import { CreateTopic, UpdateTopic } from '../../../../src/features/topics/schema.ts'
import { call } from '../../api.ts'
import { Badge } from '../../ui/badge.tsx'
import { ResourcePage } from '../../ui/resource-page.tsx'
import { inSentenceCase } from '../../ui/sentence-case.ts'
import { Time } from '../../ui/time.tsx'
import { texts } from './texts.ts'

const FIELDS = [
  { name: 'name', label: texts.fields.name, hint: texts.fields.nameHint },
  { name: 'description', label: texts.fields.description, isLong: true },
  { name: 'visibility', label: texts.fields.visibility, hint: texts.fields.visibilityHint },
] as const

export const TopicsPage = () => (
  <ResourcePage
    title={texts.page.title}
    one={texts.page.one}
    icon="bell"
    about={texts.page.about}
    list="topics.list"
    input={{}}
    nameOf={({ name }) => name}
    columns={[
      { name: texts.fields.name, kind: 'title', cell: ({ name }) => <strong>{name}</strong> },
      {
        name: texts.fields.description,
        kind: 'main',
        cell: ({ description }) => <span className="muted">{description}</span>,
      },
      {
        name: texts.fields.default,
        kind: 'status',
        cell: ({ default_subscription }) => <Badge word={default_subscription} />,
      },
      { name: texts.fields.visibility, kind: 'aside', cell: ({ visibility }) => inSentenceCase(visibility) },
      { name: texts.fields.created, kind: 'time', cell: ({ created_at }) => <Time at={created_at} /> },
    ]}
    create={{
      shape: CreateTopic,
      fields: [
        ...FIELDS,
        {
          name: 'default_subscription',
          label: texts.fields.default,
          hint: texts.fields.defaultHint,
        },
      ],
      run: (body) => call('topics.create', { body }),
    }}
    edit={{ shape: UpdateTopic, fields: FIELDS, run: ({ id }, body) => call('topics.update', { id, body }) }}
    remove={{
      note: texts.page.removeNote,
      run: ({ id }) => call('topics.remove', { id }),
    }}
  />
)
