import { OwnGrants } from '../features/oauth-grants/own-grants.tsx'
import { TeamGrants } from '../features/oauth-grants/team-grants.tsx'
import { Card, Page } from '../ui/page.tsx'
import { usePermissions } from './permissions.ts'
import { useSession } from './session.ts'

export function ConnectedAppsPage() {
  const { data: session } = useSession()
  const may = usePermissions()
  return (
    <Page title="Connected apps" note="Apps that members allowed to act on their behalf.">
      {session?.user && (
        <Card title="Your apps, in all teams">
          <OwnGrants />
        </Card>
      )}
      {may('oauth.grants.list') && (
        <Card title="Apps of this team">
          <TeamGrants />
        </Card>
      )}
    </Page>
  )
}
