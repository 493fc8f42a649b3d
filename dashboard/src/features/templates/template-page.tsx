import { useQuery } from '@tanstack/react-query'
import { useNavigate, useParams } from '@tanstack/react-router'
import { useDeferredValue, useState } from 'react'
import type { Static } from 'typebox'
import { fillTemplate, namesIn } from '../../../../src/mail/templates.ts'
import { RESERVED_KEYS, type Template } from '../../../../src/resources/templates/schema.ts'
import { api } from '../../api.ts'
import { useAct } from '../../ui/act.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Copyable } from '../../ui/copy.tsx'
import { HtmlFrame } from '../../ui/html-frame.tsx'
import { Menu } from '../../ui/menu.tsx'
import { Page } from '../../ui/page.tsx'
import { Failed, Loading } from '../../ui/states.tsx'
import { type VariableDraft, Variables } from './variables.tsx'

type FullTemplate = Static<typeof Template>

export function TemplatePage() {
  const { id } = useParams({ strict: false }) as { id: string }
  const template = useQuery({ queryKey: ['templates', id], queryFn: () => api.get<FullTemplate>(`/templates/${id}`) })
  if (template.isPending) return <Loading />
  if (template.isError) return <Failed error={template.error} onRetry={() => template.refetch()} />
  // What is being written here is not overwritten by what is read again; another version is.
  return <Editor key={template.data.current_version_id} template={template.data} />
}

const FIELDS = [
  ['name', 'Name'],
  ['alias', 'Alias'],
  ['from', 'From'],
  ['subject', 'Subject'],
] as const

function Editor({ template }: { template: FullTemplate }) {
  const navigate = useNavigate()
  const [draft, setDraft] = useState(template)
  const [variables, setVariables] = useState<readonly VariableDraft[]>(
    template.variables.map(({ key, type, fallback_value }) => ({
      key,
      type,
      fallback: textOf(fallback_value),
      sample: '',
    })),
  )
  const path = `/templates/${template.id}`
  const isChanged = draft !== template || variables.some(({ isChanged: one }) => one)
  const save = useAct({
    run: () => {
      const { name, html } = draft
      const optional = ['alias', 'from', 'subject', 'text'] as const
      const values = Object.fromEntries(optional.map((field) => [field, draft[field] || null]))
      return api.patch(path, { name, html, ...values, variables: variables.map(asVariable) })
    },
    refresh: ['templates'],
    done: 'Saved',
  })
  const publish = useAct({ run: () => api.post(`${path}/publish`), refresh: ['templates'], done: 'Published' })
  const duplicate = useAct({
    run: () => api.post<{ id: string }>(`${path}/duplicate`),
    refresh: ['templates'],
    done: 'A copy is there',
  })
  const undeclared = namesIn([draft.subject, draft.html, draft.text].join('\n')).filter(
    (name) => !RESERVED_KEYS.includes(name) && !variables.some(({ key }) => key === name),
  )
  const isPublished = template.status === 'published' && !template.has_unpublished_versions
  return (
    <Page
      title={template.name}
      heading={
        <>
          {template.name} <Badge word={template.status} />{' '}
          {template.status === 'published' && template.has_unpublished_versions && (
            <Badge word="unpublished changes" tone="warn" />
          )}
        </>
      }
      note={<Copyable text={template.alias ?? template.id} what="the name for programs" />}
      actions={
        <>
          <Menu
            label="More"
            items={[
              {
                label: 'Duplicate',
                onChoose: () =>
                  duplicate.mutate(undefined, { onSuccess: (copy) => navigate({ to: `/templates/${copy.id}` }) }),
              },
            ]}
          />
          <Button isBusy={save.isPending} disabled={!isChanged} onClick={() => save.mutate()}>
            Save
          </Button>
          <Button
            look="primary"
            isBusy={publish.isPending}
            disabled={isPublished && !isChanged}
            onClick={async () => {
              if (isChanged) await save.mutateAsync()
              publish.mutate()
            }}
          >
            Publish
          </Button>
        </>
      }
    >
      <div className="columns even">
        <form className="form" onSubmit={(event) => event.preventDefault()}>
          {FIELDS.map(([field, label]) => (
            <div className="field" key={field}>
              <label htmlFor={field}>{label}</label>
              <input
                id={field}
                value={draft[field] ?? ''}
                onChange={(event) => setDraft({ ...draft, [field]: event.currentTarget.value })}
              />
            </div>
          ))}
          <div className="field">
            <label htmlFor="html">Html</label>
            <textarea
              id="html"
              className="mono"
              rows={18}
              spellCheck={false}
              value={draft.html}
              onChange={(event) => setDraft({ ...draft, html: event.currentTarget.value })}
            />
          </div>
          <Variables variables={variables} undeclared={undeclared} onChange={setVariables} />
        </form>
        <Preview draft={draft} variables={variables} />
      </div>
    </Page>
  )
}

function Preview({ draft, variables }: { draft: FullTemplate; variables: readonly VariableDraft[] }) {
  const values = new Map(variables.map(({ key, sample, fallback }) => [key, sample || fallback]))
  const fill = (text: string) => fillTemplate(text, (name) => values.get(name) || undefined).text
  const html = useDeferredValue(fill(draft.html))
  return (
    <div>
      <p className="preview-subject">{fill(draft.subject ?? '') || <span className="muted">(no subject)</span>}</p>
      <HtmlFrame html={html} title="The template with these values" />
    </div>
  )
}

const textOf = (value: unknown) =>
  value === null || value === undefined ? '' : typeof value === 'string' ? value : JSON.stringify(value)

function asVariable({ key, type, fallback }: VariableDraft) {
  if (fallback === '') return { key, type }
  return { key, type, fallback_value: type === 'string' ? fallback : safeParse(fallback) }
}

/** What is no JSON is sent as it is, and the server says what it should be. */
function safeParse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
