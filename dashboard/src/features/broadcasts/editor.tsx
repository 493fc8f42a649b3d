import { useMemo, useRef, useState } from 'react'
import { withPreview } from '../../../../src/mail/preview.ts'
import { call } from '../../api.ts'
import type { EditorHandle } from '../../editor/email-editor.tsx'
import { EmailPage, MoreSettings, SaveStatus } from '../../editor/email-page.tsx'
import { LazyEditor } from '../../editor/lazy-editor.tsx'
import { offeredVariables } from '../../editor/offered-variables.ts'
import { PreviewHead, usePreviewContact } from '../../editor/preview-contact.tsx'
import { useEditorState, useSavedFields } from '../../editor/use-saved-fields.ts'
import { useCall } from '../../queries.ts'
import { Editable, useIsAllowed } from '../../ui/allowed.tsx'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { useChoices } from '../../ui/choices.ts'
import { ChoiceField, TextField } from '../../ui/field.tsx'
import { listOfText, textOfList } from '../../ui/list-text.ts'
import type { FullBroadcast } from './api.ts'
import { SendDialog } from './send-dialog.tsx'
import { texts } from './texts.ts'

/** As its fields are shown: what is missing is an empty field. The content is the editor's. */
const fieldsOf = (broadcast: FullBroadcast) => ({
  name: broadcast.name,
  segment_id: broadcast.segment_id,
  topic_id: broadcast.topic_id ?? '',
  from: broadcast.from,
  reply_to: textOfList(broadcast.reply_to),
  subject: broadcast.subject,
  preview_text: broadcast.preview_text ?? '',
})

type Draft = ReturnType<typeof fieldsOf>

const changesOf = ({ topic_id, reply_to, preview_text, ...plain }: Partial<Draft>) => ({
  ...plain,
  ...(topic_id !== undefined && { topic_id: topic_id || null }),
  ...(reply_to !== undefined && { reply_to: listOfText(reply_to) }),
  ...(preview_text !== undefined && { preview_text: preview_text || null }),
})

export function BroadcastEditor({ broadcast }: { broadcast: FullBroadcast }) {
  const { id } = broadcast
  const handle = useRef<EditorHandle>(null)
  const editor = useEditorState()
  const [isSending, setSending] = useState(false)
  const isEditable = useIsAllowed('broadcasts.update')
  const { fields, change, autosave } = useSavedFields(fieldsOf(broadcast), (changed) =>
    call('broadcasts.update', { id, body: changesOf(changed) }),
  )
  const contact = usePreviewContact(fields.segment_id)
  const properties = useCall('contact-properties.list', { limit: 100 }).data?.data
  const variables = useMemo(() => offeredVariables({ properties }), [properties])
  const resource = useMemo(() => ({ resource_type: 'broadcast', resource_id: id }) as const, [id])
  const complete = (html: string) => (fields.preview_text ? withPreview(html, fields.preview_text) : html)
  const review = async () => {
    await Promise.all([autosave.flush(), handle.current?.flush()])
    setSending(true)
  }
  const html = broadcast.html === null ? null : complete(broadcast.html)
  const content = { subject: broadcast.subject, html, text: broadcast.text }
  return (
    <EmailPage
      title={fields.name}
      heading={
        <>
          {broadcast.name} <Badge word={broadcast.status} />
        </>
      }
      actions={
        <>
          <SaveStatus states={[editor.state, autosave.state]} problem={editor.problem ?? autosave.problem} />
          <Button look="primary" icon="send" needs="broadcasts.send" onClick={() => review().catch(() => {})}>
            {texts.reviewAndSend}
          </Button>
        </>
      }
    >
      <Editable needs="broadcasts.update">
        <Fields fields={fields} onChange={change} />
      </Editable>
      <LazyEditor
        resource={resource}
        html={broadcast.html ?? ''}
        saveHtml={(written) => call('broadcasts.update', { id, body: { html: written || null } })}
        isEditable={isEditable}
        variables={variables}
        fill={(written) => contact.read({ subject: '', html: complete(written), text: null }).html ?? ''}
        previewHead={
          <PreviewHead
            contact={contact}
            subject={contact.read({ subject: fields.subject, html: null, text: null }).subject}
          />
        }
        handle={handle}
        onSaveState={editor.onSaveState}
      />
      <SendDialog
        broadcast={broadcast}
        email={{ ...{ from: broadcast.from, reply_to: broadcast.reply_to }, ...contact.read(content) }}
        isOpen={isSending}
        onClose={() => setSending(false)}
      />
    </EmailPage>
  )
}

function Fields({ fields, onChange }: { fields: Draft; onChange: (part: Partial<Draft>) => void }) {
  const segments = useChoices('segments.list')
  const topics = useChoices('topics.list')
  const field = (name: keyof Draft) => ({
    value: fields[name],
    onChange: (value: string) => onChange({ [name]: value }),
  })
  return (
    <form onSubmit={(event) => event.preventDefault()}>
      <div className="email-fields">
        <TextField label={texts.fields.subject} {...field('subject')} />
        <TextField
          label={texts.fields.previewText.label}
          hint={texts.fields.previewText.hint}
          {...field('preview_text')}
        />
        <ChoiceField label={texts.fields.segment} options={segments} {...field('segment_id')} />
        <TextField label={texts.fields.from.label} placeholder={texts.fields.from.placeholder} {...field('from')} />
      </div>
      <MoreSettings>
        <div className="email-fields">
          <TextField label={texts.fields.name.label} hint={texts.fields.name.hint} {...field('name')} />
          <ChoiceField
            label={texts.fields.topic.label}
            none={texts.fields.topic.none}
            options={topics}
            {...field('topic_id')}
          />
          <TextField label={texts.fields.replyTo} {...field('reply_to')} />
        </div>
      </MoreSettings>
    </form>
  )
}
