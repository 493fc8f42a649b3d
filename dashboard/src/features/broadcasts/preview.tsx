import { type EmailContent, type PreviewContact, PreviewHead } from '../../editor/preview-contact.tsx'
import { HtmlFrame } from '../../ui/html-frame.tsx'
import { Code } from '../../ui/page.tsx'
import { texts } from './texts.ts'

/** The broadcast as one of its recipients got it. */
export function Preview({ content, previewContact }: { content: EmailContent; previewContact: PreviewContact }) {
  const { subject, html, text } = previewContact.read(content)
  return (
    <div>
      <PreviewHead contact={previewContact} subject={subject} />
      {html === null ? (
        <Code text={text ?? ''} label={texts.preview.text} />
      ) : (
        <HtmlFrame html={html} title={texts.preview.html} />
      )}
    </div>
  )
}
