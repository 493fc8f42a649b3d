import { useState } from 'react'
import { NewTeam } from '../features/team/new-team.tsx'
import { switchTeam } from '../switch-team.ts'
import { Icon } from '../ui/icons.tsx'
import { Menu } from '../ui/menu.tsx'
import { type Session, whoIs } from './session.ts'
import './team-switcher.css'

/** Which team the page shows, and the others of the person. Whoever has a key has one team. */
export function TeamSwitcher({ session }: { session: Session }) {
  const { user, team, teams } = session
  const [isMaking, setMaking] = useState(false)
  const name = team?.name ?? 'No team'
  if (!user)
    return (
      <span className="team" title={`Signed in ${whoIs(session)}`}>
        {name}
      </span>
    )
  return (
    <>
      <Menu
        label="Teams"
        trigger={
          <button type="button" className="team team-switcher" title={`Signed in ${whoIs(session)}`}>
            <span>{name}</span>
            <span className="hidden">, switch team</span>
            <Icon name="down" />
          </button>
        }
        items={[
          ...teams.map(({ id, name }) => ({
            label: name,
            isCurrent: id === team?.id,
            onChoose: () => void switchTeam(id),
          })),
          { label: 'New team…', onChoose: () => setMaking(true) },
        ]}
      />
      <NewTeam isOpen={isMaking} onClose={() => setMaking(false)} onMade={switchTeam} />
    </>
  )
}
