import { UpdateAccount } from '../../../../src/features/people/account/schema.ts'
import { call } from '../../api.ts'
import { useCall } from '../../queries.ts'
import { useAct } from '../../ui/act.ts'
import { Badge } from '../../ui/badge.tsx'
import { Card, Facts, Page } from '../../ui/page.tsx'
import { SchemaForm } from '../../ui/schema-form.tsx'
import { Failed, Loading } from '../../ui/states.tsx'
import { Time } from '../../ui/time.tsx'
import { OwnInvitations } from './own-invitations.tsx'
import { Passkeys } from './passkeys.tsx'
import { Sessions } from './sessions.tsx'

export function AccountPage() {
  const account = useCall('account.get', {})
  const rename = useAct({
    run: (body: { name?: string }) => call('account.update', { body }),
    refresh: ['account.get', 'members'],
    done: 'Saved',
  })
  if (account.isPending) return <Loading />
  if (account.isError) return <Failed error={account.error} onRetry={() => account.refetch()} />
  const { email, name, is_operator, created_at } = account.data
  return (
    <Page title="Account" note="You, in all of your teams.">
      <OwnInvitations />
      <div className="columns even">
        <Card title="You">
          <Facts
            facts={[
              ['Email', email],
              ['Since', <Time key="since" at={created_at} />],
              ...(is_operator ? [['Operator', <Badge key="operator" word="yes" tone="plain" />] as const] : []),
            ]}
          />
          <SchemaForm
            shape={UpdateAccount}
            fields={[{ name: 'name', label: 'Name', placeholder: 'Ada Lovelace' }]}
            initial={{ name }}
            act="Save"
            onSubmit={(values) => rename.mutateAsync({ name: values.name ?? '' })}
          />
        </Card>
        <Passkeys />
      </div>
      <Sessions />
    </Page>
  )
}
