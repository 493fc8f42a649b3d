import { useDeferredValue } from 'react'
import { ChoiceField } from '../../ui/field.tsx'
import { HtmlFrame } from '../../ui/html-frame.tsx'
import { Code } from '../../ui/page.tsx'
import type { Letter, Reader } from './reader.ts'

/** The broadcast as one of its recipients gets it. */
export function Preview({ letter, reader }: { letter: Letter; reader: Reader }) {
  const { subject, html, text } = reader.read(useDeferredValue(letter))
  return (
    <div>
      <ChoiceField
        label="Preview as"
        value={reader.id}
        onChange={reader.choose}
        options={reader.others}
        {...(reader.others.length === 0 && { none: 'No contacts in the segment' })}
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
