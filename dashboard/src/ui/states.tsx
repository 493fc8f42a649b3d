import { Link, useRouterState } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { isNotFound, notFoundText, problemText } from '../problems.ts'
import { Button } from './button.tsx'
import { Icon, type IconName } from './icons.tsx'
import './states.css'
import { texts } from './texts.ts'

/** The shape of what is coming, after a moment: a quick answer should not flicker. */
export function Loading({ lines = 6 }: { lines?: number }) {
  return (
    <div className="loading" role="status" aria-label={texts.loading}>
      {Array.from({ length: lines }, (_, line) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: lines have no identity
        <span key={line} style={{ width: `${92 - ((line * 37) % 40)}%` }} />
      ))}
    </div>
  )
}

export function Empty({ icon, title, children }: { icon: IconName; title: string; children?: ReactNode }) {
  return (
    <div className="empty">
      <span className="empty-icon">
        <Icon name={icon} size={22} />
      </span>
      <h2>{title}</h2>
      {children && <div>{children}</div>}
    </div>
  )
}

/** Instead of what could not be read. What is not there has a way back to the list that it would be on. */
export function Failed({ error, onRetry }: { error: Error; onRetry?: () => void }) {
  if (isNotFound(error)) return <NotFound title={notFoundText(error)} />
  return (
    <div className="failed" role="alert">
      <p>{problemText(error)}</p>
      {onRetry && <Button onClick={onRetry}>{texts.tryAgain}</Button>}
    </div>
  )
}

function NotFound({ title }: { title: string }) {
  const list = useRouterState({ select: ({ location }) => location.pathname.replace(/\/[^/]*$/, '') })
  return (
    <Empty icon="search" title={title}>
      <p className="muted">{texts.notFound.note}</p>
      <Link className="button plain" to={list as '/emails'}>
        {texts.notFound.back}
      </Link>
    </Empty>
  )
}
