import { Link } from '@tanstack/react-router'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { Icon } from '../ui/icons.tsx'
import { PageFrameProvider } from '../ui/page.tsx'
import type { Location } from './navigation.ts'
import './page-frame.css'
import { texts } from './texts.ts'
import { WaitingApprovals } from './waiting-approvals.tsx'

interface PageFrameProps {
  readonly at: Location | undefined
  readonly children: ReactNode
}

/** Around every page: the tabs of its section with the page's actions beside them, or the way back to its list. */
export function PageFrame({ at, children }: PageFrameProps) {
  const [actions, setActions] = useState<HTMLElement | null>(null)
  const isTabbed = at?.isList === true && at.section.pages.length > 1
  return (
    <PageFrameProvider value={isTabbed ? { actions } : null}>
      {isTabbed && (
        <header className="page-frame">
          <PageTabs at={at} />
          <div className="actions" ref={setActions} />
        </header>
      )}
      {at?.isList === false && <BackToList at={at} />}
      {children}
    </PageFrameProvider>
  )
}

function PageTabs({ at: { section, page } }: { at: Location }) {
  const tabs = useRef<HTMLElement>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: another tab
  useEffect(() => {
    // On a telephone the tabs scroll sideways.
    tabs.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
  }, [page])
  return (
    <nav className="page-tabs" aria-label={section.label} ref={tabs}>
      {section.pages.map(({ to, label }) => (
        <Link key={to} to={to}>
          {label}
          {to === '/approvals' && <WaitingApprovals className="count" />}
        </Link>
      ))}
    </nav>
  )
}

const BackToList = ({ at: { page } }: { at: Location }) => (
  <nav className="back-to-list" aria-label={texts.shell.back}>
    <Link to={page.to}>
      <Icon name="fold" size={14} />
      {page.label}
    </Link>
  </nav>
)
