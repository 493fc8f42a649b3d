import { type ReactNode, useEffect } from 'react'

interface PageProps {
  readonly title: string
  /** When the title on the page is not the one of the window. */
  readonly heading?: ReactNode
  readonly note?: ReactNode
  readonly actions?: ReactNode
  readonly children: ReactNode
}

export function Page({ title, heading = title, note, actions, children }: PageProps) {
  useEffect(() => {
    document.title = `${title} · Postwren`
  }, [title])
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

/** Text as it is, with its line ends. */
export const Code = ({ text, label }: { text: string; label: string }) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
  <section className="code" tabIndex={0} aria-label={label}>
    <pre>{text}</pre>
  </section>
)
