import { useNavigate, useParams } from '@tanstack/react-router'
import { useMemo, useRef, useState } from 'react'
import { RESERVED_KEYS } from '../../../../src/features/templates/schema.ts'
import { namesIn, placeholdersIn } from '../../../../src/mail/templates.ts'
import { call } from '../../api.ts'
import type { EditorHandle } from '../../editor/email-editor.tsx'
import { EmailPage, MoreSettings, SaveStatus } from '../../editor/email-page.tsx'
import { LazyEditor } from '../../editor/lazy-editor.tsx'
import { offeredVariables } from '../../editor/offered-variables.ts'
import { PreviewHead, usePreviewContact } from '../../editor/preview-contact.tsx'
import { SendTestDialog } from '../../editor/send-test.tsx'
import { useEditorState, useSavedFields } from '../../editor/use-saved-fields.ts'
import { useCall } from '../../queries.ts'
import { useAct } from '../../ui/act.ts'
import { Editable, useIsAllowed } from '../../ui/allowed.tsx'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Copyable } from '../../ui/copy.tsx'
import { TextField } from '../../ui/field.tsx'
import { Menu } from '../../ui/menu.tsx'
import { Failed, Loading } from '../../ui/states.tsx'
import { changesOf, type Draft, type FullTemplate, fieldsOf, type Samples } from './draft.ts'
import { texts } from './texts.ts'
import { Variables } from './variables.tsx'
import { VersionsDialog } from './versions-dialog.tsx'

export function TemplatePage() {
  const { id } = useParams({ from: '/templates/$id' })
  const template = useCall('templates.get', { idOrAlias: id })
  if (template.isPending) return <Loading />
  if (template.isError) return <Failed error={template.error} onRetry={() => template.refetch()} />
  return <Editor key={template.data.id} template={template.data} />
}

function Editor({ template }: { template: FullTemplate }) {
  const navigate = useNavigate()
  const idOrAlias = template.id
  const handle = useRef<EditorHandle>(null)
  const editor = useEditorState()
  const [samples, setSamples] = useState<Samples>({})
  const [dialog, setDialog] = useState<'versions' | 'test' | null>(null)
  const isEditable = useIsAllowed('templates.update')
  const saved = fieldsOf(template)
  const { fields, change, autosave } = useSavedFields(saved, (changed) =>
    call('templates.update', { idOrAlias, body: changesOf(changed) }),
  )
  const contact = usePreviewContact()
  const resource = useMemo(() => ({ resource_type: 'template', resource_id: template.id }) as const, [template.id])
  const properties = useCall('contact-properties.list', { limit: 100 }).data?.data
  const variables = useMemo(
    () => offeredVariables({ declared: template.variables, properties }),
    [template.variables, properties],
  )
  const flush = () => Promise.all([autosave.flush(), handle.current?.flush()])
  const publish = useAct({
    run: async () => {
      await flush()
      return call('templates.publish', { idOrAlias })
    },
    refresh: ['templates'],
    done: texts.actions.published,
  })
  const duplicate = useAct({
    run: async () => {
      await flush()
      return call('templates.duplicate', { idOrAlias })
    },
    refresh: ['templates'],
    done: texts.actions.duplicated,
  })
  const isChanged = editor.state !== 'saved' || autosave.state !== 'saved'
  const isPublished = template.status === 'published' && !template.has_unpublished_versions
  const fill = fillerOf(fields, samples)
  const read = (text: { subject: string; html: string }) =>
    contact.read({ subject: fill(text.subject), html: fill(text.html), text: null })
  return (
    <EmailPage
      title={fields.name}
      heading={
        <>
          {template.name} <Badge word={template.status} />{' '}
          {template.status === 'published' && !isPublished && <Badge word={texts.unpublishedChanges} tone="warn" />}
        </>
      }
      note={
        <Copyable text={template.alias ?? template.id} what={template.alias ? texts.copied.alias : texts.copied.id} />
      }
      actions={
        <>
          <SaveStatus states={[editor.state, autosave.state]} problem={editor.problem ?? autosave.problem} />
          <Menu
            label={texts.actions.menu}
            items={[
              { label: texts.actions.versions, onChoose: () => setDialog('versions') },
              {
                label: texts.actions.duplicate,
                needs: 'templates.duplicate',
                onChoose: () =>
                  duplicate.mutate(undefined, {
                    onSuccess: ({ id }) => navigate({ to: '/templates/$id', params: { id } }),
                  }),
              },
            ]}
          />
          <Button
            needs="emails.send"
            icon="send"
            onClick={() =>
              flush().then(
                () => setDialog('test'),
                () => {},
              )
            }
          >
            {texts.actions.sendTest}
          </Button>
          <Button
            needs="templates.publish"
            look="primary"
            isBusy={publish.isPending}
            disabled={isPublished && !isChanged}
            onClick={() => publish.mutate()}
          >
            {texts.actions.publish}
          </Button>
        </>
      }
    >
      <Editable needs="templates.update">
        <Fields fields={fields} onChange={change} template={template} samples={samples} onSample={setSamples} />
      </Editable>
      <LazyEditor
        resource={resource}
        html={template.html}
        saveHtml={(html) => call('templates.update', { idOrAlias, body: { html } })}
        isEditable={isEditable}
        variables={variables}
        fill={(html) => read({ subject: '', html }).html ?? ''}
        previewHead={<PreviewHead contact={contact} subject={read({ subject: fields.subject, html: '' }).subject} />}
        handle={handle}
        onSaveState={editor.onSaveState}
      />
      <VersionsDialog template={template.id} isOpen={dialog === 'versions'} onClose={() => setDialog(null)} />
      <SendTestDialog
        email={{
          ...{ from: template.from ?? '', reply_to: template.reply_to },
          ...read({ subject: template.subject ?? '', html: template.html }),
        }}
        isOpen={dialog === 'test'}
        onClose={() => setDialog(null)}
      />
    </EmailPage>
  )
}

