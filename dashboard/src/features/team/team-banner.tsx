import { useQueryClient } from '@tanstack/react-query'
import { call } from '../../api.ts'
import { useCall } from '../../queries.ts'
import { useAct } from '../../ui/act.ts'
import { useAllowed } from '../../ui/allowed.tsx'
import { Button } from '../../ui/button.tsx'
import { Icon } from '../../ui/icons.tsx'
import { Time } from '../../ui/time.tsx'
import './team-banner.css'

/** Above every page of a team that can do nothing for now: why, and how that ends. */
export function TeamBanner() {
  const isAllowed = useAllowed()
  const queries = useQueryClient()
  const { data: team } = useCall('team.get', {}, { enabled: isAllowed('team.get') })
  const restore = useAct({
    run: () => call('team.restore', {}),
    refresh: ['team', 'teams'],
    done: 'Team restored',
  })
  if (!team || (team.delete_at === null && team.suspended_at === null)) return null
  return (
    <div className="team-banner" role="status">
      <Icon name="block" />
      {team.delete_at === null ? (
        <p>
          This team is suspended: its API keys are disabled, its emails stay queued, and your access is read-only.
          {team.suspended_reason && ` Reason: ${team.suspended_reason}`}
        </p>
      ) : (
        <p>
          This team will be deleted with everything in it <Time at={team.delete_at} />. Its API keys are disabled and
          its emails stay queued.
        </p>
      )}
      {team.delete_at !== null && (
        <Button
          needs="team.restore"
          isBusy={restore.isPending}
          onClick={() => restore.mutate(undefined, { onSuccess: () => queries.invalidateQueries() })}
        >
          Restore team
        </Button>
      )}
    </div>
  )
}
