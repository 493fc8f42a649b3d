import { useParams } from '@tanstack/react-router'
import { call } from '../../api.ts'
import { useCall } from '../../queries.ts'
import { useAllowed } from '../../ui/allowed.tsx'
import { Badge } from '../../ui/badge.tsx'
import { Copyable } from '../../ui/copy.tsx'
import { Card, Facts, Page } from '../../ui/page.tsx'
import { PolicyActivity } from '../../ui/policy/policy-activity.tsx'
import { PolicyBadge, PolicySection } from '../../ui/policy/policy-section.tsx'
import { texts as policyTexts } from '../../ui/policy/texts.ts'
import { Failed, Loading } from '../../ui/states.tsx'
import { Time } from '../../ui/time.tsx'
import { isExpired, usePermissionText } from './key.ts'
import { KeyUses } from './key-uses.tsx'
import { texts } from './texts.ts'

/** One API key: what it may do, and what it did. */
export function ApiKeyPage() {
  const { id } = useParams({ from: '/api-keys/$id' })
  const key = useCall('api-keys.get', { id })
  const activity = useCall('api-keys.activity', { id })
  const permissionOf = usePermissionText()
  const mayMakeFull = useAllowed()('full_keys')
  if (key.isPending) return <Loading />
  if (key.isError) return <Failed error={key.error} onRetry={() => key.refetch()} />
  const { name, policy, permission, token_end, created_at, created_by, last_used_at, expires_at } = key.data
  const title = name || texts.unnamed
  return (
    <Page
      title={title}
      heading={
        <>
          {title} {isExpired(key.data) && <Badge word={texts.expired} tone="bad" />} <PolicyBadge policy={policy} />
        </>
      }
    >
      <div className="columns">
        <div>
          <PolicySection
            key={id}
            policy={policy}
            needs="api-keys.update"
            mayChange={mayMakeFull || permission !== 'full_access'}
            note={policyTexts.readsAndSends}
            refresh={['api-keys']}
            save={(next) => call('api-keys.update', { id, body: { policy: next } })}
          />
          <PolicyActivity activity={activity} />
        </div>
        <div>
          <Card>
            <Facts
              facts={[
                [texts.columns.token, <code key="token">re_…{token_end}</code>],
                [texts.columns.permission, permissionOf(key.data)],
                [texts.columns.lastUsed, last_used_at ? <Time key="at" at={last_used_at} /> : texts.neverUsed],
                [texts.columns.expires, expires_at ? <Time key="at" at={expires_at} /> : texts.neverExpires],
                [texts.columns.created, <Time key="at" at={created_at} exact />],
                ...(created_by ? [[texts.columns.createdBy, created_by] as const] : []),
                [texts.columns.id, <Copyable key="id" text={id} what={texts.columns.id} />],
              ]}
            />
          </Card>
          <Card title={texts.usage.title}>
            <KeyUses id={id} />
          </Card>
        </div>
      </div>
    </Page>
  )
}
