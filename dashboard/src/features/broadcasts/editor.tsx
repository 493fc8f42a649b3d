import { useState } from 'react'
import { withPreview } from '../../../../src/mail/preview.ts'
import { call } from '../../api.ts'
import { useAct } from '../../ui/act.ts'
import { Editable } from '../../ui/allowed.tsx'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { useChoices } from '../../ui/choices.ts'
import { useDraft } from '../../ui/draft.ts'
import { ChoiceField, CodeField, TextField } from '../../ui/field.tsx'
import { listOfText, textOfList } from '../../ui/list-text.ts'
import { Page } from '../../ui/page.tsx'
import type { FullBroadcast } from './api.ts'
import { Preview } from './preview.tsx'
import { usePreviewContact } from './preview-contact.ts'
import { SendDialog } from './send-dialog.tsx'

/** As its fields are shown: what is missing is an empty field. */
const fieldsOf = (broadcast: FullBroadcast) => ({
  name: broadcast.name,
  segment_id: broadcast.segment_id,
  topic_id: broadcast.topic_id ?? '',
  from: broadcast.from,
  reply_to: textOfList(broadcast.reply_to),
  subject: broadcast.subject,
  preview_text: broadcast.preview_text ?? '',
  html: broadcast.html ?? '',
  text: broadcast.text ?? '',
})

type Draft = ReturnType<typeof fieldsOf>

const changesOf = ({ name, segment_id, from, subject, ...optional }: Draft) => ({
  ...{ name, segment_id, from, subject },
  topic_id: optional.topic_id || null,
  reply_to: listOfText(optional.reply_to),
  preview_text: optional.preview_text || null,
  html: optional.html || null,
  text: optional.text || null,
})

export function BroadcastEditor({ broadcast }: { broadcast: FullBroadcast }) {
  const { draft, isChanged, change } = useDraft(fieldsOf(broadcast))
  const [isSending, setSending] = useState(false)
  const previewContact = usePreviewContact(draft.segment_id)
  const changes = changesOf(draft)
  const { html, preview_text } = changes
  const content = { ...changes, html: html && preview_text ? withPreview(html, preview_text) : html }
  const save = useAct({
    run: () => call('broadcasts.update', { id: broadcast.id, body: changes }),
    refresh: ['broadcasts'],
    done: 'Saved',
  })
  const askHow = async () => {
    if (isChanged) await save.mutateAsync()
    setSending(true)
  }
  return (
    <Page
      title={broadcast.name}
      heading={
        <>
          {broadcast.name} <Badge word="draft" />
        </>
      }
      actions={
        <>
          <Button needs="broadcasts.update" isBusy={save.isPending} disabled={!isChanged} onClick={() => save.mutate()}>
            Save
          </Button>
          <Button look="primary" icon="send" needs="broadcasts.send" onClick={() => askHow().catch(() => {})}>
            Review and send…
          </Button>
        </>
      }
    >
      <div className="columns even">
        <Editable needs="broadcasts.update">
          <Fields draft={draft} onChange={change} />
        </Editable>
        <Preview content={content} previewContact={previewContact} />
      </div>
      <SendDialog
        broadcast={broadcast}
        content={{ ...content, ...previewContact.read(content) }}
        isOpen={isSending}
        onClose={() => setSending(false)}
      />
    </Page>
  )
}

function Fields({ draft, onChange }: { draft: Draft; onChange: (part: Partial<Draft>) => void }) {
  const segments = useChoices('segments.list')
  const topics = useChoices('topics.list')
  const field = (name: keyof Draft) => ({
    value: draft[name],
    onChange: (value: string) => onChange({ [name]: value }),
  })
  return (
    <form className="form" onSubmit={(event) => event.preventDefault()}>
      <TextField label="Name" hint="Internal; not visible to recipients." {...field('name')} />
      <ChoiceField label="Segment" options={segments} {...field('segment_id')} />
      <ChoiceField label="Topic" none="No topic: all subscribed contacts" options={topics} {...field('topic_id')} />
      <TextField label="From" placeholder="Name <news@example.com>" {...field('from')} />
      <TextField label="Reply to" {...field('reply_to')} />
      <TextField label="Subject" {...field('subject')} />
      <TextField label="Preview text" hint="Shown next to the subject in the inbox." {...field('preview_text')} />
      <CodeField
        label="HTML"
        hint="{{{FIRST_NAME|there}}}, {{{contact.city}}} and {{{RESEND_UNSUBSCRIBE_URL}}} are replaced for each contact."
        {...field('html')}
      />
      <CodeField label="Text" hint="Leave empty to generate it from the HTML." rows={4} {...field('text')} />
    </form>
  )
}
