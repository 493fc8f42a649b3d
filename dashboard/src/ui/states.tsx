import type { ReactNode } from 'react'
import { Button } from './button.tsx'
import { Icon, type IconName } from './icons.tsx'
import './states.css'

/** The shape of what is coming, after a moment: a quick answer should not flicker. */
export function Loading({ lines = 6 }: { lines?: number }) {
  return (
    <div className="loading" role="status" aria-label="Loading">
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

export function Failed({ error, onRetry }: { error: Error; onRetry?: () => void }) {
  return (
    <div className="failed" role="alert">
      <p>{error.message}</p>
      {onRetry && <Button onClick={onRetry}>Try again</Button>}
    </div>
  )
}
