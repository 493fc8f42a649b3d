import type { ReactNode } from 'react'
import { HtmlFrame } from '../ui/html-frame.tsx'
import { useOwnImages } from './own-images.ts'
import { texts } from './texts.ts'

/** The email as its reader sees it. */
export function PreviewPanel({ html, head, problem }: { html: string; head: ReactNode; problem: string | null }) {
  const shown = useOwnImages(html)
  return (
    <section className="editor-preview" aria-label={texts.panels.preview}>
      {head}
      {problem && (
        <p className="form-error" role="alert">
          {problem}
        </p>
      )}
      <HtmlFrame html={shown} title={texts.preview.label} />
    </section>
  )
}
