import { useDeferredValue } from 'react'
import { ChoiceField } from '../../ui/field.tsx'
import { HtmlFrame } from '../../ui/html-frame.tsx'
import { Code } from '../../ui/page.tsx'
import type { BroadcastContent, PreviewContact } from './preview-contact.ts'

/** The broadcast as one of its recipients gets it. */
export function Preview({ content, previewContact }: { content: BroadcastContent; previewContact: PreviewContact }) {
  const { subject, html, text } = previewContact.read(useDeferredValue(content))
  return (
    <div>
      <ChoiceField
        label="Preview as"
        value={previewContact.id}
        onChange={previewContact.choose}
        options={previewContact.others}
        {...(previewContact.others.length === 0 && { none: 'No contacts in the segment' })}
      />
      <p className="preview-subject">{subject || <span className="muted">(no subject)</span>}</p>
      {html === null ? (
        <Code text={text ?? ''} label="Text of the broadcast" />
      ) : (
        <HtmlFrame html={html} title="Preview of the broadcast" />
      )}
    </div>
  )
}
