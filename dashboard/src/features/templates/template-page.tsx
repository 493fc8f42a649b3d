import { useNavigate, useParams } from '@tanstack/react-router'
import { useDeferredValue, useState } from 'react'
import { RESERVED_KEYS } from '../../../../src/features/templates/schema.ts'
import { fillTemplate, namesIn } from '../../../../src/mail/templates.ts'
import { call } from '../../api.ts'
import { useCall } from '../../queries.ts'
import { useAct } from '../../ui/act.ts'
import { Editable } from '../../ui/allowed.tsx'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Copyable } from '../../ui/copy.tsx'
import { useDraft } from '../../ui/draft.ts'
import { CodeField, TextField } from '../../ui/field.tsx'
import { HtmlFrame } from '../../ui/html-frame.tsx'
import { Menu } from '../../ui/menu.tsx'
import { Page } from '../../ui/page.tsx'
import { Failed, Loading } from '../../ui/states.tsx'
import { changesOf, type Draft, type FullTemplate, fieldsOf, type Samples } from './draft.ts'
import { Variables } from './variables.tsx'
import { VersionsDialog } from './versions-dialog.tsx'

export function TemplatePage() {
  const { id } = useParams({ from: '/templates/$id' })
  const [restored, setRestored] = useState(0)
  const template = useCall('templates.get', { idOrAlias: id })
  if (template.isPending) return <Loading />
  if (template.isError) return <Failed error={template.error} onRetry={() => template.refetch()} />
  // What is being written is not lost when the template is read again, except by taking up another version.
  return <Editor key={`${id} ${restored}`} template={template.data} onRestored={() => setRestored(restored + 1)} />
}

function Editor({ template, onRestored }: { template: FullTemplate; onRestored: () => void }) {
  const navigate = useNavigate()
  const { draft, isChanged, change } = useDraft(fieldsOf(template))
  const [samples, setSamples] = useState<Samples>({})
  const [isLookingBack, setLookingBack] = useState(false)
  const idOrAlias = template.id
  const save = useAct({
    run: () => call('templates.update', { idOrAlias, body: changesOf(draft) }),
    refresh: ['templates'],
    done: 'Saved',
  })
  const publish = useAct({
    run: () => call('templates.publish', { idOrAlias }),
    refresh: ['templates'],
    done: 'Published',
  })
  const duplicate = useAct({
    run: () => call('templates.duplicate', { idOrAlias }),
    refresh: ['templates'],
    done: 'A copy is there',
  })
  const isPublished = template.status === 'published' && !template.has_unpublished_versions
  return (
    <Page
      title={template.name}
      heading={
        <>
          {template.name} <Badge word={template.status} />{' '}
          {template.status === 'published' && !isPublished && <Badge word="unpublished changes" tone="warn" />}
        </>
      }
      note={<Copyable text={template.alias ?? template.id} what="the name for programs" />}
      actions={
        <>
          <Menu
            label="More"
            items={[
              { label: 'Versions', onChoose: () => setLookingBack(true) },
              {
                label: 'Duplicate',
                needs: 'templates.duplicate',
                onChoose: () =>
                  duplicate.mutate(undefined, {
                    onSuccess: ({ id }) => navigate({ to: '/templates/$id', params: { id } }),
                  }),
              },
            ]}
          />
          <Button needs="templates.update" isBusy={save.isPending} disabled={!isChanged} onClick={() => save.mutate()}>
            Save
          </Button>
          <Button
            needs="templates.publish"
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
        <Editable needs="templates.update">
          <Fields draft={draft} onChange={change} samples={samples} onSample={setSamples} />
        </Editable>
        <Preview draft={draft} samples={samples} />
      </div>
      <VersionsDialog
        template={template.id}
        isOpen={isLookingBack}
        onClose={() => setLookingBack(false)}
        onRestored={onRestored}
      />
    </Page>
  )
}

interface FieldsProps {
  readonly draft: Draft
  readonly onChange: (part: Partial<Draft>) => void
  readonly samples: Samples
  readonly onSample: (samples: Samples) => void
}

function Fields({ draft, onChange, samples, onSample }: FieldsProps) {
  const { subject, html, text, variables } = draft
  const field = (name: Exclude<keyof Draft, 'variables'>) => ({
    value: draft[name],
    onChange: (value: string) => onChange({ [name]: value }),
  })
  const undeclared = namesIn([subject, html, text].join('\n')).filter(
    (name) => !RESERVED_KEYS.includes(name) && !variables.some(({ key }) => key === name),
  )
  return (
    <form className="form" onSubmit={(event) => event.preventDefault()}>
      <TextField label="Name" {...field('name')} />
      <TextField label="Alias" hint="A name for programs, instead of the id." {...field('alias')} />
      <TextField label="From" {...field('from')} />
      <TextField label="Reply to" {...field('reply_to')} />
      <TextField label="Subject" {...field('subject')} />
      <CodeField label="Html" {...field('html')} />
      <CodeField label="Text" hint="Empty: made from the html." rows={4} {...field('text')} />
      <Variables
        variables={variables}
        undeclared={undeclared}
        samples={samples}
        onChange={(next) => onChange({ variables: next })}
        onSample={onSample}
      />
    </form>
  )
}

function Preview({ draft, samples }: { draft: Draft; samples: Samples }) {
  const fallbacks = new Map(draft.variables.map(({ key, fallback }) => [key, fallback]))
  const fill = (text: string) => fillTemplate(text, (name) => samples[name] || fallbacks.get(name) || undefined).text
  const html = useDeferredValue(fill(draft.html))
  return (
    <div>
      <p className="preview-subject">{fill(draft.subject) || <span className="muted">(no subject)</span>}</p>
      <HtmlFrame html={html} title="The template with these values" />
    </div>
  )
}
