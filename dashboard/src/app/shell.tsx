import { useQueryClient } from '@tanstack/react-query'
import { Link, Outlet, useRouterState } from '@tanstack/react-router'
import { useEffect, useRef, useState } from 'react'
import { useUnread } from '../features/inboxes/unread.ts'
import { InvitationDialog } from '../features/team/invitation-dialog.tsx'
import { TeamBanner } from '../features/team/team-banner.tsx'
import { useCall } from '../queries.ts'
import { AllowedProvider } from '../ui/allowed.tsx'
import { IconButton } from '../ui/button.tsx'
import { clearDrafts, setDraftTeam } from '../ui/draft-storage.ts'
import { Icon } from '../ui/icons.tsx'
import { Failed } from '../ui/states.tsx'
import { useKeys } from './keys.ts'
import { useLink } from './link.ts'
import { LinkPage } from './link-page.tsx'
import { useLive } from './live.ts'
import { Logo } from './logo.tsx'
import { NAVIGATION, type NavigationItem } from './navigation.ts'
import { NoTeam } from './no-team.tsx'
import { storePendingAuthorization, takePendingAuthorization } from './pending-authorization.ts'
import { usePermissions } from './permissions.ts'
import { type Session, signOut, useSession } from './session.ts'
import { SignIn } from './sign-in.tsx'
import { TeamSwitcher } from './team-switcher.tsx'
import { isDark, useTheme } from './theme.ts'
import './shell.css'

/** Whoever is not signed in sees the sign-in page; everybody else the page that the address names. */
export function Shell() {
  const session = useSession()
  const link = useLink()
  if (link) return <LinkPage link={link} />
  if (session.isPending) return null
  if (session.isError) return <Failed error={session.error} onRetry={() => session.refetch()} />
  return session.data ? <Inside session={session.data} /> : <Outside />
}

const useIsAsked = () => useRouterState({ select: ({ location }) => location.pathname.endsWith('/authorize') })

function Outside() {
  const isAsked = useIsAsked()
  useEffect(() => {
    if (isAsked) storePendingAuthorization(location.search)
  }, [isAsked])
  return <SignIn />
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

function SignedIn({ session }: { session: Session }) {
  setDraftTeam(session.team?.name ?? '')
  useLive()
  useKeys()
  const [isMenuOpen, setMenuOpen] = useState(false)
  const path = useRouterState({ select: ({ location }) => location.pathname })
  const main = useRef<HTMLElement>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: another page
  useEffect(() => {
    setMenuOpen(false)
    main.current?.scrollTo(0, 0)
  }, [path])
  return (
    <div className="shell">
      <a className="skip" href="#main">
        Skip to content
      </a>
      <header className="top">
        <Logo />
        <IconButton
          icon={isMenuOpen ? 'close' : 'menu'}
          label="Menu"
          aria-expanded={isMenuOpen}
          onClick={() => setMenuOpen(!isMenuOpen)}
        />
      </header>
      <aside className={isMenuOpen ? 'side open' : 'side'}>
        <Link to="/emails" className="logo-link" aria-label="Postwren, emails">
          <Logo />
        </Link>
        <Navigation installation={session.installation} />
        <Foot session={session} />
      </aside>
      <main id="main" ref={main} tabIndex={-1}>
        {session.installation.is_held && (
          <p className="mode">
            <Icon name="block" /> Delivery on hold: emails and webhooks stay queued until Postwren is started with
            POSTWREN_HOLD=off.
          </p>
        )}
        {session.installation.delivery === 'inbox' && (
          <p className="mode chip-mode" title="No email leaves this machine">
            <Icon name="inbox" /> Sandbox<span className="hidden">: no email leaves this machine</span>
          </p>
        )}
        <AllowedProvider value={usePermissions()}>
          <TeamBanner />
          {session.team || WITHOUT_TEAM.test(path) ? <Outlet /> : <NoTeam />}
        </AllowedProvider>
      </main>
      {session.user && <InvitationDialog email={session.user.email} />}
    </div>
  )
}

function Navigation({ installation }: Pick<Session, 'installation'>) {
  const may = usePermissions()
  const isShown = ({ needs, isIn }: NavigationItem) =>
    (needs === undefined || may(needs)) && (isIn === undefined || isIn(installation))
  const groups = NAVIGATION.map(([group, items]) => [group, items.filter(isShown)] as const)
  return (
    <nav aria-label="Pages">
      {groups
        .filter(([, items]) => items.length > 0)
        .map(([group, items]) => (
          <section key={group} aria-label={group}>
            <h2>{group}</h2>
            <ul>
              {items.map(({ to, label, icon }) => (
                <li key={to}>
                  <Link to={to} activeProps={{ 'aria-current': 'page' }}>
                    <Icon name={icon} />
                    {label}
                    {to === '/inboxes' && <UnreadMail />}
                  </Link>
                </li>
              ))}
            </ul>
          </section>
        ))}
    </nav>
  )
}

/** In all inboxes: whoever works elsewhere sees that mail has come. */
function UnreadMail() {
  const { data } = useCall('inboxes.list', { limit: 100 })
  const unreadOf = useUnread()
  const count = (data?.data ?? []).reduce((sum, { id, unread }) => sum + unreadOf(id, unread), 0)
  return (
    count > 0 && (
      <span className="unread-mail">
        {count.toLocaleString('en')}
        <span className="hidden"> unread</span>
      </span>
    )
  )
}

function Foot({ session }: { session: Session }) {
  const queries = useQueryClient()
  const { theme, setTheme } = useTheme()
  const dark = isDark(theme)
  const leave = async () => {
    await signOut().catch(() => {})
    clearDrafts()
    queries.clear()
    await queries.resetQueries()
    location.reload()
  }
  return (
    <footer>
      <TeamSwitcher session={session} />
      <IconButton
        icon={dark ? 'sun' : 'moon'}
        label={dark ? 'Light theme' : 'Dark theme'}
        onClick={() => setTheme(dark ? 'light' : 'dark')}
      />
      <IconButton icon="leave" label="Sign out" onClick={leave} />
    </footer>
  )
}
