import { inBytes } from '../ui/bytes.ts'
import type { Warning } from './document-api.ts'
import { texts } from './texts.ts'

/** What readers of this email would notice. */
export function WarningList({ warnings, html }: { warnings: readonly Warning[]; html: string }) {
  const size = new TextEncoder().encode(html).length
  return (
    <section className="editor-warnings" aria-label={texts.panels.warnings}>
      {warnings.length === 0 && <p className="muted">{texts.warnings.none}</p>}
      <ul>
        {warnings.map(({ code, count, message }) => (
          <li key={code}>
            <strong>{TITLES[code]}</strong>
            {count > 1 && <span className="muted"> · {count}</span>}
            <p>{message}</p>
          </li>
        ))}
      </ul>
      <p className="muted">{texts.warnings.size(inBytes(size))}</p>
    </section>
  )
}

const TITLES: Readonly<Record<Warning['code'], string>> = {
  no_unsubscribe_link: texts.warnings.titles.noUnsubscribeLink,
  clipped_by_gmail: texts.warnings.titles.clipped,
  image_without_alt: texts.warnings.titles.noAlternativeText,
  image_without_source: texts.warnings.titles.noFile,
  empty_link: texts.warnings.titles.emptyLink,
}
