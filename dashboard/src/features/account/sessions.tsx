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

const REFRESH = ['account.sessions'] as const

/** Where the account is signed in. */
export function Sessions() {
  const sessions = useCall('account.sessions.list', {})
  const end = useAct({
    run: (id: string) => call('account.sessions.remove', { id }),
    refresh: REFRESH,
    done: texts.sessions.signedOut,
  })
  const endOthers = useAct({
    run: () => call('account.sessions.remove-others', {}),
    refresh: REFRESH,
    done: texts.sessions.othersSignedOut,
  })
  const items = sessions.data?.data ?? []
  return (
    <Card
      title={texts.sessions.title}
      actions={
        items.length > 1 && (
          <Button isBusy={endOthers.isPending} onClick={() => endOthers.mutate()}>
            {texts.sessions.signOutOthers}
          </Button>
        )
      }
    >
      {sessions.isPending && <Loading lines={2} />}
      {sessions.isError && <Failed error={sessions.error} />}
      {items.length > 0 && (
        <Rows
          label={texts.sessions.label}
          items={items}
          columns={[
            {
              name: texts.sessions.columns.browser,
              kind: 'main',
              cell: ({ user_agent, is_current }) => (
                <>
                  <span title={user_agent ?? undefined}>{deviceName(user_agent)}</span>{' '}
                  {is_current && <Badge word={texts.sessions.current} tone="plain" />}
                </>
              ),
            },
            { name: texts.sessions.columns.method, cell: ({ method }) => texts.sessions.methods[method] },
            { name: texts.sessions.columns.ipAddress, kind: 'aside', cell: ({ ip_address }) => ip_address ?? '–' },
            {
              name: texts.sessions.columns.signedIn,
              kind: 'aside',
              cell: ({ created_at }) => <Time at={created_at} />,
            },
            { name: texts.sessions.columns.lastSeen, cell: ({ last_seen_at }) => <Time at={last_seen_at} /> },
            {
              name: texts.sessions.columns.actions,
              kind: 'end',
              cell: ({ id, is_current, user_agent }) =>
                is_current ? null : (
                  <Button
                    look="quiet"
                    isBusy={end.isPending && end.variables === id}
                    aria-label={texts.sessions.signOutDevice(deviceName(user_agent))}
                    onClick={() => end.mutate(id)}
                  >
                    {texts.sessions.signOut}
                  </Button>
                ),
            },
          ]}
        />
      )}
    </Card>
  )
}
