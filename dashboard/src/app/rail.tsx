import { useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { lazy, Suspense } from 'react'
import { useUnread } from '../features/inboxes/unread.ts'
import { useCall } from '../queries.ts'
import { IconButton } from '../ui/button.tsx'
import { clearDrafts } from '../ui/draft-storage.ts'
import { Icon } from '../ui/icons.tsx'
import { formatNumber } from '../ui/locale.ts'
import { CommandButton } from './commands.tsx'
import { Logo } from './logo.tsx'
import type { NavigationSection } from './navigation.ts'
import { type Session, signOut, whoIs } from './session.ts'
import { isDark, useTheme } from './theme.ts'
import './rail.css'
import { texts } from './texts.ts'
import { WaitingApprovals } from './waiting-approvals.tsx'

/** Its menu is fetched after the page. */
const TeamSwitcher = lazy(() => import('./team-switcher.tsx').then((module) => ({ default: module.TeamSwitcher })))

interface RailProps {
  readonly session: Session
  readonly sections: readonly NavigationSection[]
  readonly current: NavigationSection | undefined
}

/** The sections, and who is signed in: beside the page, or in a sheet above it on a telephone. */
export const Rail = ({ session, sections, current }: RailProps) => (
  <>
    <div className="rail-head">
      <Link to="/emails" className="logo-link" aria-label={texts.rail.home}>
        <Logo />
      </Link>
      <SandboxChip session={session} />
    </div>
    <CommandButton />
    <nav aria-label={texts.rail.label}>
      <ul>
        {sections.map((section) => {
          const { label, icon, pages } = section
          return (
            <li key={label}>
              <Link to={pages[0]!.to} title={label} {...(section === current && { 'aria-current': 'page' })}>
                <Icon name={icon} size={17} />
                <span>{label}</span>
                {pages[0]!.to === '/inboxes' && <UnreadMail />}
                {pages.some(({ to }) => to === '/approvals') && <WaitingApprovals className="rail-count" />}
              </Link>
            </li>
          )
        })}
      </ul>
    </nav>
    <Foot session={session} />
  </>
)

/** In all inboxes: whoever works elsewhere sees that mail has come. */
function UnreadMail() {
  const { data } = useCall('inboxes.list', { limit: 100 })
  const unreadOf = useUnread()
  const count = (data?.data ?? []).reduce((sum, { id, unread }) => sum + unreadOf(id, unread), 0)
  return (
    count > 0 && (
      <span className="rail-count">
        <span aria-hidden="true">{formatNumber(count)}</span>
        <span className="hidden">{texts.rail.unread(count)}</span>
      </span>
    )
  )
}

export const SandboxChip = ({ session }: Pick<RailProps, 'session'>) =>
  session.installation.delivery === 'inbox' && (
    <span className="sandbox-chip" title={texts.rail.sandboxNote}>
      <Icon name="flask" size={13} />
      <span>{texts.rail.sandbox}</span>
      <span className="hidden">{texts.rail.sandboxNote}</span>
    </span>
  )

const TeamName = ({ session }: Pick<RailProps, 'session'>) => (
  <span className="team" title={texts.rail.signedIn(whoIs(session))}>
    {session.team?.name ?? texts.rail.noTeam}
  </span>
)

function Foot({ session }: Pick<RailProps, 'session'>) {
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
      {session.user ? (
        <Suspense fallback={<TeamName session={session} />}>
          <TeamSwitcher session={session} />
        </Suspense>
      ) : (
        <TeamName session={session} />
      )}
      <IconButton
        icon={dark ? 'sun' : 'moon'}
        label={dark ? texts.rail.lightTheme : texts.rail.darkTheme}
        onClick={() => setTheme(dark ? 'light' : 'dark')}
      />
      <IconButton icon="leave" label={texts.rail.signOut} onClick={leave} />
    </footer>
  )
}
