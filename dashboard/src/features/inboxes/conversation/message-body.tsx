import { useMemo, useState } from 'react'
import { Button } from '../../../ui/button.tsx'
import { HtmlFrame } from '../../../ui/html-frame.tsx'
import type { Email } from '../compose/answer.ts'
import { texts } from '../texts.ts'
import { withoutQuote } from './fold-html.ts'
import { foldText } from './fold-text.ts'

/** More than this is for an editor, not for a page. */
const MAX_SHOWN = 500_000

interface MessageBodyProps {
  readonly email: Pick<Email, 'id' | 'html' | 'text'>
  /** Whether what it quotes is folded. */
  readonly isFolding?: boolean
}

/** What an email says: its html in the frame for untrusted html, or its text. */
export function MessageBody({ email: { id, html, text }, isFolding = true }: MessageBodyProps) {
  if (html !== null) return <HtmlBody key={id} html={html} isFolding={isFolding} />
  if (text?.trim()) return <TextBody text={text.slice(0, MAX_SHOWN)} isFolding={isFolding} />
  return <p className="muted">{texts.message.noContent}</p>
}

function HtmlBody({ html, isFolding }: { html: string; isFolding: boolean }) {
  const [isWhole, setWhole] = useState(!isFolding)
  const short = useMemo(() => (isFolding ? withoutQuote(html) : null), [html, isFolding])
  return (
    <>
      <HtmlFrame html={isWhole || short === null ? html : short} title={texts.message.content} isFitted />
      {short !== null && <Fold isWhole={isWhole} onChange={setWhole} />}
    </>
  )
}

function TextBody({ text, isFolding }: { text: string; isFolding: boolean }) {
  const [isWhole, setWhole] = useState(!isFolding)
  const { shown, folded } = useMemo(() => foldText(text), [text])
  return (
    <>
      <p className="message-text">{isWhole ? text : shown}</p>
      {isFolding && folded !== '' && <Fold isWhole={isWhole} onChange={setWhole} />}
    </>
  )
}

const Fold = ({ isWhole, onChange }: { isWhole: boolean; onChange: (isWhole: boolean) => void }) => (
  <Button look="quiet" icon="more" className="fold" aria-expanded={isWhole} onClick={() => onChange(!isWhole)}>
    {isWhole ? texts.message.hideQuoted : texts.message.showQuoted}
  </Button>
)
