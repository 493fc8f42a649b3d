import { useQueryClient } from '@tanstack/react-query'
import { PeoplePage } from '../features/people/people-page.tsx'
import { switchTeam } from '../features/team/switch-team.ts'
import { useMay } from './may.ts'
import { useSession } from './session.ts'

export function PeopleHome() {
  const may = useMay()
  const queries = useQueryClient()
  const { data: session } = useSession()
  if (!session?.team) return null
  return (
    <PeoplePage
      may={may}
      me={session.user}
      team={session.team}
      onChangedMyself={() => queries.invalidateQueries({ queryKey: ['session'] })}
      onLeft={() => switchTeam(null)}
    />
  )
}
