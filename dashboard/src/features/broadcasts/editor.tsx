import { useState } from 'react'
import { api } from '../../api.ts'
import { useAct } from '../../ui/act.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { useChoices } from '../../ui/choices.ts'
import { Page } from '../../ui/page.tsx'
import type { Broadcast } from './api.ts'
import { ContactPreview } from './contact-preview.tsx'
import { SendDialog } from './send-dialog.tsx'

const FIELDS = [
  ['name', 'Name'],
  ['from', 'From'],
  ['subject', 'Subject'],
  ['preview_text', 'Preview text'],
] as const

export function BroadcastEditor({ broadcast }: { broadcast: Broadcast }) {
  const [draft, setDraft] = useState(broadcast)
  const [isSending, setSending] = useState(false)
  const segments = useChoices('/segments')
  const topics = useChoices('/topics')
  const isChanged = draft !== broadcast
  const save = useAct({
    run: () => {
      const { name, from, subject, preview_text, segment_id, topic_id, html } = draft
      return api.patch(`/broadcasts/${broadcast.id}`, { name, from, subject, preview_text, segment_id, topic_id, html })
    },
    refresh: ['broadcasts'],
    done: 'Saved',
  })
  const change = (part: Partial<Broadcast>) => setDraft({ ...draft, ...part })
  return (
    <Page
      title={broadcast.name ?? 'Broadcast'}
      heading={
        <>
          {broadcast.name ?? 'Broadcast'} <Badge word="draft" />
        </>
      }
      actions={
        <>
          <Button isBusy={save.isPending} disabled={!isChanged} onClick={() => save.mutate()}>
            Save
          </Button>
          <Button
            look="primary"
            icon="send"
            onClick={async () => {
              if (isChanged) await save.mutateAsync()
              setSending(true)
            }}
          >
            Send…
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
                onChange={(event) => change({ [field]: event.currentTarget.value })}
              />
            </div>
          ))}
          <div className="field">
            <label htmlFor="segment">To the segment</label>
            <select
              id="segment"
              value={draft.segment_id ?? ''}
              onChange={(event) => change({ segment_id: event.currentTarget.value })}
            >
              {draft.segment_id === null && <option value="">choose one</option>}
              {segments.map(({ value, label }) => (
                <option key={value} value={value}>
                  {label}
                </option>
              ))}
            </select>
          </div>
          <div className="field">
            <label htmlFor="topic">About the topic</label>
            <select
              id="topic"
              value={draft.topic_id ?? ''}
              onChange={(event) => change({ topic_id: event.currentTarget.value || null })}
            >
              <option value="">no topic: everybody who is subscribed at all</option>
              {topics.map(({ value, label }) => (
                <option key={value} value={value}>
                  {label}
                </option>
              ))}
            </select>
          </div>
          <div className="field">
            <label htmlFor="html">Html</label>
            <textarea
              id="html"
              className="mono"
              rows={18}
              spellCheck={false}
              value={draft.html ?? ''}
              onChange={(event) => change({ html: event.currentTarget.value })}
            />
          </div>
        </form>
        <ContactPreview broadcast={draft} />
      </div>
      <SendDialog broadcast={draft} isOpen={isSending} onClose={() => setSending(false)} />
    </Page>
  )
}