/** Variables of the template with what they are tried with, or with their fallbacks. Those of contacts are left to the contact. */
function fillerOf({ variables }: Draft, samples: Samples) {
  const fallbacks = new Map(variables.map(({ key, fallback }) => [key, fallback]))
  return (text: string) => {
    let [filled, done] = ['', 0]
    for (const { name, start, end } of placeholdersIn(text)) {
      const value = samples[name] || fallbacks.get(name)
      if (!value) continue
      filled += text.slice(done, start) + value
      done = end
    }
    return filled + text.slice(done)
  }
}

interface FieldsProps {
  readonly fields: Draft
  readonly template: FullTemplate
  readonly onChange: (part: Partial<Draft>) => void
  readonly samples: Samples
  readonly onSample: (samples: Samples) => void
}

function Fields({ fields, template, onChange, samples, onSample }: FieldsProps) {
  const { subject, variables } = fields
  const field = (name: Exclude<keyof Draft, 'variables'>) => ({
    value: fields[name],
    onChange: (value: string) => onChange({ [name]: value }),
  })
  const undeclared = namesIn([subject, template.html, template.text].join('\n')).filter(
    (name) => !RESERVED_KEYS.includes(name.split('.')[0]!) && !variables.some(({ key }) => key === name),
  )
  return (
    <form onSubmit={(event) => event.preventDefault()}>
      <div className="email-fields">
        <TextField label={texts.fields.subject} {...field('subject')} />
        <TextField label={texts.fields.from} {...field('from')} placeholder={texts.fields.fromPlaceholder} />
      </div>
      <MoreSettings>
        <div className="email-fields">
          <TextField label={texts.fields.name} {...field('name')} />
          <TextField label={texts.fields.alias} hint={texts.fields.aliasHint} {...field('alias')} />
          <TextField label={texts.fields.replyTo} {...field('reply_to')} />
        </div>
        <Variables
          variables={variables}
          undeclared={undeclared}
          samples={samples}
          onChange={(next) => onChange({ variables: next })}
          onSample={onSample}
        />
      </MoreSettings>
    </form>
  )
}
