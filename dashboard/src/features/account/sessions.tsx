import { call } from '../../api.ts'
import { useCall } from '../../queries.ts'
import { useAct } from '../../ui/act.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Rows } from '../../ui/cursor-list.tsx'
import { Card } from '../../ui/page.tsx'
import { Failed, Loading } from '../../ui/states.tsx'
import { Time } from '../../ui/time.tsx'
import { texts } from './texts.ts'
import { deviceName } from './user-agent.ts'

const METHODS = {
  passkey: 'passkey',
  link: 'email link',
  oidc: 'identity provider',
  terminal: 'terminal link',
}

const REFRESH = ['account.sessions'] as const

/** Where somebody is signed in. */
export function Sessions() {
  const sessions = useCall('account.sessions.list', {})
  const end = useAct({
    run: (id: string) => call('account.sessions.remove', { id }),
    refresh: REFRESH,
    done: texts.sessionEnded,
  })
  const endOthers = useAct({
    run: () => call('account.sessions.remove-others', {}),
    refresh: REFRESH,
    done: texts.otherSessionsEnded,
  })
  const items = sessions.data?.data ?? []
  return (
    <Card
      title={texts.sessions}
      actions={
        items.length > 1 && (
          <Button isBusy={endOthers.isPending} onClick={() => endOthers.mutate()}>
            {texts.signOutOtherSessions}
          </Button>
        )
      }
    >
      {sessions.isPending && <Loading lines={2} />}
      {sessions.isError && <Failed error={sessions.error} />}
      {items.length > 0 && (
        <Rows
          label={texts.sessionsNoun}
          items={items}
          columns={[
            {
              name: texts.browser,
              kind: 'main',
              cell: ({ user_agent, is_current }) => (
                <>
                  <span title={user_agent ?? undefined}>{deviceName(user_agent)}</span>{' '}
                  {is_current && <Badge word="current" tone="plain" />}
                </>
              ),
            },
            { name: texts.method, cell: ({ method }) => METHODS[method] },
            { name: texts.ipAddress, kind: 'aside', cell: ({ ip_address }) => ip_address ?? '–' },
            { name: texts.signed, kind: 'aside', cell: ({ created_at }) => <Time at={created_at} /> },
            { name: texts.lastSeen, cell: ({ last_seen_at }) => <Time at={last_seen_at} /> },
            {
              name: texts.actions,
              kind: 'end',
              cell: ({ id, is_current, user_agent }) =>
                is_current ? null : (
                  <Button
                    look="quiet"
                    isBusy={end.isPending && end.variables === id}
                    aria-label={texts.signOutOf(deviceName(user_agent))}
                    onClick={() => end.mutate(id)}
                  >
                    {texts.signOut}
                  </Button>
                ),
            },
          ]}
        />
      )}
    </Card>
  )
}
