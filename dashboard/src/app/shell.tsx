import { Outlet, useRouterState } from '@tanstack/react-router'
import { lazy, Suspense, useEffect, useRef, useState } from 'react'
import { TeamBanner } from '../features/team/team-banner.tsx'
import { useInvitationToken } from '../invitation.ts'
import { AllowedProvider } from '../ui/allowed.tsx'
import { IconButton } from '../ui/button.tsx'
import { setDraftTeam } from '../ui/draft-storage.ts'
import { Icon } from '../ui/icons.tsx'
import { Failed } from '../ui/states.tsx'
import { CommandButton, Commands } from './commands.tsx'
import { ConnectionBanner } from './connection-banner.tsx'
import { useKeys } from './keys.ts'
import { useLink } from './link.ts'
import { useLive } from './live.ts'
import { Logo } from './logo.tsx'
import { locate, navigationFor } from './navigation.ts'
import { NoTeam } from './no-team.tsx'
import { PageFrame } from './page-frame.tsx'
import { storePendingAuthorization, takePendingAuthorization } from './pending-authorization.ts'
import { usePermissions } from './permissions.ts'
import { Rail, SandboxChip } from './rail.tsx'
import { useScrollPosition } from './scroll-position.ts'
import { type Session, useSession } from './session.ts'
import './shell.css'
import { texts } from './texts.ts'

// Fetched when they are needed: most people are signed in, and look at a page.
const SignIn = lazy(() => import('./sign-in.tsx').then((module) => ({ default: module.SignIn })))
const LinkPage = lazy(() => import('./link-page.tsx').then((module) => ({ default: module.LinkPage })))
const Sheet = lazy(() => import('../ui/sheet.tsx').then((module) => ({ default: module.Sheet })))
const InvitationDialog = lazy(() =>
  import('../features/team/invitation-dialog.tsx').then((module) => ({ default: module.InvitationDialog })),
)

/** Whoever is not signed in sees the sign-in page; everybody else the page that the address names. */
export function Shell() {
  const session = useSession()
  const link = useLink()
  if (link)
    return (
      <Suspense>
        <LinkPage link={link} />
      </Suspense>
    )
  if (session.isPending) return null
  if (session.isError && session.data === undefined)
    return <Failed error={session.error} onRetry={() => session.refetch()} />
  return session.data ? <Inside session={session.data} /> : <Outside />
}

const useIsAsked = () => useRouterState({ select: ({ location }) => location.pathname.endsWith('/authorize') })

function Outside() {
  const isAsked = useIsAsked()
  useEffect(() => {
    if (isAsked) storePendingAuthorization(location.search)
  }, [isAsked])
  return (
    <Suspense>
      <SignIn />
    </Suspense>
  )
}

/** A program that asks is answered on a page with nothing else on it. */
function Inside({ session }: { session: Session }) {
  const isAsked = useIsAsked()
  useEffect(() => {
    const search = takePendingAuthorization()
    if (search !== null && !isAsked) location.replace(`/dashboard/authorize${search}`)
  }, [isAsked])
  if (!isAsked) return <SignedIn session={session} />
  return (
    <main className="sign-in">
      <Outlet />
    </main>
  )
}

/** Pages that are about no team. */
const WITHOUT_TEAM = /^(\/dashboard)?\/(account|operator|authorize)/

/** The mail client has panes of its own, and needs the width. */
const MAIL_CLIENT = /^(\/dashboard)?\/inboxes\/[^/]+\/?$/

function SignedIn({ session }: { session: Session }) {
  setDraftTeam(session.team?.name ?? '')
  useLive()
  useKeys()
  const invitation = useInvitationToken()
  const [isMenuOpen, setMenuOpen] = useState(false)
  const path = useRouterState({ select: ({ location }) => location.pathname })
  const main = useRef<HTMLElement>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: another page
  useEffect(() => {
    setMenuOpen(false)
  }, [path])
  useScrollPosition(main)
  const may = usePermissions()
  const sections = navigationFor(may, session.installation)
  const at = locate(sections, path)
  const isMailClient = MAIL_CLIENT.test(path)
  const rail = <Rail session={session} sections={sections} current={at?.section} />
  return (
    <div className={isMailClient ? 'shell wide-page' : 'shell'}>
      <a className="skip" href="#main">
        {texts.shell.skipToContent}
      </a>
      <header className="top">
        <IconButton icon="menu" label={texts.shell.menu} aria-expanded={isMenuOpen} onClick={() => setMenuOpen(true)} />
        <Logo />
        <SandboxChip session={session} />
        <CommandButton />
      </header>
      <aside className="side">{rail}</aside>
      {isMenuOpen && (
        <Suspense>
          <Sheet title={texts.shell.menu} isOpen onClose={() => setMenuOpen(false)}>
            {/* Whoever follows a link to the page that is open wants to see it. */}
            {/* biome-ignore lint/a11y: the links are what is pressed */}
            <div
              className="sheet-rail"
              onClick={({ target }) => (target as Element).closest('a') && setMenuOpen(false)}
            >
              {rail}
            </div>
          </Sheet>
        </Suspense>
      )}
      <main id="main" ref={main} tabIndex={-1}>
        <ConnectionBanner />
        {session.installation.is_held && (
          <p className="held">
            <Icon name="block" /> {texts.shell.deliveryHeld}
          </p>
        )}
        <AllowedProvider value={may}>
          <TeamBanner />
          <PageFrame at={isMailClient ? undefined : at}>
            {session.team || WITHOUT_TEAM.test(path) ? <Outlet /> : <NoTeam />}
          </PageFrame>
        </AllowedProvider>
      </main>
      <Commands session={session} sections={sections} />
      {session.user && invitation !== null && (
        <Suspense>
          <InvitationDialog email={session.user.email} />
        </Suspense>
      )}
    </div>
  )
}
