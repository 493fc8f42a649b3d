import { lazy, Suspense, useState } from 'react'
import { switchTeam } from '../switch-team.ts'
import { Icon } from '../ui/icons.tsx'
import { Menu } from '../ui/menu.tsx'
import { type Session, whoIs } from './session.ts'
import './team-switcher.css'
import { texts } from './texts.ts'

const NewTeam = lazy(() => import('../features/team/new-team.tsx').then((module) => ({ default: module.NewTeam })))

/** Which team the page shows, and the others of the person. */
export function TeamSwitcher({ session }: { session: Session }) {
  const { team, teams } = session
  const [isMaking, setMaking] = useState(false)
  const name = team?.name ?? texts.rail.noTeam
  return (
    <>
      <Menu
        label={texts.teamSwitcher.label}
        trigger={
          <button
            type="button"
            className="team team-switcher"
            title={texts.rail.signedIn(whoIs(session))}
            aria-label={texts.teamSwitcher.switchFrom(name)}
          >
            <span>{name}</span>
            <Icon name="down" />
          </button>
        }
        items={[
          ...teams.map(({ id, name }) => ({
            label: name,
            isCurrent: id === team?.id,
            onChoose: () => void switchTeam(id),
          })),
          { label: texts.teamSwitcher.newTeam, onChoose: () => setMaking(true) },
        ]}
      />
      {isMaking && (
        <Suspense>
          <NewTeam isOpen onClose={() => setMaking(false)} onMade={switchTeam} />
        </Suspense>
      )}
    </>
  )
}
