import { useNavigate } from '@tanstack/react-router'
import Type from 'typebox'
import { CreateTemplate, TEMPLATE_OPERATORS, TEMPLATE_STATUSES } from '../../../../src/features/templates/schema.ts'
import { call } from '../../api.ts'
import { Badge } from '../../ui/badge.tsx'
import { FROM, SEARCHED_PERIOD, SUBJECT, statusField } from '../../ui/filter-fields.ts'
import { type Filters, searchInput } from '../../ui/filter-values.ts'
import { ResourcePage } from '../../ui/resource-page.tsx'
import { useSearchParams } from '../../ui/search-params.ts'
import { Time } from '../../ui/time.tsx'
import { texts } from './texts.ts'

const { name, alias } = CreateTemplate.properties

/** A new one begins with a greeting; the rest is written on its own page. */
const Beginning = Type.Object({ name, alias })

const FILTERS: Filters = {
  search: { word: 'q', label: texts.page.search, operators: TEMPLATE_OPERATORS },
  fields: [statusField(TEMPLATE_STATUSES), FROM, SUBJECT, SEARCHED_PERIOD],
}

export function TemplatesPage() {
  const { q } = useSearchParams().words
  const navigate = useNavigate()
  return (
    <ResourcePage
      title={texts.page.title}
      one={texts.page.one}
      icon="page"
      about={texts.page.about}
      list="templates.list"
      input={{ q: searchInput(q) }}
      filterBar={FILTERS}
      nameOf={(template) => template.name}
      pageOfOne="/templates/$id"
      columns={[
        { name: texts.fields.name, kind: 'title', cell: (template) => template.name },
        { name: texts.fields.alias, cell: (template) => template.alias && <code>{template.alias}</code> },
        { name: texts.columns.status, kind: 'status', cell: ({ status }) => <Badge word={status} /> },
        { name: texts.columns.updated, kind: 'time', cell: ({ updated_at }) => <Time at={updated_at} /> },
      ]}
      create={{
        shape: Beginning,
        fields: [
          { name: 'name', label: texts.fields.name },
          {
            name: 'alias',
            label: texts.fields.alias,
            hint: texts.fields.aliasHint,
            placeholder: texts.fields.aliasPlaceholder,
          },
        ],
        run: (body) => call('templates.create', { body: { ...body, html: texts.firstContent } }),
        onCreated: ({ id }) => navigate({ to: '/templates/$id', params: { id } }),
      }}
      remove={{
        note: texts.page.removeNote,
        run: ({ id }) => call('templates.remove', { idOrAlias: id }),
      }}
    />
  )
}
