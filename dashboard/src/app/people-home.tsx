import { useQueryClient } from '@tanstack/react-query'
import { PeoplePage } from '../features/people/people-page.tsx'
import { switchTeam } from '../switch-team.ts'
import { useSession } from './session.ts'

export function PeopleHome() {
  const queries = useQueryClient()
  const { data: session } = useSession()
  if (!session?.team) return null
  return (
    <PeoplePage
      me={session.user}
      team={session.team}
      isMailKept={session.installation.delivery === 'inbox'}
      onChangedMyself={() => queries.invalidateQueries({ queryKey: ['session'] })}
      onLeft={() => switchTeam(null)}
    />
  )
}
