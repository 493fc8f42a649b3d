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

/** Invitations of the account. Signing in has proven the address, so joining needs no link by mail. */
export function OwnInvitations() {
  const invitations = useCall('account.invitations.list', {})
  const join = useAct({ run: (id: string) => call('invitations.accept', { body: { invitation_id: id } }), refresh: [] })
  if (invitations.isError) return <Failed error={invitations.error} />
  const items = invitations.data?.data ?? []
  if (items.length === 0) return null
  return (
    <Card title={texts.invitations.title}>
      <Rows
        label={texts.invitations.label}
        items={items}
        columns={[
          { name: texts.invitations.columns.team, kind: 'main', cell: ({ team }) => team },
          { name: texts.invitations.columns.role, cell: ({ role }) => <Badge word={role} /> },
          { name: texts.invitations.columns.invitedBy, kind: 'aside', cell: ({ invited_by }) => invited_by ?? '–' },
          { name: texts.invitations.columns.expires, cell: ({ expires_at }) => <Time at={expires_at} /> },
          {
            name: texts.invitations.columns.actions,
            kind: 'end',
            cell: ({ id, team }) => (
              <Button
                isBusy={join.isPending && join.variables === id}
                aria-label={texts.invitations.joinTeam(team)}
                onClick={() => join.mutate(id, { onSuccess: (joined) => switchTeam(joined.id) })}
              >
                {texts.invitations.join}
              </Button>
            ),
          },
        ]}
      />
    </Card>
  )
}
