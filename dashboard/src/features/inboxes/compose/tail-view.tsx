import { useState } from 'react'
import { Button } from '../../../ui/button.tsx'
import { HtmlFrame } from '../../../ui/html-frame.tsx'
import { texts } from '../texts.ts'
import type { Content } from './draft-content.ts'
import { cleanMarkup } from './rich-text.ts'
import type { Tail } from './tail.ts'

interface TailViewProps {
  readonly tail: Tail
  readonly own: string
  readonly onChange: (part: Partial<Content>) => void
}

/** What goes out below the text as it is: html with more in it than this editor knows, which is looked at in a frame of its own. */
export function TailView({ tail, own, onChange }: TailViewProps) {
  const [isShown, setShown] = useState(false)
  return (
    <div className="draft-tail">
      <div className="actions">
        <Button look="quiet" icon="more" aria-expanded={isShown} onClick={() => setShown(!isShown)}>
          {isShown ? texts.quoted.hide : texts.quoted.show}
        </Button>
        {isShown && (
          <>
            <Button look="quiet" onClick={() => onChange({ tail: null })}>
              {texts.quoted.remove}
            </Button>
            <Button look="quiet" onClick={() => onChange({ html: own + cleanMarkup(tail.html), tail: null })}>
              {texts.quoted.edit}
            </Button>
          </>
        )}
      </div>
      {isShown && <HtmlFrame html={tail.html} title={texts.quoted.title} isFitted />}
    </div>
  )
}
