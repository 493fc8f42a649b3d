import { useNavigate } from '@tanstack/react-router'
import Type from 'typebox'
import { CreateTemplate } from '../../../../src/features/templates/schema.ts'
import { call } from '../../api.ts'
import { Badge } from '../../ui/badge.tsx'
import { ResourcePage } from '../../ui/resource-page.tsx'
import { Time } from '../../ui/time.tsx'

const { name, alias } = CreateTemplate.properties

/** A new one begins with a greeting; the rest is written on its own page. */
const Beginning = Type.Object({
  name,
  alias,
  html: Type.String({ default: '<h1>Hello {{{NAME|there}}}</h1>\n<p>Write something here.</p>' }),
})

export function TemplatesPage() {
  const navigate = useNavigate()
  return (
    <ResourcePage
      title="Templates"
      one="template"
      icon="page"
      about="Emails with gaps: written once, sent with other values each time."
      list="templates.list"
      input={{}}
      nameOf={(template) => template.name}
      pageOfOne="/templates/$id"
      columns={[
        { name: 'Name', kind: 'main', cell: (template) => template.name },
        { name: 'Alias', cell: (template) => template.alias && <code>{template.alias}</code> },
        { name: 'Status', cell: ({ status }) => <Badge word={status} /> },
        { name: 'Changed', kind: 'aside', cell: ({ updated_at }) => <Time at={updated_at} /> },
      ]}
      create={{
        shape: Beginning,
        fields: [
          { name: 'name', label: 'Name' },
          { name: 'alias', label: 'Alias', hint: 'A name for programs, instead of the id.', placeholder: 'welcome' },
          { name: 'html', label: 'Html', isLong: true },
        ],
        run: (body) => call('templates.create', { body }),
        onCreated: ({ id }) => navigate({ to: '/templates/$id', params: { id } }),
      }}
      remove={{
        note: 'Emails that name it are refused from now on.',
        run: ({ id }) => call('templates.remove', { idOrAlias: id }),
      }}
    />
  )
}
