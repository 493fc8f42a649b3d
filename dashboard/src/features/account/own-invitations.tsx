import { call } from '../../api.ts'
import { useCall } from '../../queries.ts'
import { switchTeam } from '../../switch-team.ts'
import { useAct } from '../../ui/act.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Rows } from '../../ui/cursor-list.tsx'
import { Card } from '../../ui/page.tsx'
import { Failed } from '../../ui/states.tsx'
import { Time } from '../../ui/time.tsx'
import { texts } from './texts.ts'

/** The teams that have asked whoever is signed in to join. They have proven who they are, and need no mail. */
export function OwnInvitations() {
  const invitations = useCall('account.invitations.list', {})
  const join = useAct({ run: (id: string) => call('invitations.accept', { body: { invitation_id: id } }), refresh: [] })
  if (invitations.isError) return <Failed error={invitations.error} />
  const items = invitations.data?.data ?? []
  if (items.length === 0) return null
  return (
    <Card title={texts.invitations}>
      <Rows
        label={texts.invitationsNoun}
        items={items}
        columns={[
          { name: texts.team, kind: 'main', cell: ({ team }) => team },
          { name: texts.role, cell: ({ role }) => <Badge word={role} /> },
          { name: texts.invitedBy, kind: 'aside', cell: ({ invited_by }) => invited_by ?? '–' },
          { name: texts.expires, cell: ({ expires_at }) => <Time at={expires_at} /> },
          {
            name: texts.actions,
            kind: 'end',
            cell: ({ id, team }) => (
              <Button
                isBusy={join.isPending && join.variables === id}
                aria-label={texts.joinOf(team)}
                onClick={() => join.mutate(id, { onSuccess: (joined) => switchTeam(joined.id) })}
              >
                {texts.join}
              </Button>
            ),
          },
        ]}
      />
    </Card>
  )
}
