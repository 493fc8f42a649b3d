import { useQueryClient } from '@tanstack/react-query'
import { call } from '../../api.ts'
import { useCall } from '../../queries.ts'
import { useAct } from '../../ui/act.ts'
import { useAllowed } from '../../ui/allowed.tsx'
import { Button } from '../../ui/button.tsx'
import { Icon } from '../../ui/icons.tsx'
import { rich } from '../../ui/rich.tsx'
import { Time } from '../../ui/time.tsx'
import './team-banner.css'
import { texts } from './texts.ts'

/** Above every page of a team that can do nothing for now: why, and how that ends. */
export function TeamBanner() {
  const isAllowed = useAllowed()
  const queries = useQueryClient()
  const { data: team } = useCall('team.get', {}, { enabled: isAllowed('team.get') })
  const restore = useAct({
    run: () => call('team.restore', {}),
    refresh: ['team', 'teams'],
    done: texts.banner.restored,
  })
  if (!team || (team.delete_at === null && team.suspended_at === null)) return null
  return (
    <div className="team-banner" role="status">
      <Icon name="block" />
      {team.delete_at === null ? (
        <p>{team.suspended_reason ? texts.banner.suspendedFor(team.suspended_reason) : texts.banner.suspended}</p>
      ) : (
        <p>{rich(texts.banner.deletion, { when: <Time at={team.delete_at} /> })}</p>
      )}
      {team.delete_at !== null && (
        <Button
          needs="team.restore"
          isBusy={restore.isPending}
          onClick={() => restore.mutate(undefined, { onSuccess: () => queries.invalidateQueries() })}
        >
          {texts.banner.restore}
        </Button>
      )}
    </div>
  )
}
