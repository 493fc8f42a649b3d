import { createContext, type ReactNode, useContext, useEffect } from 'react'
import { createPortal } from 'react-dom'
import { formatNumber } from './locale.ts'
import './page.css'
import { texts } from './texts.ts'

interface PageProps {
  readonly title: string
  /** When the title on the page is not the one of the window. */
  readonly heading?: ReactNode
  readonly note?: ReactNode
  readonly actions?: ReactNode
  readonly children: ReactNode
}

/** The frame of a page that is a tab: its name stands in the tab, its actions go beside the tabs. Null: the page has a head of its own. */
interface PageFrame {
  readonly actions: HTMLElement | null
}

const Frame = createContext<PageFrame | null>(null)

export const PageFrameProvider = Frame.Provider

export function Page({ title, heading = title, note, actions, children }: PageProps) {
  useEffect(() => {
    document.title = `${title} · Postwren`
  }, [title])
  const frame = useContext(Frame)
  if (frame)
    return (
      <>
        <h1 className="hidden">{heading}</h1>
        {actions && frame.actions && createPortal(actions, frame.actions)}
        {note && <p className="muted page-note">{note}</p>}
        {children}
      </>
    )
  return (
    <>
      <header className="page-head">
        <div>
          <h1>{heading}</h1>
          {note && <p className="muted">{note}</p>}
        </div>
        {actions && <div className="actions">{actions}</div>}
      </header>
      {children}
    </>
  )
}

/** Facts about one thing, name and value. */
export function Facts({ facts }: { facts: readonly (readonly [string, ReactNode])[] }) {
  return (
    <dl className="facts">
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}

export function Card({ title, actions, children }: { title?: string; actions?: ReactNode; children: ReactNode }) {
  return (
    <section className="card">
      {title && (
        <header>
          <h2>{title}</h2>
          {actions}
        </header>
      )}
      {children}
    </section>
  )
}

/** More than this is for an editor, not for a page: a browser needs seconds to lay out some megabytes. */
const MAX_SHOWN = 500_000

/** Text as it is, with its line ends. Of a very long one the beginning. */
export const Code = ({ text, label }: { text: string; label: string }) => (
  <>
    {text.length > MAX_SHOWN && (
      <p className="muted">{texts.code.cut(formatNumber(MAX_SHOWN), formatNumber(text.length))}</p>
    )}
    {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
    <section className="code" tabIndex={0} aria-label={label}>
      <pre>{text.slice(0, MAX_SHOWN)}</pre>
    </section>
  </>
)
