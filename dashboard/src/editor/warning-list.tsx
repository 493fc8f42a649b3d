import { inBytes } from '../ui/bytes.ts'
import type { Warning } from './document-api.ts'
import { texts } from './texts.ts'

/** What readers of this email would notice. */
export function WarningList({ warnings, html }: { warnings: readonly Warning[]; html: string }) {
  const size = new TextEncoder().encode(html).length
  return (
    <section className="editor-warnings" aria-label={texts.warnings2}>
      {warnings.length === 0 && <p className="muted">{texts.noWarnings}</p>}
      <ul>
        {warnings.map(({ code, count, message }) => (
          <li key={code}>
            <strong>{TITLES[code]}</strong>
            {count > 1 && <span className="muted"> · {count}</span>}
            <p>{message}</p>
          </li>
        ))}
      </ul>
      <p className="muted">{texts.htmlSizeGmailClips(inBytes(size))}</p>
    </section>
  )
}

const TITLES: Readonly<Record<Warning['code'], string>> = {
  no_unsubscribe_link: texts.noUnsubscribeLink,
  clipped_by_gmail: texts.clippedByGmail,
  image_without_alt: texts.imageWithoutAlternativeText,
  image_without_source: texts.imageWithoutFile,
  empty_link: texts.emptyLink,
}
