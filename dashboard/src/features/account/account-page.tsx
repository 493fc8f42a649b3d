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
import { texts } from './texts.ts'

export function AccountPage() {
  const account = useCall('account.get', {})
  const rename = useAct({
    run: (body: { name?: string }) => call('account.update', { body }),
    refresh: ['account.get', 'members'],
    done: texts.profile.saved,
  })
  if (account.isPending) return <Loading />
  if (account.isError) return <Failed error={account.error} onRetry={() => account.refetch()} />
  const { email, name, is_operator, created_at } = account.data
  return (
    <Page title={texts.title} note={texts.note}>
      <OwnInvitations />
      <div className="columns even">
        <Card title={texts.profile.title}>
          <Facts
            facts={[
              [texts.profile.email, email],
              [texts.profile.created, <Time key="since" at={created_at} />],
              ...(is_operator
                ? [
                    [
                      texts.profile.operator,
                      <Badge key="operator" word={texts.profile.isOperator} tone="plain" />,
                    ] as const,
                  ]
                : []),
            ]}
          />
          <SchemaForm
            shape={UpdateAccount}
            fields={[{ name: 'name', label: texts.profile.name.label, placeholder: texts.profile.name.placeholder }]}
            initial={{ name }}
            act={texts.profile.save}
            onSubmit={(values) => rename.mutateAsync({ name: values.name ?? '' })}
          />
        </Card>
        <Passkeys />
      </div>
      <Sessions />
    </Page>
  )
}
