import { OwnGrants } from '../features/oauth-grants/own-grants.tsx'
import { TeamGrants } from '../features/oauth-grants/team-grants.tsx'
import { Card, Page } from '../ui/page.tsx'
import { usePermissions } from './permissions.ts'
import { useSession } from './session.ts'
import { texts } from './texts.ts'

export function ConnectedAppsPage() {
  const { data: session } = useSession()
  const may = usePermissions()
  return (
    <Page title={texts.apps.title} note={texts.apps.note}>
      {session?.user && (
        <Card title={texts.apps.own}>
          <OwnGrants />
        </Card>
      )}
      {may('oauth.grants.list') && (
        <Card title={texts.apps.team}>
          <TeamGrants />
        </Card>
      )}
    </Page>
  )
}
